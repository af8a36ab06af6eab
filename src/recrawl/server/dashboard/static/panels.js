// The panels of the overview: each takes an answer of the server and shows it.
import { at, bar, choices, make, put, renew, table } from "./dom.js";
import { ago, count, moment, percent, perUnit, short, span, unitOf } from "./format.js";
import { plot } from "./plots.js";

const LINES = [["with_signals", "Best possible, with signals", "best"], ["without_signals", "Best possible, without signals", "without"], ["equal", "All pages equally often", "equal"]];

export function showOverview(told) {
  const { fresh, pages, rate, last_hour: hour } = told;
  at("fresh").textContent = percent(fresh.now);
  at("fresh-note").textContent = fresh.now === null ? "No page matters yet."
    : "Estimated share of copies that still match the live page, weighted by importance."
      + (pages.new ? ` ${percent(fresh.of_copies)} without the ${count(pages.new)} pages never fetched.` : "");
  const known = [["This crawler, now", fresh.now, "fresh"], ["Best possible, with signals", fresh.best_with_signals, "best"],
    ["Best possible, without signals", fresh.best_without_signals, "without"], ["All pages equally often", fresh.equal_intervals, "equal"]];
  const possible = rate.used || rate.budget ? "What is possible at this rate will show here in a moment."
    : "What is possible shows once a rate is set, or pages are being fetched.";
  put(at("compare"), fresh.best_with_signals === null ? make("p", { class: "note" }, possible) : null,
  ...known.filter(([, value]) => value !== null).map(([name, value, colour]) =>
    make("div", { class: "bar" }, make("span", {}, name), make("b", {}, percent(value)), bar(value, colour))));

  const used = rate.used;
  const unit = unitOf(used || rate.budget || 1);
  put(at("used"), used === null ? "–" : short(used * unit[1]), make("small", {}, used === null ? "" : ` fetches a ${unit[0]}`));
  at("budget").hidden = !rate.budget;
  at("budget").value = rate.budget ? Math.min((used || 0) / rate.budget, 1) : 0;
  at("budget-note").textContent = rate.budget === null ? "There is no limit." : rate.budget === 0 ? "The rate is 0: nothing is fetched."
    : used === null ? `Of ${perUnit(rate.budget, unit)}. Measured after 20 seconds.` : `${percent(used / rate.budget, 0)} of the budget, ${perUnit(rate.budget, unit)}.`;

  const over = Math.abs(hour.seconds - 3600) < 120 ? "the last hour" : `the last ${span(hour.seconds)}`;
  at("waste").textContent = percent(hour.waste, 0);
  at("waste-note").textContent = hour.waste === null ? "No fetch has compared two copies lately."
    : `${count(hour.unchanged)} of ${count(hour.unchanged + hour.changed)} fetches found nothing new in ${over}.`;
  at("failing").textContent = percent(hour.failing, 0);
  at("failing-note").textContent = hour.failing === null ? "No fetch was answered lately." : `${count(hour.failed)} ${hour.failed === 1 ? "fetch" : "fetches"} failed in ${over}.`;
  at("pages").textContent = count(pages.all);
  at("pages-note").textContent = `${count(pages.new)} never fetched, ${count(pages.gone)} gone, ${count(told.leases.live)} leased now.`;
  at("host-count").textContent = count(pages.hosts);
  at("host-note").className = told.paused_hosts ? "note bad" : "note";
  at("host-note").textContent = told.paused_hosts ? `${count(told.paused_hosts)} paused, because fetches failed or they asked for time.` : "None is paused.";
  put(at("signals"), hour.seconds ? count(hour.signals) : "–");
  at("signals-note").textContent = `${hour.seconds ? `In ${over}, and ${count(hour.dropped)} that told nothing new. ` : ""}${count(told.ever.signals)} ever.`;
  at("foot").textContent = `recrawl ${told.version}. Frontier begun ${moment(told.begun)}; watched since ${moment(told.watched_since)}.` + (told.notes.length ? ` Note: ${told.notes.join(" ")}` : "");
}

