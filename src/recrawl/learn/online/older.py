"""Columns of learners that older versions saved, as this one would have them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl.learn.online.alike import APART
from recrawl.learn.online.layout import (
    AFTER_HEARD,
    BROKEN,
    CHOSEN,
    FLOOR,
    FORESEEN,
    HITS,
    HOST_COUNT,
    LEANING,
    MOST_LOOKS,
    OUTCOMES,
    PACE,
    PAGES,
    PAST_PAGES,
    PHIS,
    REFRESH_AT,
    SAMPLED,
    TIME,
    TYPES,
    USUAL_LEANING,
    WATCHED,
    set_types,
)
from recrawl.learn.online.refreshing import IDLE, PHASE, SLICE, idle_job

Columns = Mapping[str, NDArray[Any]]

JOB = "job_"
_NEEDED = {
    "host",
    "likelihood",
    "numbers",
    "sample",
    "sums",
    "types",
    "weights",
    "sizes",
    JOB + "numbers",
    JOB + "state",
}


def brought_up(given: Columns) -> Columns:
    """The columns with what is missing in them; those that are not of a learner as they are, to be refused by name."""
    if not set(given) >= _NEEDED:
        return given
    counted = _with_leaning(_with_foresight(_with_aftershocks(_with_hits(_with_bulks(_with_breaks(given))))))
    return _on_these_types(_with_looks(counted))


def _with_breaks(given: Columns) -> Columns:
    """Signals were not watched for breaks: none have been seen."""
    if "watch" in given:
        return given
    watch = np.zeros((1 + int(given["numbers"][HOST_COUNT]), PAST_PAGES))
    watched = given["host"][given["sums"][:, TIME] > 0.0]
    watch[:, PAGES] = np.bincount(watched + 1, minlength=len(watch))
    more = np.zeros(AFTER_HEARD - BROKEN)
    longer_numbers = {name: np.append(given[name][:BROKEN], more) for name in ("numbers", JOB + "numbers")}
    regime = np.zeros(len(given["host"]), dtype=np.float32)
    return {**given, **longer_numbers, "watch": watch, "before": given["weights"], "regime": regime}


def _with_bulks(given: Columns) -> Columns:
    """Signals of most pages at once were not watched: none have been seen.  The past began with the present pages."""
    watch, before = given["watch"], PAST_PAGES
    if watch.ndim != 2 or watch.shape[1] != before:
        return given
    more = np.zeros((len(watch), WATCHED - before))
    more[:, 0] = watch[:, PAGES]
    return {**given, "watch": np.concatenate((watch, more), axis=1)}


def _with_hits(given: Columns) -> Columns:
    """It was not counted how often signals were right."""
    return {"hits": np.zeros((len(given["watch"]), HITS), dtype=np.uint16), **given}


def _with_aftershocks(given: Columns) -> Columns:
    """Signals soon after crawls were not counted: there were none, and none were expected."""
    more = np.zeros(FORESEEN - AFTER_HEARD)
    both = ("numbers", JOB + "numbers")
    longer = {name: np.append(given[name], more) for name in both if given[name].shape == (AFTER_HEARD,)}
    return {**given, **longer}


def _with_foresight(given: Columns) -> Columns:
    """Pages were told apart from their first outcomes on, and are so still."""
    both = ("numbers", JOB + "numbers")
    longer = {name: np.append(given[name], APART) for name in both if given[name].shape == (FORESEEN,)}
    return {**given, **longer}


def _with_leaning(given: Columns) -> Columns:
    """Signal rates leaned on those of all pages by as much as they do at first.  A refresh under way begins again."""
    if given["numbers"].shape != (LEANING,) or given[JOB + "numbers"].shape != (LEANING,):
        return given
    numbers, sample, old = np.append(given["numbers"], (USUAL_LEANING, 0.0, 0.0)), given["sample"], given[JOB + "state"]
    if old[PHASE] != IDLE:
        numbers[REFRESH_AT] = numbers[OUTCOMES]
        numbers[[CHOSEN, SAMPLED]], sample = 0.0, sample[:0]
    job = idle_job(float(old[SLICE]))
    return {**given, "numbers": numbers, "sample": sample, **{JOB + k: array for k, array in job._asdict().items()}}


def _with_looks(given: Columns) -> Columns:
    """Outcomes of a page were not counted: it is taken to have been crawled as often as an average one."""
    if "looks" in given:
        return given
    looks = np.minimum(given["sums"][:, TIME] * given["numbers"][PACE], float(MOST_LOOKS))
    return {**given, "looks": np.ceil(looks).astype(np.uint8)}


def _on_these_types(given: Columns) -> Columns:
    """Types had other alphas or phis: likelihoods and weights are read off between them, and pools learned anew."""
    types = np.empty((3, TYPES))
    set_types(types, float(given["numbers"][PACE]))
    if given["types"].shape != types.shape or np.allclose(given["types"], types, rtol=1e-6, atol=0.0):
        return given
    to_new = _matrix(given["types"], types)
    likelihood = given["likelihood"].astype(np.float64) @ to_new
    likelihood -= likelihood.max(axis=1, keepdims=True, initial=-np.inf)
    numbers = given["numbers"].copy()
    numbers[REFRESH_AT] = numbers[OUTCOMES]
    numbers[[CHOSEN, SAMPLED]] = 0.0  # a sample that was half chosen is chosen anew
    job = idle_job(float(given[JOB + "state"][SLICE]))
    return {
        **given,
        "likelihood": np.maximum(np.rint(likelihood), FLOOR).astype(np.int16),
        "types": types,
        "weights": _shares(given["weights"] @ to_new),
        "before": _shares(given["before"] @ to_new),
        "sizes": np.zeros_like(given["sizes"]),
        "numbers": numbers,
        "sample": given["sample"][:0],
        **{JOB + name: array for name, array in job._asdict().items()},
    }


def _matrix(old: NDArray[np.float64], new: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a function of the old types is at the new ones: straight lines in log alpha and in phi between them."""
    alphas = _lines(np.log(old[0, ::PHIS]), np.log(new[0, ::PHIS]))
    phis = _lines(old[1, :PHIS], new[1, :PHIS])
    return np.asarray(np.einsum("ax,by->abxy", alphas, phis).reshape(TYPES, TYPES))


def _lines(old: NDArray[np.float64], new: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights with which values at `old` give those at `new`, on the lines through the two beside each."""
    at = np.clip(np.searchsorted(old, new, side="right") - 1, 0, len(old) - 2)
    part = (new - old[at]) / (old[at + 1] - old[at])
    weights = np.zeros((len(old), len(new)))
    each = np.arange(len(new))
    weights[at, each] += 1.0 - part
    weights[at + 1, each] += part
    return weights


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    kept = np.maximum(weights, 1e-6)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))
