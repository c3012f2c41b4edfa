"""What a model's margins say of its words: of each one, and of a page that nobody else has read."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

RECENT = 50
"""Words before one among which repetitions are counted."""


@dataclass(frozen=True, slots=True)
class Alone:
    """What stands around a word of a page that only a model has read: the mean margin of the page's words
    (logarithmic; ``None`` if none is told), and the share (0..1) of the words just before it that repeat others."""

    margin: float | None
    repeated: float


class AloneWords:
    """The words of a page that only a model has read, one after the other; ``margins`` are those of all its words."""

    def __init__(self, margins: Iterable[float]) -> None:
        logarithms = [math.log1p(max(0.0, margin)) for margin in margins]
        self._margin = sum(logarithms) / len(logarithms) if logarithms else None
        self._recent: deque[str] = deque()
        self._counts: Counter[str] = Counter()

    def around(self, text: str) -> Alone:
        """What stands around the next word, ``text``."""
        repeated = len(self._recent) - len(self._counts)
        self._recent.append(text)
        self._counts[text] += 1
        if len(self._recent) > RECENT:
            oldest = self._recent.popleft()
            self._counts[oldest] -= 1
            if not self._counts[oldest]:
                del self._counts[oldest]
        return Alone(self._margin, repeated / RECENT)


class Margins:
    """The model's margins of a block's words, asked for in the order of the text."""

    def __init__(self, margins: Sequence[tuple[int, int, float]]) -> None:
        self._left = deque(margins)

    def of(self, start: int, end: int) -> float | None:
        """The least margin within these characters; ``None`` if none is known."""
        while self._left and self._left[0][1] <= start:
            self._left.popleft()
        return min((margin for first, _, margin in takewhile(lambda one: one[0] < end, self._left)), default=None)
