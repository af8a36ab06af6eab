"""WARC records of what was fetched, and on the shelf where the payload of each page is."""

import json
from dataclasses import asdict

from recrawl.fetch.fetched import Fetched
from recrawl.outputs.warc import Original, Writer
from recrawl.store import AnyShelf
from recrawl.store.shelf_protocol import Item

KIND = "warc"


class Archive:
    """Writes exchanges that were answered; `changes` collects what is to be kept on the shelf."""

    def __init__(self, writer: Writer, shelf: AnyShelf) -> None:
        self._writer, self._shelf = writer, shelf
        self._originals: dict[str, Original] = {}

    def add(self, fetched: Fetched, at: float) -> tuple[str, int]:
        """Write an exchange; the file and the offset."""
        url = fetched.final_url
        before = self._before(url)
        metadata = [("hop", f"{hop.status} {hop.url}") for hop in fetched.hops]
        written = self._writer.append(
            url,
            at,
            fetched.request_head,
            fetched.response_head,
            fetched.raw,
            decoded=fetched.body,
            ip=fetched.ip,
            before=before,
            metadata=metadata,
        )
        if written.original is not None and written.original != before:
            self._originals[url] = written.original
        return written.file, written.offset

    def changes(self) -> list[Item]:
        """What is to be kept on the shelf; the records are on the disk then."""
        self._writer.sync()
        items: list[Item] = [
            (KIND, url, json.dumps(asdict(original)).encode()) for url, original in self._originals.items()
        ]
        self._originals.clear()
        return items

    def _before(self, url: str) -> Original | None:
        if url in self._originals:
            return self._originals[url]
        data = self._shelf.get(KIND, url)
        return None if data is None else Original(**json.loads(data))
