"""The outcomes of crawls, several at a time: what is done before the learner takes them in, and after."""

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit, wide
from recrawl.learn.neighbours.judging import judge
from recrawl.learn.neighbours.layout import STEPS, Memory
from recrawl.learn.neighbours.news import begin, class_of, counted, folder_time, tell, usual_news
from recrawl.learn.online.layout import OUTCOMES, PAGE_COUNT, PAGES
from recrawl.learn.online.layout import Memory as Learned

Ids = NDArray[np.int64]
Values = NDArray[np.float64]
Flags = NDArray[np.bool_]

EARLIEST = 0.3
"""Rounds after which shares are judged: before, nobody knows what is usual."""


@jit
def before_learning(
    memory: Memory,
    learned: Learned,
    ids: Ids,
    elapsed: Values,
    signals: Values,
    changed: Flags,
    alphas: Values,
    kappas: Values,
    out: Values,
) -> None:
    """Judge shares by these outcomes, and write elapsed times as the engine counted them.

    `alphas`, `kappas`: of all pages, as the engine has them.
    """
    known = learned.numbers[OUTCOMES] > EARLIEST * learned.numbers[PAGE_COUNT]
    for k in range(len(ids)):
        i = ids[k]
        out[k] = elapsed[k]
        c = class_of(memory, i)
        if c == 0:
            continue
        out[k] = counted(memory, i, elapsed[k])
        if known and usual_news(memory, wide(memory.folder[i])) > 0.0:
            drift = alphas[i] / (1.0 - np.float64(memory.share[i]) / STEPS)
            jumps = kappas[i] * signals[k] if signals[k] > 0.0 else 0.0
            by_folder = folder_time(memory, i, elapsed[k])
            row = wide(learned.host[i]) + 1
            pages = learned.watch[row, PAGES]
            judge(memory, row, c, drift, jumps, elapsed[k], by_folder, changed[k], pages)


@jit
def after_learning(memory: Memory, ids: Ids, elapsed: Values, changed: Flags) -> None:
    """Intervals of pages begin anew, `elapsed` after the crawls before; whether these ones found changes."""
    for k in range(len(ids)):
        begin(memory, ids[k], elapsed[k], changed[k])


@jit
def forget_news(memory: Memory, ids: Ids) -> None:
    """Pages have copies of now, and nothing was compared."""
    for i in ids:
        memory.news[i] = 0
        memory.found[i] = 0


@jit
def tell_all(
    memory: Memory,
    learned: Learned,
    ids: Ids,
    at: Values,
    elapsed: Values,
    changed: Flags,
    alphas: Values,
    out: Ids,
    jumps: Values,
) -> int:
    """Changes that were found are news for neighbours: which pages become staler, by how much, and how many."""
    told = 0
    for k in range(len(ids)):
        if changed[k]:
            told += tell(memory, learned, ids[k], at[k], elapsed[k], alphas, out[told:], jumps[told:])
    return told


@jit
def mates(memory: Memory, ids: Ids, out: Ids) -> int:
    """The neighbours of these pages, one behind the other; how many they are."""
    n = 0
    for i in ids:
        folder, j = wide(memory.folder[i]), i
        for _ in range(memory.size[folder] - 1 if folder >= 0 else 0):
            j = wide(memory.after[j])
            out[n] = j
            n += 1
    return n