const SPAN_NAMES = [["hour", "Hour"], ["day", "Day"], ["week", "Week"], ["quarter", "90 days"]];

export function showSeries(told, choose) {
  choices(at("spans"), SPAN_NAMES, told.span, choose);
  const x = { kind: "time", name: "Time", values: told.time };
  const waiting = "Collecting. The first points show after 20 seconds.";
  const last = told.time.length - 1;
  const line = (key, name, colour, more = {}) => ({ name, colour, values: told[key], ...more });
  const first = told.fresh.findIndex((value) => value !== null);
  plot(at("plot-fresh"), {
    title: "Freshness over time", x, y: "share", empty: last < 1 ? waiting : "",
    series: [...LINES.map(([key, name, colour]) => line(key, name, colour, { dash: true })), line("fresh", "This crawler", "fresh", { filled: true })].reverse(),
    sum: last < 1 ? "" : `Freshness is ${percent(told.fresh[last])} now and was ${percent(told.fresh[first])} ${ago(told.time[first], told.now)}. `
      + (told.with_signals[last] === null ? "" : `At the rate in use, the same pages could have ${percent(told.with_signals[last])} with signals, `
        + `${percent(told.without_signals[last])} without, and ${percent(told.equal[last])} if all were fetched equally often.`),
  });
  const top = Math.max(...told.crawls.filter((value) => value !== null), 0);
  const unit = unitOf(top || told.budget[last] || 1);
  const scaled = (values) => values.map((value) => (value === null ? null : value * unit[1]));
  const mean = told.crawls.slice(1).reduce((sum, value) => sum + value, 0) / Math.max(last, 1);
  plot(at("plot-used"), {
    title: "Bandwidth used", x, y: "number", empty: last < 1 ? waiting : "",
    series: [{ name: `Fetches a ${unit[0]}`, colour: "fresh", filled: true, values: scaled(told.crawls) }, { name: "Budget", colour: "equal", dash: true, values: scaled(told.budget) },
      { name: "Failed", colour: "bad", values: scaled(told.failed) }],
    sum: `${perUnit(mean, unit)} on average, ${told.budget[last] === null ? "without a limit" : `of ${perUnit(told.budget[last], unit)} allowed`}.`,
  });
  const wasted = told.waste.filter((value) => value !== null);
  plot(at("plot-waste"), {
    title: "Fetches that found nothing new", x, y: "share", range: [0, 1], empty: wasted.length < 2 ? "Shows once pages have been fetched a second time." : "",
    series: [{ name: "Share of fetches that found the page unchanged", colour: "without", values: told.waste, gaps: true }],
    sum: `On average ${percent(wasted.reduce((sum, value) => sum + value, 0) / Math.max(wasted.length, 1), 0)} found nothing new. Some waste is right: pages without signals must be looked at to know.`,
  });
}

const REASONS = { "no pages": "Shows once there are pages.", "no rate": "Shows once a rate is set, or pages are being fetched.", soon: "Being computed. It shows in a moment." };

export function showCurve(told) {
  const host = at("plot-curve");
  if (!told.ready) { plot(host, { empty: REASONS[told.reason] }); return; }
  const unit = unitOf(told.here.rate);
  const rates = told.rates.map((rate) => rate * unit[1]);
  const middle = Math.floor(rates.length / 2);
  const here = rates.map((_, k) => (k === middle ? told.here.fresh : null));
  plot(host, {
    title: "Freshness against bandwidth", y: "share", x: { kind: "log", name: `Fetches a ${unit[0]}`, label: `fetches a ${unit[0]}`, values: rates },
    series: [{ name: "You are here", colour: "fresh", points: 14, values: here }, { name: "Best, with signals", colour: "best", values: told.with_signals },
      { name: "Best, without signals", colour: "without", values: told.without_signals }, { name: "Equally often", colour: "equal", dash: true, values: told.equal_intervals }],
    sum: `You are at ${percent(told.here.fresh)} with ${perUnit(told.here.rate, unit)}. Twice that could reach ${percent(told.with_signals[middle + 2])}, half of it ${percent(told.with_signals[middle - 2])}. `
      + (told.sampled < told.pages ? `From a sample of ${count(told.sampled)} pages.` : ""),
  });
}

