"""How many processors there are to work with."""

from __future__ import annotations

import os


def processors() -> int:
    """Those of the machine that this process may use, 1 where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
