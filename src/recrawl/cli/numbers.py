"""Numbers as people read them."""


def rate_text(rate: float) -> str:
    """A rate for people: four digits, or all before the point.

    >>> rate_text(0.0012345678), rate_text(12.5), rate_text(100000.4)
    ('0.001235', '12.5', '100,000')
    """
    return f"{rate:,.0f}" if 1e3 <= rate < 1e15 else f"{rate:.4g}"


def percent_text(share: float) -> str:
    """A share as a percentage, without zeros that say nothing.

    >>> percent_text(0.9), percent_text(0.975), percent_text(0.30000000000000004)
    ('90%', '97.5%', '30%')
    """
    return f"{100.0 * share:.6g}%"
