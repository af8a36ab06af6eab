"""What counts as a change of a page, and what two versions differ in."""

from recrawl.compare.extract import Extracted, digest, extract, extracted
from recrawl.compare.likeness import alike, diff, difference
from recrawl.compare.rules import Rule, Rules
from recrawl.compare.versions import Version

__all__ = ["Extracted", "Rule", "Rules", "Version", "alike", "diff", "difference", "digest", "extract", "extracted"]
