"""Changes handed over at least once, in order, signed."""

import asyncio
import hmac
import json
import os
import random
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from recrawl.errors import InputError
from recrawl.outputs import hooks
from recrawl.outputs.changes import Change, Feed
from recrawl.outputs.hooks import Command, Deliverer, FailedError, Webhook
from recrawl.store import MemoryShelf


@pytest.fixture
def feed(tmp_path):
    with Feed(tmp_path / "changes.ndjson") as opened:
        opened.append([Change(f"https://a.example/{n}", float(n), "changed") for n in range(1, 6)])
        yield opened


def deliverer(feed, target, shelf=None, **options):
    pauses = []

    async def sleep(seconds):
        pauses.append(seconds)

    made = Deliverer(feed.path, shelf or MemoryShelf(), "mine", target, random=random.Random(1), sleep=sleep, **options)
    return made, pauses


class Fickle:
    """Fails the deliveries whose numbers are given, counted from 0."""

    def __init__(self, fails=()):
        self.fails, self.calls, self.got = set(fails), 0, []

    async def deliver(self, line, number):
        self.calls += 1
        if self.calls - 1 in self.fails:
            raise FailedError("not today")
        self.got.append((number, json.loads(line)["id"]))

    async def close(self):
        pass


def test_all_are_delivered_in_order_and_once(feed):
    target, shelf = Fickle(), MemoryShelf()
    made, pauses = deliverer(feed, target, shelf)
    assert asyncio.run(made.deliver()) == 5
    assert (target.got, pauses, made.position) == ([(n, n) for n in range(1, 6)], [], 5)
    again, _ = deliverer(feed, target, shelf)
    assert asyncio.run(again.deliver()) == 0
    feed.append([Change("https://a.example/", 0.0, "gone")])
    assert (asyncio.run(again.deliver()), target.got[-1]) == (1, (6, 6))


def test_a_failure_is_repeated_with_growing_pauses_and_the_order_kept(feed):
    said = []
    target = Fickle(fails=range(1, 13))
    made, pauses = deliverer(feed, target, most_pause=100.0, failed=lambda *what: said.append(what))
    asyncio.run(made.deliver())
    assert [number for number, _ in target.got] == [1, 2, 3, 4, 5]
    assert len(pauses) == 12
    for k, pause in enumerate(pauses):
        assert 0.5 * min(2.0**k, 100.0) <= pause <= min(2.0**k, 100.0)
    assert len(set(pauses)) == 12
    assert said[:2] == [(2, 1, "not today"), (2, 2, "not today")]


def test_what_is_given_up_is_put_on_the_shelf(feed):
    target, shelf = Fickle(fails=[1, 2, 3]), MemoryShelf()
    made, pauses = deliverer(feed, target, shelf, tries=3)
    asyncio.run(made.deliver())
    assert ([n for n, _ in target.got], len(pauses)) == ([1, 3, 4, 5], 2)
    ((key, line),) = shelf.items("undelivered")
    assert (key, json.loads(line)["url"]) == ("mine 000000000002", "https://a.example/2")


def test_a_stop_before_the_note_delivers_again(feed):
    class Full(MemoryShelf):
        def put(self, items):
            raise OSError("no room")

    target, shelf = Fickle(), MemoryShelf()
    made, _ = deliverer(feed, target, Full())
    with pytest.raises(OSError, match="no room"):
        asyncio.run(made.deliver())
    made, _ = deliverer(feed, target, shelf)
    asyncio.run(made.deliver())
    assert [n for n, _ in target.got] == [1, 1, 2, 3, 4, 5]


def test_a_new_hook_may_leave_out_the_past(feed):
    target = Fickle()
    made, _ = deliverer(feed, target)
    made.start_at(4)
    asyncio.run(made.deliver())
    assert target.got == [(5, 5)]


def test_it_runs_until_it_is_cancelled(feed):
    async def main():
        target = Fickle()
        made, _ = deliverer(feed, target)
        running = asyncio.create_task(made.run())
        while len(target.got) < 5:
            await asyncio.sleep(0)
        feed.append([Change("https://a.example/", 0.0, "gone")])
        made.wake()
        while len(target.got) < 6:
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(asyncio.wait_for(main(), 60))


# Commands


def run(command, timeout=60.0):
    asyncio.run(Command(command, timeout).deliver(b'{"id":1}', 1))


def test_a_command_gets_the_change_on_its_standard_input(tmp_path):
    run(f"cat > {tmp_path}/got; echo $RECRAWL_ID >> {tmp_path}/got")
    assert (tmp_path / "got").read_text() == '{"id":1}\n1\n'


def test_a_command_that_reads_nothing_is_fine():
    run("true")


def test_a_command_that_fails_says_why():
    with pytest.raises(FailedError, match="ended with status 3: no such index"):
        run("echo no such index >&2; exit 3")


