"""How far recognised lines can be believed, and regions of which no reader here knows the letters: what a recogniser
writes for a script that it does not know is Latin letters without sense, or figures and punctuation alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docspec.core import BBox, Category, PrintedLine, Region

SPARSEST = 0.8
"""Characters of a line for each of its heights along it: a line of fewer holds letters that were not recognised (Latin
print has about 2, Chinese 1)."""

LEGIBLE = 0.6
"""Certainty (0..1) below which recognised text is none. Thai, Hindi and Hebrew came to 0.5 and less; the worst
columns of a newspaper of 1905 to 0.8."""

LONG = 12
"""Characters from which on a region tells by itself that it is illegible; of shorter ones the page has to be."""


def certainty_of(lines: Iterable[PrintedLine]) -> float | None:
    """The recogniser's mean confidence over the characters of ``lines``, and those that it must have missed in lines
    that hold more; ``None`` where there are none."""
    written = [line for line in lines if line.text]
    total = sum(_size(line) for line in written)
    return sum(line.confidence * len(line.text) for line in written) / total if total else None


def without_illegible(regions: Sequence[Region]) -> list[Region]:
    """``regions``, those whose recognised text is none made pictures."""
    page = certainty_of(line for one in regions if one.words == "recognition" for line in one.lines)
    poor = page is not None and page < LEGIBLE
    return [
        Region(one.bbox, Category.PICTURE) if one.words == "recognition" and _is_illegible(one, poor) else one
        for one in regions
    ]


def _is_illegible(region: Region, poor: bool) -> bool:
    """Whether what was recognised in a region with lines is no text. Lines with room for more letters, which entries of
    forms and of tables of contents have too, tell that on a ``poor`` page alone."""
    if poor:
        certainty = certainty_of(region.lines)
        return certainty is not None and certainty < LEGIBLE
    characters = sum(len(line.text) for line in region.lines)
    return characters >= LONG and sum(line.confidence * len(line.text) for line in region.lines) < LEGIBLE * characters


def _size(line: PrintedLine) -> float:
    """Characters of a line, at least as many as its length must hold."""
    return max(len(line.text), SPARSEST * _length(line.bbox))


def _length(line: BBox) -> float:
    """How many times as long as high a printed line is."""
    short, long = sorted((line.width, line.height))
    return long / short if short else 0.0
