// Numbers in words that people use; a dash for what is not known.

const DASH = "–";
const missing = (value) => value === null || value === undefined || !Number.isFinite(value);

export function percent(share, digits = 1) {
  if (missing(share)) return DASH;
  return `${(share * 100).toFixed(digits)}%`;
}

export function count(value) {
  return missing(value) ? DASH : Math.round(value).toLocaleString("en");
}

export function short(value) {
  if (missing(value)) return DASH;
  if (value !== 0 && Math.abs(value) < 0.01) return value.toExponential(1);
  if (Math.abs(value) < 10) return String(Number(value.toFixed(2)));
  return value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 });
}

const RATES = [["second", 1], ["minute", 60], ["hour", 3600], ["day", 86400]];

// The unit in which a rate is at least one, so that people can picture it.
export function unitOf(rate) {
  return RATES.find(([, seconds]) => rate * seconds >= 1) || RATES[RATES.length - 1];
}

export function perUnit(rate, unit = unitOf(rate)) {
  return missing(rate) ? DASH : `${short(rate * unit[1])} a ${unit[0]}`;
}

const SPANS = [["year", 31557600], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

export function span(seconds) {
  if (missing(seconds)) return DASH;
  if (seconds > 0 && seconds < 0.5) return "less than a second";
  const [name, size] = SPANS.find(([, length]) => seconds >= 1.5 * length) || SPANS[SPANS.length - 1];
  const n = seconds / size;
  const shown = n < 10 && name !== "second" ? Number(n.toFixed(1)) : Math.round(n);
  return `${shown} ${name}${shown === 1 ? "" : "s"}`;
}

export function ago(time, now) {
  return missing(time) ? "never" : `${span(Math.max(now - time, 0))} ago`;
}

export function moment(time) {
  if (missing(time)) return DASH;
  return new Date(time * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}
