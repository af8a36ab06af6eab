"""A plain HTTP client for tests, and the score computed anew, slowly, from the log."""

import http.client
import json
from contextlib import closing
from itertools import pairwise

import numpy as np


class Crawler:
    """Speaks to one port over one connection."""

    def __init__(self, port, agent="mybot", host="127.0.0.1"):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self.agent, self.host = agent, host

    def get(self, path, method="GET", host=None, body=None, **headers):
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"User-Agent": f"{self.agent}/1.0", "Host": host or self.host, **given}
        self.connection.request(method, path, headers=given, body=body)
        answer = self.connection.getresponse()
        try:
            answer.body = answer.read()
        except http.client.IncompleteRead as cut:
            answer.body = cut.partial
            self.connection.close()
        return answer

    def close(self):
        self.connection.close()


def once(port, path, agent="mybot", host="127.0.0.1", **headers):
    """One request over a connection of its own."""
    with closing(Crawler(port, agent, host)) as crawler:
        return crawler.get(path, **headers)


def lines_of(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def slow_freshness(world, lines, agent, now, bins=None, counted_from=0.0):
    """Freshness of each part of the time, from all moments at which anything happened, page by page."""
    edges = np.linspace(0.0, world.end, bins + 1) if bins else np.array([counted_from, now])
    fresh, there = np.zeros(len(edges) - 1), np.zeros(len(edges) - 1)
    fetches = {}
    for line in lines:
        if line["agent"] == agent and line["version"] >= 0:
            fetches.setdefault(line["page"], []).append((line["ended"], line["version"]))
    for page in range(len(world)):
        if not world.weights[page]:
            continue
        mine = sorted(fetches.get(page, []), key=lambda fetch: fetch[0])
        first, last = world.first_change[page], world.first_change[page + 1]
        moments = {*edges, now, world.created[page], world.removed[page], *world.changes[first:last]}
        moments |= {time for time, _ in mine} | {edge for span in world.away.get(page, ()) for edge in span}
        moments = sorted(moment for moment in moments if 0.0 <= moment <= min(now, world.end))
        for begin, end in pairwise(moments):
            middle = 0.5 * (begin + end)
            part = int(np.searchsorted(edges, middle)) - 1
            version = world.version(page, middle)
            if version < 0 or not 0 <= part < len(there):
                continue
            had = [number for time, number in mine if time <= begin]
            there[part] += world.weights[page] * (end - begin)
            fresh[part] += world.weights[page] * (end - begin) * bool(had and had[-1] == version)
    with np.errstate(invalid="ignore"):
        return fresh / there
