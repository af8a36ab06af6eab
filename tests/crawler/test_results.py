"""What came of a page: which answers are versions of it, and whom a failure is blamed on."""

import pytest

from recrawl.crawler.results import FAILED, Result, answer
from recrawl.fetch.fetched import Fetched

URL = "https://a.example/"


def result(status, error="", **more):
    return Result(URL, 1, True, 1.0, Fetched(URL, URL, status, error, **more))


@pytest.mark.parametrize("status", [200, 201, 203])
def test_answers_with_content_are_versions(status):
    got = result(status, body=b"hello", etag='"x1"')
    row = answer(got)
    assert (got.is_copy, got.fault, row.status, row.validators.etag) == (True, "", status, '"x1"')


@pytest.mark.parametrize("status", [204, 205])
def test_answers_without_content_are_none_and_the_host_is_not_blamed(status):
    got = result(status, etag='"x1"')
    row = answer(got)
    assert (got.is_copy, got.fault) == (False, "no-content")
    assert (row.status, row.error, row.validators) == (FAILED, None, None)


def test_a_part_that_nobody_asked_for_is_none():
    got = result(None, "bad-response", body=b"part")
    assert (got.is_copy, answer(got).error) == (False, "bad-response")
