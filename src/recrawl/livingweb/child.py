"""The process of a living web: `python -m recrawl.livingweb.child FD`, where FD is a socket to the one who started it.

The settings come over the socket; what they became goes back.  When the socket ends or the parent is another, the one
who started it is gone, and this process ends, too.
"""

import asyncio
import os
import resource
import signal
import sys
from contextlib import nullcontext
from multiprocessing.connection import Connection

from recrawl.errors import RecrawlError
from recrawl.livingweb.server import Settings, Web


def main(descriptor: int) -> int:
    """Serve until told to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started this, who then stops it
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a thousand ports and as many crawlers
    parent = os.getppid()
    pipe = Connection(descriptor)
    settings: Settings = pipe.recv()
    with nullcontext() if settings.log is None else open(settings.log, "a", encoding="utf-8") as file:
        try:
            web = Web(settings, file)
        except RecrawlError as error:
            pipe.send(error)
            return 2
        asyncio.run(_serve(web, pipe, parent))
    return 0


async def _serve(web: Web, pipe: "Connection", parent: int) -> None:
    try:
        await web.listen()
    except OSError as error:
        pipe.send(error)
        return
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, web.stop)
    loop.add_reader(pipe.fileno(), web.stop)  # nothing is ever sent: what can be read is the end
    pipe.send({"port": web.port, "control": web.control_port, "ports": web.ports, **web.clock_parameters()})
    watch = asyncio.ensure_future(_watch(web, parent))
    await web.stopped.wait()
    watch.cancel()
    loop.remove_reader(pipe.fileno())
    await web.close()


async def _watch(web: Web, parent: int) -> None:
    """A parent that forked holds the socket open even after its death; but then we have another parent."""
    while os.getppid() == parent:
        await asyncio.sleep(1.0)
    web.stop()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
