"""How sure a recogniser is of a page: by its letters, those that it must have missed included."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from docspec.core.geometry import BBox

SPARSEST = 0.8
"""Least number of characters of a line per line height of its length. A line with fewer has letters that were not
recognised (Latin print has about 2, Chinese 1)."""


class RecognisedLine(Protocol):
    """A line with its box, its text and the recogniser's confidence (0..1)."""

    @property
    def bbox(self) -> BBox: ...

    @property
    def text(self) -> str: ...

    @property
    def confidence(self) -> float: ...


def certainty_of(lines: Iterable[RecognisedLine]) -> float | None:
    """The recogniser's mean confidence over the characters of ``lines``, counting characters that it must have missed
    as 0; ``None`` without text."""
    written = [line for line in lines if line.text]
    total = sum(expected(line.text, line.bbox.width, line.bbox.height) for line in written)
    return sum(line.confidence * len(line.text) for line in written) / total if total else None


def expected(text: str, width: float, height: float) -> float:
    """Characters of a line of that size: those that were recognised, or the least number for its length if that is
    more."""
    low, long = sorted((width, height))  # turned lines stand upright
    return max(len(text), SPARSEST * (long / low) if low else 0.0)
