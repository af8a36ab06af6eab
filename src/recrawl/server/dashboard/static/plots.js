// Plots, each with a key, a sentence that says the same, and a table of its numbers.
import { draw, make, put, renew, table } from "./dom.js";
import { moment, percent, short } from "./format.js";

const figures = new Map();
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// series: {name, colour, dash, points, values}; y: "share" or "number"; x: "time", "log" or "share"
export function plot(host, told) {
  const kept = figures.get(host) || begin(host);
  kept.told = told;
  const shown = told.x && told.x.values.length > 1 && !told.empty;
  kept.nothing.hidden = shown;
  for (const part of [kept.canvas, kept.keys, kept.details]) part.hidden = !shown;
  kept.nothing.textContent = told.empty || "Not enough data yet.";
  kept.sum.textContent = shown ? told.sum : "";
  kept.sum.hidden = !shown;
  if (!shown) { drop(kept); return; }
  put(kept.keys, ...told.series.filter((one) => !one.quiet).map(keyOf));
  render(kept);
  if (kept.details.open) fill(kept);
}

function begin(host) {
  const kept = {
    canvas: make("div", { class: "canvas", "aria-hidden": "true" }), keys: make("ul", { class: "keys" }),
    sum: make("p", { class: "sum" }), nothing: make("p", { class: "empty" }),
    rows: make("div"), details: make("details", {}, make("summary", {}, "Show as a table")), drawn: null,
  };
  kept.details.append(kept.rows);
  kept.details.addEventListener("toggle", () => kept.details.open && fill(kept));
  put(host, kept.nothing, kept.canvas, kept.keys, kept.sum, kept.details);
  new ResizeObserver(() => kept.drawn && kept.drawn.setSize(sizeOf(kept))).observe(kept.canvas);
  figures.set(host, kept);
  return kept;
}

const sizeOf = (kept) => ({ width: Math.max(kept.canvas.clientWidth, 80), height: Math.max(kept.canvas.clientHeight, 80) });
const drop = (kept) => { if (kept.drawn) kept.drawn.destroy(); kept.drawn = null; };

function keyOf(one) {
  const line = one.points
    ? draw("circle", { cx: 11, cy: 4, r: 3.2, class: `fill-${one.colour}` })
    : draw("line", { x1: 0, x2: 22, y1: 4, y2: 4, class: `line stroke-${one.colour}${one.dash ? " dash" : ""}` });
  return make("li", {}, draw("svg", { viewBox: "0 0 22 8", "aria-hidden": "true" }, line), one.name);
}

function render(kept) {
  const { told } = kept;
  drop(kept);
  const share = told.y === "share";
  const axis = { stroke: colour("muted"), ticks: { show: false }, font: "12px system-ui, sans-serif" };
  const log = told.x.kind === "log";
  const grid = () => ({ stroke: colour("grid"), width: 1 });
  const bottom = { ...axis, grid: grid(), space: log ? 60 : 70, label: told.x.label, labelSize: told.x.label ? 20 : 0, labelFont: "12px system-ui, sans-serif", size: 30 };
  if (told.x.kind === "share") bottom.values = (_, ticks) => ticks.map((tick) => percent(tick, 0));
  if (log) bottom.values = (_, ticks) => ticks.map((tick) => (tick === null ? "" : short(tick)));
  if (log) bottom.filter = bottom.grid.filter = (_, ticks) => ticks.map((tick) => (/^[125]/.test(tick.toExponential()) ? tick : null));
  if (told.x.kind === "time") bottom.values = times;
  const left = { ...axis, grid: grid(), size: 52, values: (_, ticks) => ticks.map((tick) => (share ? percent(tick, 0) : short(tick))) };
  kept.drawn = new uPlot({
    ...sizeOf(kept), legend: { show: false }, cursor: { y: false, points: { size: 7 } }, padding: [10, 26, 0, 0],
    scales: { x: { time: told.x.kind === "time", distr: log ? 3 : 1, range: rangeOfX(told.x) }, y: { range: rangeOf(told) } },
    axes: [bottom, left],
    series: [{}, ...told.series.map(lineOf)],
    hooks: { draw: told.whiskers ? [(u) => whiskers(u, told.whiskers)] : [] },
  }, [told.x.values, ...told.series.map((one) => one.values)], kept.canvas);
}

// Ticks of time: the hour, and the day where it begins.
function times(_, ticks) {
  return ticks.map((tick, k) => {
    const date = new Date(tick * 1000);
    const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
    if (date.getHours() === 0 && date.getMinutes() === 0) return day;
    const hour = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    return k === 0 ? `${day} ${hour}` : hour;
  });
}

function rangeOfX(x) {
  if (x.kind === "share") return [0, 1];
  return x.kind === "log" ? [x.values[0] * 0.93, x.values[x.values.length - 1] * 1.07] : undefined;
}

function rangeOf(told) {
  return (_, low, high) => {
    if (told.range) return told.range;
    if (low === null || low === undefined) return [0, 1];
    if (told.y !== "share") return [0, (high || 1) * 1.12];
    const room = Math.max((high - low) * 0.12, 0.01);
    return [Math.max(low - room, 0), Math.min(high + room, 1)];
  };
}

function lineOf(one) {
  const stroke = colour(one.colour);
  return {
    label: one.name, stroke, width: one.points ? 0 : 2, dash: one.dash ? [6, 4] : undefined, spanGaps: Boolean(one.gaps),
    fill: one.filled ? `${stroke}22` : undefined, paths: one.points ? () => null : undefined,
    points: { show: Boolean(one.points), size: one.points || 5, fill: stroke, stroke, width: 1 },
  };
}

function whiskers(u, rows) {
  u.ctx.save();
  u.ctx.strokeStyle = colour("fresh");
  u.ctx.lineWidth = 1.5 * devicePixelRatio;
  for (const [x, low, high] of rows) {
    const place = u.valToPos(x, "x", true);
    u.ctx.beginPath();
    u.ctx.moveTo(place, u.valToPos(low, "y", true));
    u.ctx.lineTo(place, u.valToPos(high, "y", true));
    u.ctx.stroke();
  }
  u.ctx.restore();
}

// The newest rows come first: they are what one looks for.
function fill(kept) {
  const { told } = kept;
  const rows = told.x.values.map((x, k) => [x, ...told.series.map((one) => one.values[k])]);
  if (told.x.kind === "time") rows.reverse();
  const first = { time: moment, share: percent, log: short }[told.x.kind];
  const shown = told.y === "share" ? percent : short;
  renew(kept.rows, table([[told.x.name, (row) => first(row[0])],
    ...told.series.map((one, k) => [one.name, (row) => shown(row[k + 1])])], rows.slice(0, 400), told.title));
}

// Other colours from now on.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const kept of figures.values()) if (kept.drawn) render(kept);
});

export function forget(host) {
  const kept = figures.get(host);
  if (kept) drop(kept);
  figures.delete(host);
}
