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


def longest_runs(sequences: Sequence[Sequence[int]], max_cycle: int) -> np.ndarray:
    """For each cycle length ``p`` (index ``p - 1``), the longest stretch of a sequence that repeats what stands
    ``p`` tokens before."""
    runs = np.zeros(max_cycle, dtype=np.int64)
    parts = [np.zeros(0, dtype=np.int64)]
    for index, tokens in enumerate(sequences):  # a gap of tokens that occur once keeps sequences apart
        parts += [np.asarray(tokens, np.int64), -1 - np.arange(index * max_cycle, (index + 1) * max_cycle)]
    values = np.concatenate(parts)
    for cycle in range(1, min(max_cycle, len(values) - 1) + 1):
        same = np.concatenate(([False], values[cycle:] == values[:-cycle], [False]))
        edges = np.flatnonzero(same[1:] != same[:-1])
        if edges.size:
            runs[cycle - 1] = (edges[1::2] - edges[::2]).max()
    return runs


class LoopGuard:
    """Stops a row that repeats a cycle of up to ``max_cycle`` tokens for too long.

    The limit for cycle length ``p`` is ``patience + 4 p`` repeated tokens, or one and a half times the longest such
    run in the drafts plus ``patience`` where they repeat themselves. It looks once every ``interval`` tokens of
    output, whatever the steps that wrote them, so that every way of decoding is cut at the same token. When it
    stops, the first cycle is kept.
    """

    def __init__(
        self,
        drafts: Sequence[Sequence[int]] = (),
        max_cycle: int = 64,
        patience: int = 96,
        interval: int = 32,
    ) -> None:
        held = longest_runs(drafts, max_cycle)
        cycles = np.arange(1, max_cycle + 1)
        self._limits = np.maximum(patience + 4 * cycles, patience + held + held // 2)
        self._interval = interval
        self._reach = int(self._limits.max()) + interval + max_cycle
        self._tokens: list[int] = []

    def observe(self, token: int) -> int | None:
        self._tokens.append(token)
        if len(self._tokens) % self._interval:
            return None
        runs = self._runs()
        over = np.flatnonzero(runs >= self._limits)
        return len(self._tokens) - int(runs[over[0]]) if over.size else None

    def _runs(self) -> np.ndarray:
        """For each cycle length, how many of the last tokens repeat what stands that far before them."""
        back = np.array(self._tokens[: -self._reach - 1 : -1], dtype=np.int64)
        cycles = len(self._limits)
        padded = np.concatenate((back, np.full(cycles, -1)))
        before = np.lib.stride_tricks.sliding_window_view(padded, len(back))[1:]
        return (before == back).argmin(axis=1)  # the padding equals no token, so there is always an end
