"""Policies by name, for a simulation: values, and the rules beside them.

================= ==================================================================================
`lds`             the optimal rates without signals, as an even sequence (Azar et al.)
`uniform`         every page in turn
`proportional`    crawl rates proportional to change rates
`signalled-first` pages with a signal in the order they got one, and in between every page in turn
`nutch`           Apache Nutch's adaptive intervals, a unit of time being a day
`stormcrawler`    StormCrawler's adaptive intervals, a unit of time being a day
================= ==================================================================================

A value with `:learn` behind its name is told nothing of the pages but their importance, and learns while it crawls.
"""

from collections.abc import Callable

from recrawl import policies
from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.optimal import optimum
from recrawl.policies import ValuePolicy
from recrawl.policies.lds import LowDiscrepancy
from recrawl.policies.nutch import Nutch
from recrawl.policies.proportional import proportional
from recrawl.policies.rule import Rule
from recrawl.policies.signalled_first import SignalledFirst
from recrawl.policies.stormcrawler import StormCrawler
from recrawl.policies.uniform import RoundRobin

MakeRule = Callable[[Pages, float], Rule]
"""Makes a rule, in its state at time 0, from what is believed of the pages and the crawl rate."""

Policy = str | ValuePolicy | MakeRule

LEARN = ":learn"
"""Behind the name of a policy: it learns."""


def lds(pages: Pages, rate: float) -> Rule:
    """The optimal rates without signals, as an even sequence."""
    return LowDiscrepancy(optimum(pages, rate, use_signals=False).rates)


RULES: dict[str, MakeRule] = {
    "lds": lds,
    "uniform": lambda pages, _: RoundRobin(len(pages)),
    "proportional": lambda pages, _: proportional(pages),
    "signalled-first": lambda pages, _: SignalledFirst(len(pages)),
    "nutch": lambda pages, _: Nutch(len(pages)),
    "stormcrawler": lambda pages, _: StormCrawler(len(pages)),
}


def names() -> list[str]:
    """The policies known by name; J stands for any number of terms."""
    return [*policies.names(), *RULES]


def find(policy: Policy) -> tuple[str, ValuePolicy | MakeRule]:
    """The name of a policy, and what runs it.

    >>> find("lds")[0], find("greedy")[1].name
    ('lds', 'greedy')
    """
    if isinstance(policy, str) and policy in RULES:
        return policy, RULES[policy]
    if callable(policy):
        return getattr(policy, "__name__", type(policy).__name__), policy
    if not isinstance(policy, str | ValuePolicy):
        raise InputError(
            f"policy must be a name, a value policy or a function that makes a rule from (pages, rate), "
            f"got {policy!r:.80}",
            "policy",
        )
    try:
        value = policies.get(policy)
    except InputError as error:
        raise InputError(f"policy must be one of {', '.join(names())}; got {policy!r}", "policy") from error
    return value.name, value


def find_learning(policy: Policy) -> tuple[str, ValuePolicy | MakeRule, bool]:
    """`find`, and whether the policy learns.

    >>> find_learning("greedy:learn")[0], find_learning("greedy")[2]
    ('greedy:learn', False)
    """
    if not isinstance(policy, str) or not policy.endswith(LEARN):
        return *find(policy), False
    name, chosen = find(policy.removesuffix(LEARN))
    check_can_learn(name, chosen)
    return name + LEARN, chosen, True


def check_can_learn(name: str, policy: ValuePolicy | MakeRule) -> ValuePolicy:
    """Refuse rules, which have their rates from the start or need none."""
    if not isinstance(policy, ValuePolicy):
        raise InputError(
            f"policy must weigh pages anew at each crawl to learn, as greedy-ncis does, got {name}; "
            "its rates are fixed at the start",
            argument="policy",
        )
    return policy
