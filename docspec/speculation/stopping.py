"""Repetition loops: seen while they happen, token by token, so that every way of decoding stops at the same place.

A document model that has lost its place writes the same few tokens for ever. The guard follows, for every cycle
length up to a bound, how long the output has been repeating itself at that distance, and stops when that is
longer than print ever is, unless the draft holds such a run itself (dot leaders, empty table cells).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np


class StopRule(Protocol):
    """Watches one row's output."""

    def observe(self, token: int) -> int | None:
        """``None`` to go on; otherwise the number of output tokens to keep."""
        ...


class NeverStop:
    """Lets everything pass."""

    def observe(self, token: int) -> int | None:
        return None


def longest_runs(tokens: Sequence[int], max_cycle: int) -> np.ndarray:
    """For each cycle length ``p`` (index ``p - 1``), the longest stretch where ``tokens[i] == tokens[i - p]``."""
    values = np.asarray(tokens, dtype=np.int64)
    runs = np.zeros(max_cycle, dtype=np.int64)
    for cycle in range(1, min(max_cycle, len(values) - 1) + 1):
        same = np.concatenate(([False], values[cycle:] == values[:-cycle], [False]))
        edges = np.flatnonzero(same[1:] != same[:-1])
        if edges.size:
            runs[cycle - 1] = (edges[1::2] - edges[::2]).max()
    return runs


class LoopGuard:
    """Stops a row that repeats a cycle of up to ``max_cycle`` tokens for too long.

    The limit for cycle length ``p`` is ``patience + 4 p`` repeated tokens, or one and a half times the longest such
    run in the drafts plus ``patience`` where they repeat themselves. When it stops, the first cycle is kept.
    """

    def __init__(self, drafts: Sequence[Sequence[int]] = (), max_cycle: int = 64, patience: int = 96) -> None:
        self._runs = np.zeros(max_cycle, dtype=np.int64)
        self._recent = np.full(max_cycle, -1, dtype=np.int64)
        self._count = 0
        cycles = np.arange(1, max_cycle + 1)
        held = np.zeros(max_cycle, dtype=np.int64)
        for draft in drafts:
            held = np.maximum(held, longest_runs(draft, max_cycle))
        self._limits = np.maximum(patience + 4 * cycles, patience + held + held // 2)

    def observe(self, token: int) -> int | None:
        self._runs = np.where(self._recent == token, self._runs + 1, 0)
        self._recent = np.roll(self._recent, 1)
        self._recent[0] = token
        self._count += 1
        over = np.flatnonzero(self._runs >= self._limits)
        return self._count - int(self._runs[over[0]]) if over.size else None
