"""WARC files: every exchange with a site as it was, in the archive format that standard tools read."""

from recrawl.outputs.warc.writer import Original, Writer, Written

__all__ = ["Original", "Writer", "Written"]
