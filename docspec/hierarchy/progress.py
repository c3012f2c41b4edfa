"""What an observer is told while rows are decoded, not more often than it can show."""

from __future__ import annotations

import time
from collections.abc import Sequence

from docspec.core.observer import Observer
from docspec.engine.loop import OnStep
from docspec.engine.row import Row

LEAST_SECONDS = 0.1
"""Least time between two calls to the observer."""


def progress_of(observer: Observer, number: int, stage: str) -> OnStep:
    """Tells ``observer`` how far the rows are that are decoded for page ``number`` (of several, the first)."""
    last = 0.0

    def on_step(rows: Sequence[Row]) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last < LEAST_SECONDS:
            return
        last = now
        steps = sum(row.counts.steps for row in rows)
        accepted = sum(row.counts.accepted for row in rows)
        tokens = sum(len(row.output) for row in rows)
        observer.decoding(number, stage, tokens, (accepted + steps) / max(1, steps))

    return on_step
