// One page, and the results of a search.
import { at, make, put, renew, table } from "./dom.js";
import { ago, count, moment, percent, perUnit, short, span } from "./format.js";
import { forget, plot } from "./plots.js";

export const linkTo = (url) => `#/page?url=${encodeURIComponent(url)}`;

const STATES = { new: "never fetched", copy: "has a copy", gone: "gone" };
const VERDICTS = { fetching: ["Being fetched now", "good"], next: ["Among the next", "good"], soon: ["Soon", "good"], waiting: ["Not yet", "warm"], never: ["Not worth a fetch at this rate", "bad"] };
const WORDS = { changed: "Fetched: it had changed", unchanged: "Fetched: nothing new", unknown: "Fetched: a first copy", failed: "Fetch failed", gone: "Gone (404 or 410)", moved: "Moved", "moved here": "Moved here from another URL" };

export function showResults(told) {
  at("results-title").textContent = `Pages with “${told.q}”`;
  const more = told.next === null ? "" : `Looked at ${count(told.looked_at)} of ${count(told.all)} pages so far.`;
  if (!told.pages.length) {
    put(at("found"), make("p", { class: "note" }, told.next === null ? "No page has this in its URL." : `Nothing yet. ${more}`), moreLink(told));
    return;
  }
  put(at("found"), table([["URL", (row) => make("a", { href: linkTo(row.url) }, row.url), "url"], ["State", (row) => STATES[row.state] || row.state, "text"], ["Fresh", (row) => percent(row.fresh, 0)],
    ["Last fetched", (row) => moment(row.fetched)]], told.pages, "Pages found"), make("p", { class: "note" }, more), moreLink(told));
}

const moreLink = (told) => (told.next === null ? null : make("p", {}, make("a", { href: `#/search?q=${encodeURIComponent(told.q)}&after=${told.next}` }, "Look further")));

let shown = null;

export function showPage(told) {
  const host = at("page");
  if (!told.found) {
    leave();
    put(host, make("section", { class: "card" }, make("p", {}, make("a", { href: "#/" }, "Overview")), make("h1", { id: "page-title" }, told.url), make("p", {}, `Not found: ${told.reason}.`)));
    return;
  }
  if (!shown || shown.url !== told.url) {
    leave();
    shown = { url: told.url, facts: make("div"), why: make("section", { class: "card why", "aria-labelledby": "why-title" }), plot: make("div", { class: "plot" }), events: make("div") };
    put(host, make("section", { class: "card" }, make("p", {}, make("a", { href: "#/" }, "Overview")), make("h1", { id: "page-title" }, told.url), shown.facts), shown.why,
      make("section", { class: "card", "aria-labelledby": "aging-title" }, make("h2", { id: "aging-title" }, "Is the copy still good?"), shown.plot),
      make("section", { class: "card", "aria-labelledby": "events-title" }, make("h2", { id: "events-title" }, "What happened"), shown.events));
  }
  const [verdict, kind] = VERDICTS[told.why.verdict];
  put(shown.facts, facts(told));
  put(shown.why, make("h2", { id: "why-title" }, "Why it is or is not next "), make("p", {}, make("span", { class: `badge ${kind}` }, verdict)),
    make("ul", {}, ...told.why.sentences.map((sentence) => make("li", {}, sentence))));
  aging(told);
  events(told);
}

export function leave() {
  if (shown) forget(shown.plot);
  shown = null;
}

function facts(told) {
  const rows = [["State", STATES[told.state] + (told.leased ? ", leased" : "")], ["Fresh now", told.state === "copy" ? percent(told.fresh) : "no copy"], ["Last fetched", ago(told.fetched, told.now)],
    ["Last change found", ago(told.changed, told.now)], ["Changes, as learned", told.change_rate ? `every ${span(1 / told.change_rate)}` : "not seen to change"],
    ["Fetches, changes found", `${count(told.fetches)}, ${count(told.changes)}`], ["Failures in a row", told.state === "gone" ? "0" : count(told.failures)], ["Signals since the last fetch", short(told.signals_since)],
    ["Signals that are true", percent(told.precision, 0)], ["Importance", short(told.importance)], ["Host", told.host], ["Worth of a fetch, and needed", `${short(told.value)}, ${short(told.level)}`]];
  return make("dl", { class: "facts" }, ...rows.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

function aging(told) {
  const { times, fresh } = told.aging;
  // One time cannot have two places: what happens at once is drawn a moment apart.
  const apart = [];
  for (const time of times) apart.push(apart.length && time <= apart[apart.length - 1] ? apart[apart.length - 1] + 1e-3 : time);
  plot(shown.plot, {
    title: "Chance that the copy is still like the page", y: "share", range: [0, 1], x: { kind: "time", name: "Time", values: apart },
    series: [{ name: "Chance that the copy is still like the page", colour: "fresh", filled: true, values: fresh }],
    empty: times.length < 2 ? "There is no copy yet, so nothing that could age." : "",
    sum: `${percent(told.fresh)} now. It falls with time (${perUnit(told.unsignalled_rate)} unannounced changes), drops at each signal, and is 100% after each fetch. Drawn with what is believed of the page now.`,
  });
}

function events(told) {
  if (!told.events.length) {
    renew(shown.events, make("p", { class: "note" }, `Nothing since ${moment(told.events_since)}, when this server began to watch.`));
    return;
  }
  renew(shown.events, make("p", { class: "note" }, `The last ${count(told.events.length)} events that are remembered, newest first. Watched since ${moment(told.events_since)}.`),
    table([["When", (row) => moment(row.time)], ["What", (row) => (row.what === "signal" ? `Signal from ${row.source}` : WORDS[row.what] || row.what), "text"],
      ["Says it changed", (row) => (row.what === "signal" ? moment(row.happened) : ""), "text"]], [...told.events].reverse(), "What happened to the page"));
}
