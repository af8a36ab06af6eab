"""Brings what is good of a damaged folder into a new one."""

import os
from itertools import islice

from recrawl.errors import DataError
from recrawl.store import journal_file, snapshot_file
from recrawl.store.checking import Report, examined, good_groups
from recrawl.store.copies import new_folder
from recrawl.store.folder import Folder
from recrawl.store.place import quiet


def salvage(folder: str | os.PathLike[str], target: str | os.PathLike[str]) -> Report:
    """Copy the state that can be rebuilt: a good snapshot, and the groups after it up to the first damage.

    The folder stays as it is.  The report is that of the folder: `savable` is where the copy ends.
    """
    source = Folder(folder)
    with quiet(source):
        report = examined(source)
        _refuse_newer(report)
        if report.savable is None:
            what = "holds nothing that can be saved: no snapshot is good, and the first groups are gone"
            raise DataError(what, source.path)
        with new_folder(target) as copy:
            if report.snapshot is not None:
                with snapshot_file.reading(source.snapshot(report.snapshot)) as (_, parts):
                    snapshot_file.write(copy.snapshot(report.snapshot), report.snapshot, parts)
            begins = report.snapshot or 0
            groups = islice(good_groups(source, begins), report.savable - begins)
            rows = ((number, journal_file.checksum(number, data), data) for number, data in groups)
            journal_file.create(copy.journal(begins), rows)
    return report


def _refuse_newer(report: Report) -> None:
    """What a newer recrawl wrote is not damaged, and must not be cut."""
    files = [(s.damage, s.path) for s in report.snapshots] + [(j.damage, j.path) for j in report.journals]
    for damage, path in files:
        if damage.startswith("was written by newer"):
            raise DataError(damage, path)
