"""Keeps memory that pages have freed for the next ones, and returns it to the system before it becomes much.

Pages are large arrays of ever new sizes (pixels, ONNX Runtime's tensors). The C library takes each large one from the
system and gives it back at once, which takes a third of the layout model's time; small ones it keeps in pieces, 3 MB a
page.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

KEPT = 256 * 2**20
"""Bytes that a process may gather before it returns memory."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of mallopt's
_NEVER = 2**30
_least = 0


def keep_free_memory() -> None:
    """Has this process reuse freed memory of any size (glibc)."""
    library = _library()
    if library is not None:
        library.mallopt(_MMAP_THRESHOLD, _NEVER)
        library.mallopt(_TRIM_THRESHOLD, _NEVER)


def return_free_memory() -> None:
    """Returns unused heap to the system, where the C library can (glibc), once more than :data:`KEPT` has gathered;
    takes a few milliseconds then."""
    global _least
    library = _library()
    if library is not None and resident() > _least + KEPT:
        library.malloc_trim(0)
        _least = resident()


def resident(process: int | str = "self") -> int:
    """Bytes of memory that a process has at present; 0 where the system does not say."""
    if os.name != "posix":
        return 0
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


@cache
def _library() -> Any:
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None
