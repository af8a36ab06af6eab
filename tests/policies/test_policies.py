"""What each policy believes and values."""

import math

import numpy as np
import pytest

import recrawl
from recrawl import policies

PAGES = recrawl.Pages.from_rates(
    change_rate=[1.0, 0.5, 2.0], importance=[1.0, 2.0, 3.0], recall=[0.2, 0.9, 1.0], false_signal_rate=[0.5, 0.05, 0.1]
)


def test_greedy_hears_nothing():
    got = policies.get("greedy").value(PAGES, 1.5, 7)
    x = PAGES.change_rate * 1.5
    expected = PAGES.importance / PAGES.change_rate * (1.0 - np.exp(-x) * (1.0 + x))
    np.testing.assert_allclose(got, expected, rtol=1e-14)


def test_cis_believes_every_signal():
    got = policies.get("greedy-cis").value(PAGES, 1.5, 1)
    np.testing.assert_allclose(got, PAGES.importance / PAGES.change_rate, rtol=1e-14)


def test_cis_without_a_signal_is_the_paper_formula():
    got = policies.get("greedy-cis").value(PAGES[:2], 1.5, 0)
    alpha = PAGES.unsignalled_rate[:2]
    gamma = PAGES.recall[:2] * PAGES.change_rate[:2]
    tau = 1.5
    expected = PAGES.importance[:2] * (
        -np.expm1(-(alpha + gamma) * tau) / (alpha + gamma) + np.expm1(-gamma * tau) / (gamma * np.exp(alpha * tau))
    )
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_ncis_is_the_exact_value():
    got = policies.get("greedy-ncis").value(PAGES, 1.5, 1)
    expected = recrawl.crawl_value(PAGES, recrawl.staleness(PAGES, 1.5, 1))
    assert got.tolist() == expected.tolist()


@pytest.mark.parametrize("terms", [1, 2, 7, 12_345_678])
def test_approximations_take_the_first_terms(terms):
    policy = policies.get(f"ncis-approx-{terms}")
    x = recrawl.staleness(PAGES, 1.5, 9)
    assert policy.terms == terms
    assert policy.value(PAGES, 1.5, 9).tolist() == recrawl.crawl_value(PAGES, x, terms=terms).tolist()
    assert np.all(policy.value(PAGES, 1.5, 9) <= recrawl.crawl_value(PAGES, x))


def test_cis_plus_trusts_only_good_signals():
    trusted = (PAGES.precision > 0.7) & (PAGES.recall > 0.6)
    assert trusted.tolist() == [False, True, True]
    got = policies.get("greedy-cis+").value(PAGES, 1.5, 1)
    cis, greedy = (policies.get(name).value(PAGES, 1.5, 1) for name in ("greedy-cis", "greedy"))
    assert got.tolist() == np.where(trusted, cis, greedy).tolist()


def test_cis_plus_is_adjustable_by_name_and_by_call():
    by_name = policies.get("greedy-cis+(0.1,0.1)").value(PAGES, 1.5, 1)
    by_call = policies.greedy_cis_plus(precision=0.1, recall=0.1).value(PAGES, 1.5, 1)
    assert by_name.tolist() == by_call.tolist() == policies.get("greedy-cis").value(PAGES, 1.5, 1).tolist()


def test_every_known_name_is_found():
    for name in policies.names():
        assert policies.get(name.replace("-J", "-3")).name == name.replace("-J", "-3")


def test_a_policy_is_handed_back():
    policy = policies.get("greedy")
    assert policies.get(policy) is policy


@pytest.mark.parametrize("name", ["gredy", "ncis-approx-", "ncis-approx-x", "", "greedy-cis+(1.2.3,0.4)"])
def test_unknown_names_list_the_known(name):
    with pytest.raises(recrawl.InputError, match="greedy, greedy-cis, greedy-cis\\+, greedy-ncis, ncis-approx-J; got"):
        policies.get(name)


@pytest.mark.parametrize(
    "build",
    [
        lambda: policies.get("ncis-approx-0"),
        lambda: policies.ncis_approx(1.5),
        lambda: policies.get(3),
        lambda: policies.greedy_cis_plus(precision=math.nan),
    ],
)
def test_bad_settings_are_refused(build):
    with pytest.raises(recrawl.InputError):
        build()
