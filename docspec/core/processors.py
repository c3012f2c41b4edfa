"""The number of usable processors."""

from __future__ import annotations

import os
from functools import cache

from docspec.core.container import quota


def visible() -> int:
    """The number of processors that this process may run on; 1 if the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processors() -> int:
    """The number of processors that this process may keep busy: those it may run on, at most its container's quota,
    rounded up."""
    allowed = _quota()
    return visible() if allowed is None else max(1, min(visible(), -int(-allowed // 1)))


@cache
def _quota() -> float | None:
    return quota()
