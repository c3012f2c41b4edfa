"""How many processors there are to work with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


def processors() -> int:
    """Those of the machine that this process may use, 1 where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def one_processor() -> Iterator[None]:
    """Within it this thread counts one processor, and so do libraries that it loads: they start no threads of their
    own. Where the system cannot narrow a thread, nothing changes."""
    if not (hasattr(os, "sched_getaffinity") and hasattr(os, "sched_setaffinity")):
        yield
        return
    usual = os.sched_getaffinity(0)
    with suppress(OSError):
        os.sched_setaffinity(0, {min(usual)})
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, usual)
