"""What Scrapy says of a fetch, in the frontier's words."""

import math

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response

from recrawl.integrations.scrapy.outcomes import FAILED, of_error, of_response, said

URL = "https://a.example/news"


def answer(status, headers=None, body=b"", url=URL, came=()):
    request = Request(url, meta={"redirect_urls": list(came)} if came else {})
    return Response(url, status=status, headers=headers or {}, body=body, request=request)


def test_a_copy_keeps_what_to_send_along_next_time():
    got = of_response(7, answer(200, {"ETag": '"x1"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}))
    assert (got.token, got.status) == (7, 200)
    assert got.validators == ('"x1"', "Thu, 01 Jan 2026 00:00:00 GMT")


@pytest.mark.parametrize("status", [204, 205, 206])
def test_answers_without_content_and_parts_are_no_copies(status):
    got = of_response(7, answer(status, {"ETag": '"x1"'}, b"" if status < 206 else b"part"))
    assert (got.status, got.validators, got.copy) == (FAILED, None, None)


def test_a_part_that_was_asked_for_is_a_copy():
    request = Request(URL, headers={"Range": "bytes=0-99"})
    assert of_response(7, Response(URL, status=206, body=b"part", request=request)).status == 206


def test_headers_that_are_no_text_are_not_kept():
    assert of_response(7, answer(200, {"ETag": b'"\x07"'})).validators == ("", "")


@pytest.mark.parametrize(
    ("location", "expected"),
    [("/new", (301, "https://a.example/new")), ("https://b.example/", (301, "https://b.example/")),
     ("mailto:me", (FAILED, None)), ("", (FAILED, None)), ("http://[", (FAILED, None))],
)  # fmt: skip
def test_a_page_that_moved_for_good(location, expected):
    got = of_response(7, answer(301, {"Location": location} if location else {}))
    assert (got.status, got.moved_to) == expected


def test_a_host_that_asks_for_time_gets_it():
    assert of_response(7, answer(503, {"Retry-After": "120"})).retry_after == 120.0
    assert math.isnan(of_response(7, answer(503, {"Retry-After": "soon"})).retry_after)


def test_the_first_host_is_not_blamed_for_the_last():
    came = ["https://b.example/"]
    assert of_response(7, answer(503, came=came)).status == FAILED
    assert of_response(7, answer(404, came=came)).status == 404
    assert of_error(7, DownloadTimeoutError(), answer(200, came=came).request).status == FAILED


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (DownloadTimeoutError(), (None, "timeout")),
        (ConnectionResetError(), (None, "connection")),
        (IgnoreRequest("Forbidden by robots.txt"), (FAILED, None)),
        (DownloadCancelledError("too large"), (FAILED, None)),
        (AttributeError("a bug in a middleware"), (FAILED, None)),
    ],
)
def test_errors_are_the_hosts_or_the_pages(error, expected):
    got = of_error(7, error, Request(URL))
    assert (got.status, got.error) == expected


def test_callbacks_have_the_last_word():
    got = of_response(7, answer(200, body=b"text"))
    said(got, {"recrawl_changed": False, "recrawl_digest": "mine"})
    assert (got.status, got.changed, got.digest, got.copy) == (200, False, "mine", None)
    said(got, {"recrawl_status": 404})
    assert (got.status, got.validators) == (404, None)
