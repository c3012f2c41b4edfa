"""How much of a page's reading order is in what was written of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise

from benchmarks.reading_order.sheet import Unit

_SIGNS = re.compile(r"[^\w\s]")
_RULES = re.compile(r"^\s*(?:[-*+•]|\d+\.)\s+", re.MULTILINE)
_PARAGRAPHS = re.compile(r"\n\s*\n|\\\n|\n(?=\s*(?:[-*+•]|#+)\s)")


@dataclass(frozen=True, slots=True)
class OrderScore:
    """Of a page, or of several: ``right`` of ``pairs`` of units that follow each other do so in the output too;
    ``whole`` of ``units`` stand in one paragraph; ``glued`` paragraphs hold more than one unit."""

    pairs: int = 0
    right: int = 0
    units: int = 0
    whole: int = 0
    glued: int = 0

    def __add__(self, other: OrderScore) -> OrderScore:
        return OrderScore(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class PlaceScore:
    """Of ``pages`` whose order is told by places, those that are ``whole``: all in order; of ``links`` between
    neighbours, and of all ``pairs``, those that are ``linked`` and ``right``."""

    pages: int = 0
    whole: int = 0
    links: int = 0
    linked: int = 0
    pairs: int = 0
    right: int = 0

    def __add__(self, other: PlaceScore) -> PlaceScore:
        return PlaceScore(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @classmethod
    def of(cls, links: Sequence[bool], pairs: Sequence[bool]) -> PlaceScore:
        """The score of a page, by which of its links and pairs are in order."""
        return cls(1, all(links), len(links), sum(links), len(pairs), sum(pairs))


def scored(written: str, units: Sequence[Unit]) -> OrderScore:
    """``written`` (Markdown) measured against the ``units`` of its page."""
    paragraphs = [words for one in _PARAGRAPHS.split(written) if (words := _words(_RULES.sub("", one)))]
    text = " ".join(f"{words} ¶" for words in paragraphs) + " "
    starts = {number: text.find(f"{_first(unit)} ") for number, unit in enumerate(units)}
    ends = {number: text.find(f"{_last(unit)} ") + len(_last(unit)) for number, unit in enumerate(units)}
    firm = [number for number, unit in enumerate(units) if unit.kind != "loose"]
    pairs = [(a, b) for a, b in pairwise(firm) if units[a].story == units[b].story]

    def follows(a: int, b: int) -> bool:
        if starts[b] < ends[a] or ends[a] < len(_last(units[a])):
            return False
        return not any(ends[a] <= starts[other] < starts[b] for other in firm if other not in (a, b))

    whole = sum(any(_words(units[number].text) in one for one in paragraphs) for number in firm)
    glued = sum(sum(f"{_first(unit)} " in f"{one} " for unit in units) > 1 for one in paragraphs)
    return OrderScore(len(pairs), sum(follows(a, b) for a, b in pairs), len(firm), whole, glued)


def _words(text: str) -> str:
    return " ".join(_SIGNS.sub(" ", text).split())


def _first(unit: Unit) -> str:
    return " ".join(_words(unit.text).split()[:6])


def _last(unit: Unit) -> str:
    return " ".join(_words(unit.text).split()[-6:])
