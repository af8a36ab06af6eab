// What can be asked, drawn from the OpenAPI document of the service itself.
import { at, make, put, table } from "./dom.js";

let schemas = {};

const named = (schema) => (schema && schema.$ref ? schemas[schema.$ref.split("/").pop()] || {} : schema || {});

function kind(schema) {
  if (!schema) return "";
  if (schema.$ref) return named(schema).title || schema.$ref.split("/").pop();
  if (schema.oneOf || schema.anyOf) return (schema.oneOf || schema.anyOf).map(kind).join(" or ");
  if (schema.type === "array") return `list of ${kind(schema.items)}`;
  if (schema.type === "object") return "object";
  const limits = [["minimum", "≥"], ["exclusiveMinimum", ">"], ["maximum", "≤"]]
    .filter(([name]) => schema[name] !== undefined).map(([name, sign]) => ` ${sign} ${schema[name]}`);
  return `${Array.isArray(schema.type) ? schema.type.join(" or ") : schema.type || "anything"}${limits.join(",")}`;
}

function fields(schema, caption) {
  const { properties = {}, required = [] } = named(schema);
  const rows = Object.entries(properties);
  if (!rows.length) return null;
  return table([
    ["field", ([name]) => make("code", {}, name)],
    ["type", ([, about]) => kind(about)],
    ["must", ([name]) => (required.includes(name) ? "yes" : "")],
    ["what it is", ([, about]) => about.description || named(about).description || ""],
  ], rows, caption);
}

function call(method, path, about) {
  const body = about.requestBody && Object.values(about.requestBody.content)[0].schema;
  const good = about.responses["200"] && about.responses["200"].content;
  const answer = good && Object.values(good)[0].schema;
  const asked = (about.parameters || []).map((one) => `${one.name} (${one.in}): ${(one.schema && one.schema.description) || one.description || kind(one.schema)}`);
  return make("section", { class: "card" },
    make("h2", {}, make("code", {}, `${method.toUpperCase()} ${path}`)),
    make("p", {}, `${about.summary || ""}. ${about.description || ""}`),
    asked.length ? make("ul", {}, ...asked.map((text) => make("li", {}, text))) : null,
    body ? make("h3", {}, "Asked") : null, body ? fields(body, `Fields of ${method} ${path}`) : null,
    answer ? make("h3", {}, "Answered") : null, answer ? fields(answer, `Fields of the answer to ${method} ${path}`) : null);
}

const answer = await fetch("/openapi/openapi.json");
const told = await answer.json();
schemas = (told.components && told.components.schemas) || {};
put(at("calls"), ...Object.entries(told.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, about]) => call(method, path, about))));
