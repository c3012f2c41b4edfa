"""Judges recognised text: how certain a line is, and which regions are in scripts that no reader here knows. For an
unknown script a recogniser writes Latin letters without sense, or digits and punctuation only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docspec.core import BBox, Category, PrintedLine, Region

SPARSEST = 0.8
"""Least number of characters of a line per line height of its length. A line with fewer has letters that were not
recognised (Latin print has about 2, Chinese 1)."""

LEGIBLE = 0.6
"""Certainty (0..1) below which recognised text is not text. Thai, Hindi and Hebrew came to 0.5 and less; the worst
columns of a newspaper of 1905 to 0.8."""

LONG = 12
"""Least number of characters by which a region is judged on its own; shorter ones are judged by their page."""


def certainty_of(lines: Iterable[PrintedLine]) -> float | None:
    """The recogniser's mean confidence over the characters of ``lines``, counting characters that it must have missed
    as 0; ``None`` without text."""
    written = [line for line in lines if line.text]
    total = sum(_size(line) for line in written)
    return sum(line.confidence * len(line.text) for line in written) / total if total else None


def without_illegible(regions: Sequence[Region]) -> list[Region]:
    """``regions``, with those turned into pictures whose recognised text is not legible."""
    page = certainty_of(line for one in regions if one.words == "recognition" for line in one.lines)
    poor = page is not None and page < LEGIBLE
    return [
        Region(one.bbox, Category.PICTURE) if one.words == "recognition" and _is_illegible(one, poor) else one
        for one in regions
    ]


def _is_illegible(region: Region, poor: bool) -> bool:
    """Whether the recognised text of a region with lines is not legible. Lines with room for more letters count only on
    a ``poor`` page: entries of forms and of tables of contents have such room, too."""
    if poor:
        certainty = certainty_of(region.lines)
        return certainty is not None and certainty < LEGIBLE
    characters = sum(len(line.text) for line in region.lines)
    return characters >= LONG and sum(line.confidence * len(line.text) for line in region.lines) < LEGIBLE * characters


def _size(line: PrintedLine) -> float:
    """Characters of a line: those that were recognised, or the least number for its length if that is more."""
    return max(len(line.text), SPARSEST * _length(line.bbox))


def _length(line: BBox) -> float:
    """The length of a printed line over its height."""
    short, long = sorted((line.width, line.height))
    return long / short if short else 0.0
