"""The number of usable processors."""

from __future__ import annotations

import os


def processors() -> int:
    """The number of processors that this process may use; 1 if the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
