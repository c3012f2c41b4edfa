"""Limits on processor time that hold on shared machines."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 6
"""How much slower than an idle machine a shared one may be: processor time grows with load too (shared caches, two
threads on a core). What these limits rule out is slower by far more."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fails where the block takes more than ``seconds`` of processor time (times :data:`PATIENCE`)."""
    start = time.process_time()
    yield
    taken = time.process_time() - start
    assert taken < PATIENCE * seconds, f"{taken:.1f} s of processor time, at most {PATIENCE * seconds:.0f}"
