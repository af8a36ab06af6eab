"""The rest of a body is read after the answer, for a while."""

import asyncio

from recrawl.server.rest import Rest

SCOPE = {"type": "http", "method": "POST", "headers": []}
REFUSED = {"type": "http.response.start", "status": 415, "headers": []}


async def refuse(scope, receive, send):
    await send(REFUSED)


def asked(messages, scope=SCOPE, app=refuse):
    """What was answered, and how many of the messages were read; after the last one nothing comes any more."""
    sent, read = [], []

    async def receive():
        if len(read) == len(messages):
            await asyncio.sleep(3600.0)
        read.append(messages[len(read)])
        return read[-1]

    async def send(message):
        sent.append(message)

    async def run():
        rest = Rest(app)
        asking = asyncio.create_task(rest(scope, receive, send))
        await asyncio.sleep(0.05)
        rest.stop()
        await asyncio.wait_for(asking, 1.0)  # sooner than it would end by itself
        return sent, len(read)

    return asyncio.run(run())


def piece(more):
    return {"type": "http.request", "body": b"x", "more_body": more}


def test_all_that_is_sent_is_read():
    assert asked([piece(True), piece(True), piece(False), piece(False)]) == ([REFUSED], 3)


def test_who_goes_away_ends_it():
    assert asked([piece(True), {"type": "http.disconnect"}, piece(True)]) == ([REFUSED], 2)


def test_who_sends_nothing_more_is_not_waited_for_once_the_service_stops():
    assert asked([piece(True)]) == ([REFUSED], 1)


def test_a_body_that_was_read_is_not_read_again():
    async def reads(scope, receive, send):
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    assert asked([piece(False), piece(False)], app=reads) == ([{**REFUSED, "status": 200}], 1)


def test_nothing_is_read_of_who_asked_first_whether_to_send():
    scope = {**SCOPE, "headers": [(b"expect", b"100-continue")]}
    assert asked([piece(False)], scope) == ([{**REFUSED, "headers": [(b"connection", b"close")]}], 0)


def test_a_connection_goes_on_where_who_asked_first_was_heard():
    async def reads(scope, receive, send):
        await receive()
        await send(REFUSED)

    scope = {**SCOPE, "headers": [(b"expect", b"100-continue")]}
    assert asked([piece(False)], scope, reads) == ([REFUSED], 1)
