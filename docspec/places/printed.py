"""The words of a page with their boxes: those of its file, or those of the lines that a recogniser told, parted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from docspec.core import BBox, PageDraft, PageImage, PrintedLine
from docspec.core.account import VisibleWord
from docspec.ledger import witness_of
from docspec.ledger.atoms import runs_leftwards
from docspec.places.ink import words_in_ink

_WORD = re.compile(r"\S+")
_NARROW, _WIDE = frozenset("iljtfIr.,:;'|!()[]/\\-` "), frozenset("mwMW@%")


@dataclass(frozen=True, slots=True)
class PrintedWord:
    """A word where it stands. ``confidence`` (0..1) is that of its source: the recogniser's of its line, the soundness
    of the text layer. ``runs`` is the way its letters run: along x (``1``, or ``-1`` for leftwards), or down the page
    (``2``) or up (``-2``)."""

    text: str
    box: BBox
    confidence: float
    recognised: bool
    runs: int = 1

    def part(self, start: int, end: int) -> BBox:
        """The box of its characters ``start`` to ``end``, told from the usual widths of letters."""
        if start <= 0 and end >= len(self.text):
            return self.box
        return _stretch(self.box, self.share(start), self.share(end), self.runs)

    def share(self, at: int) -> float:
        """The share (0..1) of its length at which its character number ``at`` begins, by the usual widths."""
        before, behind = sum(map(width_of, self.text[:at])), sum(map(width_of, self.text[at:]))
        return before / (before + behind) if before + behind else 0.0


def width_of(sign: str) -> float:
    """The usual width of ``sign`` in ems."""
    if sign in _NARROW:
        return 0.3
    if sign in _WIDE:
        return 0.86
    if unicodedata.east_asian_width(sign) in "WF":
        return 1.0
    if unicodedata.combining(sign):
        return 0.0
    return 0.68 if sign.isupper() else 0.54


def printed_words(page: PageImage, draft: PageDraft) -> list[PrintedWord]:
    """The visible words of ``page``, drafted so, in the order of their source; empty if nobody knows them."""
    _, words = witness_of(page.words or (), draft)
    lines = _lines(draft)
    seen = draft.seen.projection(page.width, page.height) if draft.seen else None
    grey: Any = None
    found: list[PrintedWord] = []
    for word in words:
        if word.hidden:
            continue
        line = lines.get((word.text, word.bbox))
        if line is None:
            box = word.bbox if seen is None else seen.box(word.bbox)
            found.append(PrintedWord(word.text, box, draft.soundness, False, _way(word)))
            continue
        if grey is None and seen is None:
            grey = np.asarray(page.image.convert("L"))
        found += words_of(line, grey)
    return found


def _lines(draft: PageDraft) -> dict[tuple[str, BBox], PrintedLine]:
    """The recognised lines by what a witness tells of them."""
    regions = (region for region in draft.regions if region.words == "recognition")
    drafted = (line for region in regions for line in (*region.lines, *region.labels))
    return {(line.text, line.bbox): line for line in (*drafted, *draft.recognised)}


def words_of(line: PrintedLine, grey: Any = None) -> Iterator[PrintedWord]:
    """The words of a recognised line, each with its share of the line's length; with the ``grey`` pixels of its page,
    parted where these have gaps."""
    upright = line.bbox.height <= 1.5 * line.bbox.width or len(line.text) < 2
    leftwards = runs_leftwards(line.text)
    runs = (-1 if leftwards else 1) if upright else -2 if line.turns % 4 == 1 else 2
    whole = PrintedWord(line.text, line.bbox, line.confidence, True, runs)
    spans = [match.span() for match in _WORD.finditer(line.text)]
    boxes = None
    if grey is not None and runs == 1 and spans:
        shares = [whole.share(at) for span in spans for at in span]
        boxes = words_in_ink(grey, line.bbox, line.text.split(), shares)
    for number, (start, end) in enumerate(spans):
        box = whole.part(start, end) if boxes is None else boxes[number]
        yield PrintedWord(line.text[start:end], box, line.confidence, True, runs)


def _way(word: VisibleWord) -> int:
    if len(word.text) > 2 and word.y1 - word.y0 > 1.5 * (word.x1 - word.x0):
        return 2 if unicodedata.east_asian_width(word.text[0]) in "WF" else -2
    return -1 if runs_leftwards(word.text) else 1


def _stretch(box: BBox, first: float, last: float, runs: int) -> BBox:
    """The part of ``box`` between two shares (0..1) of its length, along which letters run so."""
    if runs < 0:
        first, last = 1 - last, 1 - first
    if abs(runs) == 1:
        return BBox(box.x0 + first * box.width, box.y0, box.x0 + last * box.width, box.y1)
    return BBox(box.x0, box.y0 + first * box.height, box.x1, box.y0 + last * box.height)
