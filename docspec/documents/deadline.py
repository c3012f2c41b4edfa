"""A limit of time on MuPDF's drawing of one page.

MuPDF looks at a cookie between two drawing operations and stops if its first field is set. The interpreter is locked
meanwhile, so no Python code can set it, but a thread that waits in the kernel for a timer can: it reads the timer's
count, a 1, into the cookie. Linux has such timers; elsewhere there is no limit.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from docspec.documents.mupdf import mupdf

CLOCK_MONOTONIC = 1
WORD = 8  # bytes of a timer's count: the cookie's fields ``abort`` and ``progress``


class _Time(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Timer(ctypes.Structure):
    _fields_ = (("interval", _Time), ("value", _Time))


@contextmanager
def limited(seconds: float) -> Iterator[Any]:
    """An ``FzCookie`` for MuPDF's drawing inside the block; ``cookie.abort()`` says afterwards whether it was cut."""
    cookie = mupdf().mupdf.FzCookie()
    library = _library()
    timer = library.timerfd_create(CLOCK_MONOTONIC, 0) if library is not None else -1
    if library is None or timer < 0:
        yield cookie
        return
    place = ctypes.c_void_p(int(cookie.m_internal.this))
    _set(library, timer, seconds)
    waiter = threading.Thread(target=library.read, args=(timer, place, WORD), daemon=True)
    waiter.start()
    try:
        yield cookie
    finally:
        aborted = bool(cookie.abort())
        _set(library, timer, 1e-9)  # wakes the thread, which must be gone before the cookie is
        waiter.join()
        library.close(timer)
        if not aborted:
            ctypes.memset(place, 0, WORD // 2)


def _set(library: Any, timer: int, seconds: float) -> None:
    whole = int(seconds)
    value = _Time(whole, max(1, int((seconds - whole) * 1e9)))
    library.timerfd_settime(timer, 0, ctypes.byref(_Timer(_Time(0, 0), value)), None)


@cache
def _library() -> Any:
    if not sys.platform.startswith("linux") or sys.byteorder != "little":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "timerfd_create") else None
