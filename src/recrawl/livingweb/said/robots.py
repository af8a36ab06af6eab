"""robots.txt of a host."""

from recrawl.livingweb.world import Host

_HUGE = 600 * 1024


def robots_txt(host: Host, base: str) -> bytes:
    """The rules of its plan; of "huge" ones, comments follow that no crawler has to read."""
    plan = host.plan
    lines = ["User-agent: *"]
    lines += [f"Disallow: {prefix}" for prefix in plan.disallow] or ["Disallow:"]
    if plan.crawl_delay is not None:
        lines.append(f"Crawl-delay: {plan.crawl_delay:g}")
    if plan.sitemap is not None:
        lines += ["", f"Sitemap: {base}/sitemap.xml"]
    text = "\n".join(lines) + "\n"
    if plan.robots == "huge":
        text += "# nothing\n" * (_HUGE // 10)
    return text.encode()
