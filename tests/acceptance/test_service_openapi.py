"""Whatever is sent that the OpenAPI document allows, or does not: no 5xx, and no answer that is not in the document."""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.server.service import Service

EXAMPLES = int(os.environ.get("RECRAWL_EXAMPLES", "20"))
"""Requests of each kind for each call; there are twenty calls."""
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """All calls of a service that is there."""
    with Service(tmp_path_factory.mktemp("service") / "data") as service:
        schema = schemathesis.openapi.from_url(f"{service.url}/openapi/openapi.json")
        yield [found.ok() for found in schema.get_all_operations()]


def sensible(body):
    """A body with pages that could be there, so that more than the first check is passed."""
    if isinstance(body, dict) and isinstance(body.get("urls"), list):
        body = {**body, "urls": [f"https://a.example/{k}" for k in range(len(body["urls"]))]}
    if isinstance(body, dict) and isinstance(body.get("wait"), float):
        body = {**body, "wait": body["wait"] % 0.01}  # else most of the time would be spent waiting for pages
    return body


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_every_answer_is_in_the_document(calls, mode):
    wrong = []
    for call in calls:
        if mode.is_negative and not call.body and not call.query and not call.headers:
            continue  # nothing to be wrong about

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=call.as_strategy(generation_mode=mode))
        def answered(case):
            if mode.is_positive:
                case.body = sensible(case.body)
            case.call_and_validate(checks=CHECKS, timeout=60.0)

        try:
            answered()
        except FailureGroup as failures:
            wrong += [f"{call.label}: {failure}" for failure in failures.exceptions]
    assert len(calls) > 15
    assert not wrong, "\n\n".join(wrong)
