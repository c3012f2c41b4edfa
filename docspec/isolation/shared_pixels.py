"""Shared memory for pixels, without a name, so that it is freed with the last process that has it."""

from __future__ import annotations

import mmap
import os
import secrets
import sys
import tempfile

SIZE = 16 * 2**20
"""Bytes: a page of A4 at 200 dpi in RGB has 11.6 million. Larger pages go through it in parts."""

PixelsHandle = int | str
"""How a child finds the memory: an inherited file descriptor, on Windows a name that only open handles keep alive."""


class SharedPixels:
    """``SIZE`` bytes at ``place``, made by the parent; ``place`` is open until :meth:`inherited`."""

    def __init__(self) -> None:
        self.place: PixelsHandle
        if sys.platform == "win32":
            self.place = f"docspec-{secrets.token_hex(16)}"
        elif hasattr(os, "memfd_create"):  # bounded by no /dev/shm, which containers keep small
            self.place = os.memfd_create("docspec")
            os.ftruncate(self.place, SIZE)
        else:
            with tempfile.TemporaryFile() as file:
                self.place = os.dup(file.fileno())
            os.ftruncate(self.place, SIZE)
        self.memory = seen_at(self.place)

    def inherited(self) -> None:
        """Closes ``place`` once the child has inherited it."""
        if isinstance(self.place, int):
            os.close(self.place)


def seen_at(place: PixelsHandle) -> mmap.mmap:
    """Maps the memory at ``place``."""
    if sys.platform == "win32":
        return mmap.mmap(-1, SIZE, tagname=str(place))
    return mmap.mmap(int(place), SIZE)
