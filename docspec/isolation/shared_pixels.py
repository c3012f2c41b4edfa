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
    """``SIZE`` bytes at ``handle``, made by the parent; ``handle`` is open until :meth:`inherited`."""

    def __init__(self) -> None:
        self.handle: PixelsHandle
        if sys.platform == "win32":
            self.handle = f"docspec-{secrets.token_hex(16)}"
        elif hasattr(os, "memfd_create"):  # bounded by no /dev/shm, which containers keep small
            self.handle = os.memfd_create("docspec")
            os.ftruncate(self.handle, SIZE)
        else:
            with tempfile.TemporaryFile() as file:
                self.handle = os.dup(file.fileno())
            os.ftruncate(self.handle, SIZE)
        self.memory = map_pixels(self.handle)

    def inherited(self) -> None:
        """Closes ``handle`` once the child has inherited it."""
        if isinstance(self.handle, int):
            os.close(self.handle)


def map_pixels(handle: PixelsHandle) -> mmap.mmap:
    """Maps the memory at ``handle``."""
    if sys.platform == "win32":
        return mmap.mmap(-1, SIZE, tagname=str(handle))
    return mmap.mmap(int(handle), SIZE)