def test_a_command_that_hangs_is_killed_with_all_it_started(tmp_path):
    with pytest.raises(FailedError, match=r"took more than 0\.5 s and was killed"):
        run(f"echo $$ > {tmp_path}/pid; sleep 1000 & sleep 1000", timeout=0.5)
    group = int((tmp_path / "pid").read_text())
    while True:  # the killed ones may be waiting for init to take note of them
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            break
        alive = [stat for stat in _stats() if int(stat[2]) == group and stat[0] != "Z"]
        if not alive:
            break


def _stats():
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    yield file.read().rpartition(") ")[2].split()
            except OSError:
                continue


def test_a_command_that_finds_no_room_for_a_process_fails_and_is_tried_again(monkeypatch):
    async def full(*_, **__):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(asyncio, "create_subprocess_shell", full)
    with pytest.raises(FailedError, match="could not be run: Resource temporarily unavailable"):
        asyncio.run(Command("true").deliver(b"{}", 1))


def test_a_cancelled_command_is_killed(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    async def main():
        task = asyncio.create_task(Command(f"exec sleep 1000 > {tmp_path}/pipe").deliver(b"{}", 1))
        reader = await asyncio.to_thread(open, tmp_path / "pipe", "rb")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with reader:
            assert await asyncio.to_thread(reader.read) == b""

    asyncio.run(asyncio.wait_for(main(), 60))


# Webhooks


@asynccontextmanager
async def receiver(*statuses, hang=None):
    """A server that answers with these statuses, then 200; what it was sent is in the list."""
    got, answers = [], list(statuses)

    async def handle(request):
        if hang is not None:
            await hang.wait()
        got.append((request.headers, await request.read()))
        status = answers.pop(0) if answers else 200
        return web.Response(status=status, headers={"Location": "/elsewhere"} if 300 <= status < 400 else {})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/hook", got
    finally:
        await runner.cleanup()


def test_a_webhook_is_signed_and_repeated_until_it_answers_well(feed):
    async def main():
        async with receiver(500, 302, 404, 429) as (url, got):
            hook = Webhook(url, "key", user_agent="recrawl/test")
            made, pauses = deliverer(feed, hook)
            assert await made.deliver() == 5
            await hook.close()
            return got, pauses

    got, pauses = asyncio.run(main())
    assert len(pauses) == 4
    assert [json.loads(body)["id"] for _, body in got] == [1, 1, 1, 1, 1, 2, 3, 4, 5]
    for headers, body in got:
        expected = "sha256=" + hmac.new(b"key", body, "sha256").hexdigest()
        assert headers["X-Recrawl-Signature"] == expected
        assert headers["Content-Type"] == "application/json"
        assert headers["X-Recrawl-Id"] == str(json.loads(body)["id"])
        assert headers["User-Agent"] == "recrawl/test"


def failure(url, **options):
    async def main():
        hook = Webhook(url, "key", **options)
        try:
            with pytest.raises(FailedError) as caught:
                await hook.deliver(b'{"id":1}', 1)
            return str(caught.value)
        finally:
            await hook.close()

    return asyncio.run(main())


def test_a_webhook_that_does_not_answer_fails():
    async def main():
        hang = asyncio.Event()
        async with receiver(hang=hang) as (url, _):
            hook = Webhook(url, "key", timeout=0.2)
            with pytest.raises(FailedError, match=r"no answer in 0\.2 s"):
                await hook.deliver(b"{}", 1)
            hang.set()
            await hook.close()

    asyncio.run(main())


def test_nobody_there_is_a_failure():
    assert "Connect" in failure("http://127.0.0.1:1/")


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "127.1", "0x7f.1", "2130706433"])
def test_addresses_are_refused_by_the_function_that_is_given(host):
    asked = []

    def allowed(address):
        asked.append(address)
        return False

    said = failure(f"http://{host}:9/", allowed=allowed)
    assert "may be spoken to" in said or "may not be spoken to" in said
    assert asked
    assert set(asked) <= {"127.0.0.1", "::1"}


def test_allowed_addresses_are_spoken_to():
    async def main():
        async with receiver() as (url, got):
            hook = Webhook(url.replace("127.0.0.1", "localhost"), "key", allowed=lambda address: address == "127.0.0.1")
            await hook.deliver(b"{}", 1)
            await hook.close()
            assert len(got) == 1

    asyncio.run(main())


def test_the_secret_is_made_once():
    shelf = MemoryShelf()
    first = hooks.kept_secret(shelf)
    assert (len(first), hooks.kept_secret(shelf)) == (64, first)


def test_what_a_text_stands_for():
    assert isinstance(hooks.target_of("https://a.example/hook", "key"), Webhook)
    assert isinstance(hooks.target_of("./index.sh --quick", "key"), Command)
    for make in (lambda: Command(" "), lambda: Webhook("https://a.example/", ""), lambda: Webhook("ftp://a/", "k")):
        with pytest.raises(InputError):
            make()