export function showCalibration(told) {
  const bins = told.bins;
  const off = bins.length ? told.predicted - told.observed : 0;
  plot(at("plot-calibration"), {
    title: "Predicted against observed change", y: "share", range: [0, 1],
    empty: bins.length < 2 ? `Shows after 40 fetches that compared two copies. So far: ${count(told.predictions)}.` : "",
    x: { kind: "share", name: "Predicted chance of change", label: "predicted chance that the page has changed", values: bins.map((bin) => bin.predicted) },
    series: [{ name: "Share that had changed, with 95% interval", colour: "fresh", points: 9, values: bins.map((bin) => bin.observed) },
      { name: "Perfect", colour: "equal", dash: true, values: bins.map((bin) => bin.predicted) }],
    whiskers: bins.map((bin) => [bin.predicted, bin.low, bin.high]),
    sum: bins.length < 2 ? "" : `Of the last ${count(told.predictions)} fetches ${percent(told.observed, 0)} found a change; ${percent(told.predicted, 0)} were predicted. `
      + (Math.abs(off) < 0.05 ? "The estimates hold." : off > 0 ? "Pages change less than believed." : "Fetched pages had changed more often than believed."),
  });
}

export function showSources(told) {
  if (!told.sources.length) {
    renew(at("sources"), make("p", { class: "note" }, "No signals yet. Sitemaps, feeds, IndexNow and WebSub can tell that pages changed; what each is worth is learned from fetches."));
    return;
  }
  renew(at("sources"), make("p", { class: "note" }, "Precision: share of its signals that were true. Recall: share of changes it told of. Latency: by how much half of its signals come after the change."),
    table([["Source", (row) => row.name], ["Signals", (row) => count(row.signals)], ["Precision", (row) => percent(row.precision, 0)], ["Recall", (row) => percent(row.recall, 0)],
      ["Latency", (row) => span(row.latency)], ["Judged by fetches", (row) => count(row.judged)]], told.sources, "Sources of signals"));
}

const ORDERS = [["lag", "Lagging"], ["trouble", "Failing"], ["pages", "Largest"]];

export function showHosts(told, now, choose) {
  choices(at("orders"), ORDERS, told.order, choose);
  const words = `${count(told.all)} hosts, ${count(told.failing)} with failures, ${count(told.paused)} paused.`;
  if (!told.hosts.length) {
    renew(at("hosts"), make("p", { class: "note" }, told.order === "trouble" ? "No host fails. " : "No hosts yet. ", words));
    return;
  }
  renew(at("hosts"), make("p", { class: "note" }, words, told.order === "lag" ? " Those that cost most freshness come first." : ""), table([
    ["Host", (row) => row.name], ["State", (row) => stateOf(row, now), "text"], ["Fresh", (row) => percent(row.fresh, 0)], ["Share of all staleness", (row) => percent(row.lost)],
    ["Pages", (row) => count(row.pages)], ["Never fetched", (row) => count(row.new)], ["Failing", (row) => count(row.failing)], ["Gone", (row) => count(row.gone)]],
  told.hosts, "Hosts"));
}

function stateOf(row, now) {
  if (row.paused_until) return make("span", { class: "badge bad" }, `paused, ${span(row.paused_until - now)} left`);
  if (row.probing) return make("span", { class: "badge warm" }, "being tried again");
  if (row.failures) return make("span", { class: "badge warm" }, `${row.failures} failures in a row`);
  return make("span", { class: "badge good" }, "fine");
}
