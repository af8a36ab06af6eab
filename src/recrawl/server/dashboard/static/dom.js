// Elements. Text goes in as text: nothing that comes from data is ever parsed as HTML.

export const at = (id) => document.getElementById(id);

export function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (name === "class") element.className = value;
    else if (name === "on") for (const [event, action] of Object.entries(value)) element.addEventListener(event, action);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  put(element, ...children);
  return element;
}

export function put(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

// For what is shown again and again: it is left as it is while something in it has the focus, which would be lost.
export function renew(element, ...children) {
  if (!element.contains(document.activeElement)) put(element, ...children);
}

const SVG = "http://www.w3.org/2000/svg";

export function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function bar(share, colour) {
  const width = Math.max(0, Math.min(1, share || 0)) * 100;
  return draw("svg", { viewBox: "0 0 100 7", preserveAspectRatio: "none", "aria-hidden": "true" },
    draw("rect", { class: `fill-${colour}`, width, height: 7 }));
}

// columns: [heading, cell of a row (text or element), class]
export function table(columns, rows, caption) {
  const head = make("tr", {}, ...columns.map(([name, , kind]) => make("th", { scope: "col", class: kind || "" }, name)));
  const body = rows.map((row) => make("tr", {}, ...columns.map(([, cell, kind]) => make("td", { class: kind || "" }, cell(row)))));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make("table", {}, make("caption", { class: "hidden" }, caption), make("thead", {}, head), make("tbody", {}, ...body)));
}

// The buttons stay those they were: who is on one of them by keyboard stays there.
export function choices(element, options, chosen, choose) {
  if (!element.childElementCount) {
    put(element, ...options.map(([value, name]) => make("button", { type: "button", on: { click: () => choose(value) } }, name)));
  }
  options.forEach(([value], k) => element.children[k].setAttribute("aria-pressed", String(value === chosen)));
}
