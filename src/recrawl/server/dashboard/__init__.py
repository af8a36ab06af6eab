"""The dashboard's page: files that are served as they are, with no build step and nothing from elsewhere."""

from pathlib import Path

STATIC = Path(__file__).parent / "static"
"""The folder to serve under /static/."""
FILES = {path.relative_to(STATIC).as_posix(): path for path in STATIC.rglob("*") if path.is_file()}
"""What is in it, by name."""
INDEX = STATIC / "index.html"
"""The file to serve at /."""
CALLS = STATIC / "calls.html"
"""The file to serve at /docs: what can be asked."""

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""What the page needs and no more: no inline script or style, nothing from another origin, in nobody's frame."""

__all__ = ["CALLS", "CONTENT_SECURITY_POLICY", "FILES", "INDEX", "STATIC"]
