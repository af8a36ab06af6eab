"""Estimates of memory beside what runs really take."""

import sys

import pytest

from recrawl.bench.mix import paper_mix
from recrawl.sim.cost import Size
from tests.processes import finished

PROGRAM = """
import sys
from recrawl.bench.mix import paper_mix
from recrawl.sim import compare

def memory(line):
    with open("/proc/self/status") as file:
        return next(1024 * int(words[1]) for words in map(str.split, file) if words[0] == line)

policy, pages, rate, horizon = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
compare(paper_mix(50), [policy], 5.0, 5.0, repetitions=1)  # compiled and loaded
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak begins anew
before, drawn = memory("VmRSS:"), paper_mix(pages)
compare(drawn, [policy], rate, horizon, repetitions=1)
print(memory("VmHWM:") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize(
    ("policy", "pages", "rate", "horizon"),
    [("greedy-ncis", 50_000, 2_000.0, 20.0), ("uniform", 300_000, 1_000.0, 1.0), ("lds", 5_000, 100_000.0, 10.0)],
    ids=["events", "pages", "crawls"],
)
def test_memory_is_estimated_within_a_factor(policy, pages, rate, horizon):
    # Too little would end in a crash, too much refuses what fits: between 0.7 and 2 times the peak.
    got = Size.expected(paper_mix(pages), rate, horizon).bytes([policy])
    done = finished([sys.executable, "-c", PROGRAM, policy, str(pages), str(rate), str(horizon)])
    assert 0.7 * float(done.stdout) < got < 2.0 * float(done.stdout)
