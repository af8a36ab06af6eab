"""What tests of one page share."""

NOW = 1_000_000.0
A = "https://a.example/"


def answer(f, **said):
    batch = f.lease(1)
    assert len(batch) == 1
    return f.complete(batch.tokens, **said)


def first_offered(f, clock, step, most):
    """Seconds until a page is offered, in steps."""
    waited = 0.0
    while not len(f.lease(1)):
        clock.advance(step)
        waited += step
        assert waited <= most
    return waited
