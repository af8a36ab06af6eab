from recrawl.bench import sim
from recrawl.bench.mix import paper_mix
from recrawl.sim import World, simulate


def test_the_plain_loop_and_the_simulator_crawl_the_same():
    pages = paper_mix(50)
    world = World.draw(pages, 10.0, seed=1)
    got = simulate(pages, rate=sim.RATE, world=world)
    assert got.crawl_pages.tolist() == sim.plain(pages, world, 1000)
