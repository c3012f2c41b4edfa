"""What a verification step takes and gives, as plain arrays and numbers on the host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache


@dataclass(frozen=True)
class StepBatch:
    """Trees of one step behind their prefixes.

    ``tokens``, ``positions``, ``slots``, ``parents`` are ``(rows, tree)``; ``lengths`` ``(rows,)`` are the verified
    tokens before each tree; ``ancestry`` ``(rows, tree, tree)`` is true where a node may look at another one.
    ``view_slots`` are the slots that attention has to look at.
    """

    tokens: np.ndarray
    positions: np.ndarray
    slots: np.ndarray
    parents: np.ndarray
    lengths: np.ndarray
    ancestry: np.ndarray
    view_slots: int

    @property
    def rows(self) -> int:
        return int(self.tokens.shape[0])

    @property
    def width(self) -> int:
        """Nodes of each row, padding included."""
        return int(self.tokens.shape[1])

    @cached_property
    def mask(self) -> np.ndarray:
        """Boolean ``(rows, tree, view_slots)``, true where a token may look: its prefix and its path.

        Padding looks at the prefix alone, and nothing looks at padding.
        """
        mask = np.zeros((self.rows, self.width, self.view_slots), dtype=bool)
        for row, length in enumerate(self.lengths.tolist()):
            mask[row, :, :length] = True
            reach = min(self.width, self.view_slots - length)
            mask[row, :, length : length + reach] = self.ancestry[row, :, :reach]
        return mask


def chain(rows: int, width: int, prefix: int, view_slots: int) -> StepBatch:
    """A step for measurements: in each row ``width`` meaningless tokens in a chain behind ``prefix`` verified ones."""
    places = np.tile(np.arange(prefix, prefix + width), (rows, 1))
    parents = np.tile(np.maximum(np.arange(width) - 1, 0), (rows, 1))
    lengths = np.full(rows, prefix)
    ancestry = np.tile(np.tri(width, dtype=bool), (rows, 1, 1))
    return StepBatch(np.zeros_like(places), places, places, parents, lengths, ancestry, view_slots)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The target's answer to a :class:`StepBatch`, ``(rows, tree)`` nested lists on the host.

    ``choice`` are the argmax tokens. Where they were asked for, ``best`` are their log-probabilities (nats) and
    ``drafted`` those of each node's own token after its parent. ``top`` ``(rows, tree, ranks)`` are the likeliest
    tokens, best first, from runners that look for them.
    """

    choice: Sequence[Sequence[int]]
    best: Sequence[Sequence[float]] = ()
    drafted: Sequence[Sequence[float]] = ()
    top: Sequence[Sequence[Sequence[int]]] = ()


@dataclass(frozen=True, slots=True)
class StepReport:
    """How steps are run: ``mode`` (``eager``, ``cuda``, ``compile``), why, the captured shapes held at present, those
    captured in all and the seconds that this took."""

    mode: str
    reason: str
    held: int = 0
    captured: int = 0
    warmup_seconds: float = 0.0


class StepRunner(Protocol):
    """Runs steps of one target. ``dense``: whether it wants the step's mask laid out on the host."""

    @property
    def dense(self) -> bool: ...

    @property
    def report(self) -> StepReport: ...

    def geometry(self, rows: int, slots: int) -> tuple[int, int]:
        """Rows and slots of the cache to make where ``rows`` and ``slots`` are needed: few different ones, where
        captures depend on it."""
        ...

    def run(self, step: StepBatch, cache: SlotCache, scored: bool) -> Verdict:
        """Verifies ``step`` over ``cache``; log-probabilities where ``scored``."""
        ...

    def advance(self, token: int, position: int, length: int, cache: SlotCache) -> int:
        """The argmax token after ``token``, the pending one of row 0 behind ``length`` verified tokens."""
        ...
