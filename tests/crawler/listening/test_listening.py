"""IndexNow pings and WebSub deliveries over real sockets."""

import asyncio
import re
from urllib.parse import parse_qs

import aiohttp
from aiohttp import web

from recrawl.crawler import Crawler, Settings

KEY = "abcdef123456"


async def site(routes):
    app = web.Application()
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner, f"http://127.0.0.1:{runner.addresses[0][1]}"


def says(text, content_type="text/plain"):
    async def answer(request):
        return web.Response(text=text.replace("BASE", f"http://{request.host}"), content_type=content_type)

    return answer


async def until(condition):
    async with asyncio.timeout(30.0):
        while not condition():
            await asyncio.sleep(0.02)


def started(base, **more):
    usual = {"sites": (f"{base}/",), "rate": None, "gap": 0.0, "allow_private": True, "listen": "127.0.0.1:0"}
    crawler = Crawler(Settings(**{**usual, **more}))
    return crawler, asyncio.ensure_future(crawler.run())


def test_a_ping_with_a_right_key_is_a_signal_and_one_with_a_wrong_key_is_none():
    async def scene():
        runner, base = await site([web.get("/", says("home")), web.get(f"/{KEY}.txt", says(KEY))])
        crawler, running = started(base)
        await until(lambda: crawler.listens)
        async with aiohttp.ClientSession() as session:

            async def ping(url, key):
                place = f"http://{crawler.listens}/IndexNow"
                async with session.get(place, params={"url": url, "key": key}) as answer:
                    return answer.status

            got = [await ping(f"{base}/", KEY)]
            await until(lambda: crawler.counts.get("indexnow", "keys right") == 1)
            got += [await ping(f"{base}/new", KEY), await ping("http://127.0.0.1:1/", KEY)]
            got += [await ping(f"{base}/", "wrongwrong")]
            await until(lambda: crawler.counts.get("indexnow", "keys wrong") == 1)
            await until(lambda: sum(crawler.counts.group("signals of indexnow").values()) >= 2)
        crawler.stop()
        status = await running
        await runner.cleanup()
        return got, status

    got, status = asyncio.run(scene())
    assert got == [202, 200, 422, 202]
    assert status.counts["pages"]["found"] == 1


def test_a_feed_with_a_hub_is_subscribed_to_and_deliveries_are_signals():
    async def scene():
        asked = asyncio.get_running_loop().create_future()

        async def hub(request):
            form = parse_qs((await request.read()).decode())
            asked.set_result({name: values[0] for name, values in form.items()})
            return web.Response(status=202)

        feed = '<feed><link rel="hub" href="{0}/hub"/><link rel="self" href="{0}/feed"/>{1}</feed>'
        about = says(feed.format("BASE", ""), "application/atom+xml")
        runner, base = await site([web.post("/hub", hub), web.get("/feed", about)])
        crawler, running = started(base, feeds=(f"{base}/feed",), public_url="http://127.0.0.1:1")
        async with asyncio.timeout(30.0):
            form = await asked
        name = re.sub(r".*/", "", form["hub.callback"])
        callback = f"http://{crawler.listens}/websub/{name}"
        entry = f'<entry><id>1</id><link href="{base}/news"/></entry>'
        async with aiohttp.ClientSession() as session:
            question = {"hub.mode": "subscribe", "hub.topic": form["hub.topic"], "hub.challenge": "c1"}
            async with session.get(callback, params=question) as answer:
                got = [answer.status, await answer.text()]
            async with session.post(callback, data=feed.format(base, entry).encode()) as answer:
                got.append(answer.status)
        await until(lambda: crawler.counts.group("signals of websub"))
        crawler.stop()
        status = await running
        await runner.cleanup()
        return got, status

    got, status = asyncio.run(scene())
    assert got == [200, "c1", 200]
    assert status.counts["websub"] == {"asked": 1, "deliveries": 1, "subscribed": 1}
