"""What the OpenAPI document says is what the service does."""

import re

import pytest

from recrawl.frontier import Frontier
from tests.server.live import ask, get, serving


@pytest.fixture(scope="module")
def told():
    with serving(Frontier()) as url:
        yield get(url, "/openapi/openapi.json")


def field(told, name, field):
    return told["components"]["schemas"][name]["properties"][field]


def limits(schema):
    """Of all numbers, texts and lists in a schema."""
    found = {name: schema[name] for name in schema if re.match("exclusiveM|m(ax|in)", name)}
    inside = [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())]
    return [each for each in [found, *(limit for one in inside for limit in limits(one))] if each]


@pytest.mark.parametrize(
    ("name", "wanted", "expected"),
    [
        ("messages_Rate", "rate", [{"maximum": 1e9}]),
        ("Lease", "seconds", [{"exclusiveMinimum": 0, "maximum": 1e9}]),
        ("messages_Host", "gap", [{"minimum": 0, "maximum": 1e9}]),
        ("messages_Host", "pause", [{"minimum": 0, "maximum": 1e9}]),
        ("messages_Host", "max_in_flight", [{"minimum": 1, "maximum": 2**31 - 1}]),
        ("Outcomes", "tokens", [{"maxItems": 100_000}, {"minimum": 0, "maximum": 2**63 - 1}]),
        ("Outcomes", "status", [{"minimum": 100, "maximum": 599}] * 2),
        ("Subscribe", "hub", [{"minLength": 1, "maxLength": 2048}]),
        ("Signals", "source", [{"minLength": 1, "maxLength": 100}]),
        ("Outcome", "status", [{"minimum": 100, "maximum": 599}]),
    ],
)
def test_limits_are_told(told, name, wanted, expected):
    got = limits(field(told, name, wanted))
    assert len(got) == len(expected)
    assert all(want.items() <= found.items() for found, want in zip(got, expected, strict=True))


def test_all_that_is_referred_to_is_there(told):
    named = set(re.findall(r"'#/components/schemas/([^']+)'", str(told)))
    assert (
        {"messages_Pages", "answers_Pages", "Problem", "Page", "NewPage"} <= named <= set(told["components"]["schemas"])
    )


def test_lines_are_told(told):
    lines = "application/x-ndjson"
    taken = [path for path, calls in told["paths"].items() if lines in str(calls.get("post", {}).get("requestBody"))]
    assert taken == ["/v1/pages", "/v1/pages/forget", "/v1/signals", "/v1/requests", "/v1/complete"]
    assert lines in told["paths"]["/v1/pages"]["get"]["responses"]["200"]["content"]
    query = [one["name"] for one in told["paths"]["/v1/signals"]["post"]["parameters"] if one["in"] == "query"]
    assert query == ["skip_bad", "source"]


def test_tokens_are_told(told):
    assert told["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    assert told["paths"]["/v1/rate"]["put"]["security"] == [{"bearer": ["admin"]}, {}]
    assert told["paths"]["/healthz"]["get"]["security"] == []


@pytest.mark.parametrize("path", ["rate", "hosts", "pages", "subscriptions", "lease"])
def test_a_path_tells_all_its_methods(told, path):
    with serving() as url:
        allowed = ask(url, "OPTIONS", f"/v1/{path}")[1]["allow"]
    assert set(allowed.split(", ")) - {"OPTIONS"} == {method.upper() for method in told["paths"][f"/v1/{path}"]}


def test_a_source_may_be_as_long_as_is_told():
    with serving() as url:
        assert [ask(url, "POST", "/v1/signals", {"urls": [], "source": "x" * n})[0] for n in (100, 101)] == [200, 400]
