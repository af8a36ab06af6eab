"""How long the disk alone takes: what no durable answer can be quicker than."""

import os
import threading

from recrawl.clock import seconds

A_WRITE = 20_000
"""Bytes, as a group of the journal has them under load."""
PAUSE_S = 0.002


def synced_writes(folder: str, lasting: float) -> list[float]:
    """Seconds that each of many small writes took until it was on the disk, one after the other."""
    path = os.path.join(folder, "disk-alone")
    took = []
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        until = seconds() + lasting
        while (begun := seconds()) < until:
            os.write(descriptor, bytes(A_WRITE))
            os.fdatasync(descriptor)
            took.append(seconds() - begun)
            threading.Event().wait(PAUSE_S)
    finally:
        os.close(descriptor)
        os.unlink(path)
    return took
