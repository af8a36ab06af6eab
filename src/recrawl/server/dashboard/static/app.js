// Which part is shown, and when the server is asked.
import { at } from "./dom.js";
import { showCalibration, showCurve, showHosts, showOverview, showSeries, showSources } from "./panels.js";
import { leave, showPage, showResults } from "./page.js";

const SECOND = 1000;
const chosen = { span: "day", order: "lag" };
let round = 0; // answers of earlier rounds come too late
let timer = null;
let lastAnswer = null;
let failures = 0;

class Refused extends Error {
  constructor(status, detail) { super(detail); this.status = status; }
}

async function ask(name, params = {}) {
  const query = new URLSearchParams(params).toString();
  const headers = { Accept: "application/json" };
  const token = sessionStorage.getItem("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(`/v1/dashboard/${name}${query ? `?${query}` : ""}`, { headers, signal: AbortSignal.timeout(15 * SECOND) });
  if (answer.ok) return answer.json();
  const { detail } = await answer.json().catch(() => ({}));
  if (answer.status === 401 || answer.status === 403) throw new Refused(answer.status, detail);
  throw new Error(detail || `the server answered with status ${answer.status}`);
}

function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path || "overview", params: Object.fromEntries(new URLSearchParams(query || "")) };
}

const PARTS = ["overview", "results", "page", "welcome"];
const show = (name) => PARTS.forEach((part) => { at(part).hidden = part !== name; });

async function overview(mine, count) {
  const told = await ask("overview");
  if (mine !== round) return;
  if (!told.pages.all) { show("welcome"); return; }
  show("overview");
  showOverview(told);
  const wanted = [["series", { span: chosen.span }, (x) => showSeries(x, choose("span"))], ["curve", {}, showCurve]];
  if (count % 6 === 0) wanted.push(["calibration", {}, showCalibration], ["sources", {}, showSources], ["hosts", { order: chosen.order }, (x) => showHosts(x, told.now, choose("order"))]);
  for (const [name, params, put] of wanted) {
    const found = await ask(name, params);
    if (mine === round) put(found);
  }
}

const choose = (what) => (value) => { chosen[what] = value; begin(false); };

async function page(mine, params) {
  const told = await ask("page", { url: params.url || "" });
  if (mine !== round) return;
  showPage(told);
  show("page");
  document.title = `${told.url} · recrawl`;
}

async function results(mine, params) {
  const told = await ask("search", params);
  if (mine !== round) return;
  showResults(told);
  show("results");
}

async function once(mine, count) {
  const { path, params } = place();
  if (path === "page") await page(mine, params);
  else if (path === "search") { if (count === 0) await results(mine, params); } else await overview(mine, count);
}

async function loop(mine, count) {
  let wait = 5 * SECOND;
  try {
    if (!document.hidden || count === 0) await once(mine, count);
    if (mine !== round) return;
    lastAnswer = new Date();
    failures = 0;
    say("Up to date", "");
    at("alert").hidden = at("token").hidden = true;
    at("main").classList.remove("stale");
  } catch (error) {
    if (mine !== round) return;
    failures += 1;
    wait = Math.min(5 * failures, 30) * SECOND;
    lost(error, wait);
  }
  timer = setTimeout(() => loop(mine, failures ? 0 : count + 1), wait);
}

function say(words, kind) {
  at("status").textContent = words;
  at("status").className = `status ${kind}`;
}

function lost(error, wait) {
  if (error instanceof Refused) { wanted(error); return; }
  say("No connection", "lost");
  at("main").classList.add("stale");
  const gone = error instanceof TypeError || error.name === "TimeoutError";
  const since = lastAnswer ? ` What you see is from ${lastAnswer.toLocaleTimeString("en-GB")}.` : "";
  at("alert").textContent = `${gone ? "The server does not answer." : `Something went wrong: ${error.message}.`}${since} Trying again in ${wait / SECOND} seconds.`;
  at("alert").hidden = false;
}

// The form for a token, and what was wrong with the one that was given.
function wanted(refused) {
  at("token").hidden = false;
  at("alert").hidden = true;
  PARTS.forEach((part) => { at(part).hidden = true; });
  say("Token wanted", "wait");
  const why = refused.status === 403 ? `The server refuses: ${refused.message}.` : sessionStorage.getItem("token") ? "This token is not one of this server's, or was revoked." : "";
  if (at("wrong").textContent !== why) at("wrong").textContent = why; // what is set is read out again
}

function begin(moved = true) {
  clearTimeout(timer);
  round += 1;
  const { path, params } = place();
  if (moved) {
    if (path !== "page") { leave(); document.title = "recrawl"; }
    at("q").value = path === "search" ? params.q || "" : "";
  }
  loop(round, 0);
}

at("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = at("q").value.trim();
  if (text) location.hash = `#/search?q=${encodeURIComponent(text)}`;
});
at("token").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", at("secret").value.trim());
  at("secret").value = at("wrong").textContent = "";
  begin(false);
});
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); at("main").focus(); });
addEventListener("hashchange", () => { begin(); at("main").focus(); scrollTo(0, 0); });
document.addEventListener("visibilitychange", () => { if (!document.hidden) begin(false); });
say("Loading", "wait");
begin();
