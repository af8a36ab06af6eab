"""The OpenAPI document: what the framework says of calls, what msgspec says of bodies, and what neither of them knows.

The framework leaves out limits of numbers that may be null or stand in a list; msgspec, which checks the bodies, tells
them as they are checked.
"""

import inspect
from types import ModuleType
from typing import Any

import msgspec
from litestar import Request
from litestar.openapi.plugins import JsonRenderPlugin
from msgspec import Struct

from recrawl.server import answers, messages, ndjson, problems
from recrawl.server.bodies import LINES
from recrawl.server.doors import needed

MODULES = (answers, messages, ndjson, problems)
BEARER = {
    "type": "http",
    "scheme": "bearer",
    "description": "a token that `recrawl token add` made; needed where there are tokens, with the scope that is named",
}
QUERY = {
    "skip_bad": {"schema": {"type": "boolean", "default": False}},
    "source": {"schema": {"type": "string", "minLength": 1, "maxLength": messages.LONGEST_SOURCE}},
}
"""What stands in the query where a body is lines."""


class Described(JsonRenderPlugin):
    """Shows the document as JSON."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """The framework's document, mended; it keeps what it is given here."""
        return super().render(request, mended(openapi_schema))


def mended(document: dict[str, Any]) -> dict[str, Any]:
    """The framework's document with the schemas of msgspec, lines and tokens."""
    components = {**document.get("components", {}), "schemas": _schemas(), "securitySchemes": {"bearer": BEARER}}
    paths = {path: _with_lines(path, _with_scopes(path, calls)) for path, calls in document["paths"].items()}
    return {**document, "paths": paths, "components": components}


def _schemas() -> dict[str, Any]:
    """All bodies by name, as the framework names them: with the module in front where several have that name."""
    kinds = [kind for module in MODULES for kind in _structs(module)]
    _, found = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    text = msgspec.json.encode(found)
    for module in MODULES:
        text = text.replace(f"{module.__name__}.".encode(), f"{module.__name__.rpartition('.')[2]}_".encode())
    named: dict[str, Any] = msgspec.json.decode(text)
    return named


def _structs(module: ModuleType) -> list[type[Struct]]:
    found = [each for each in vars(module).values() if inspect.isclass(each) and issubclass(each, Struct)]
    return [each for each in found if each.__module__ == module.__name__]


def _with_scopes(path: str, calls: dict[str, Any]) -> dict[str, Any]:
    """Each call with the token that it needs; none is needed where there are no tokens at all."""
    told = {}
    for method, call in calls.items():
        scope = needed(method.upper(), path)
        told[method] = {**call, "security": [] if scope is None else [{"bearer": [scope]}, {}]}
    return told


def _with_lines(path: str, calls: dict[str, Any]) -> dict[str, Any]:
    """Bodies that may be lines; the schema is that of a line."""
    told = dict(calls)
    if path in ndjson.CALLS:
        kind, _, options = ndjson.CALLS[path]
        call = told["post"]
        content = {**call["requestBody"]["content"], LINES[0]: _lines(kind.__name__)}
        query = [
            {"name": name, "in": "query", "required": False, "description": f"of all lines, in {LINES[0]}"}
            | QUERY[name]
            for name in sorted(options)
        ]
        parameters = [*call.get("parameters", ()), *query]
        told["post"] = {**call, "requestBody": {**call["requestBody"], "content": content}, "parameters": parameters}
    if path == "/v1/pages":
        call = told["get"]
        good = call["responses"]["200"]
        content = {**good["content"], LINES[0]: _lines("Page")}
        told["get"] = {**call, "responses": {**call["responses"], "200": {**good, "content": content}}}
    return told


def _lines(name: str) -> dict[str, Any]:
    return {"schema": {"$ref": f"#/components/schemas/{name}", "description": "one on each line"}}
