"""The words of a page with their boxes: those of its file, or those of the lines that a recogniser told, parted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docspec.core import BBox, PageDraft, PageImage, PrintedLine
from docspec.core.account import VisibleWord
from docspec.ledger import witness_of
from docspec.ledger.atoms import runs_leftwards

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
        before, own, behind = (sum(map(width_of, part)) for part in _parts(self.text, start, end))
        whole = before + own + behind
        if not whole:
            return self.box
        return _stretch(self.box, before / whole, (before + own) / whole, self.runs)


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
    lines = {(line.text, line.bbox): line for line in _lines(draft)}
    seen = draft.seen.projection(page.width, page.height) if draft.seen else None
    found: list[PrintedWord] = []
    for word in words:
        if word.hidden:
            continue
        line = lines.get((word.text, word.bbox))
        if line is not None:
            found += words_of(line)
        else:
            box = word.bbox if seen is None else seen.box(word.bbox)
            found.append(PrintedWord(word.text, box, draft.soundness, False, _way(word)))
    return found


def _lines(draft: PageDraft) -> Iterator[PrintedLine]:
    yield from draft.recognised
    for region in draft.regions:
        if region.words == "recognition":
            yield from (*region.lines, *region.labels)


def words_of(line: PrintedLine) -> Iterator[PrintedWord]:
    """The words of a recognised line, each with its share of the line's length."""
    upright = line.bbox.height <= 1.5 * line.bbox.width or len(line.text) < 2
    leftwards = runs_leftwards(line.text)
    runs = (-1 if leftwards else 1) if upright else -2 if line.turns % 4 == 1 else 2
    whole = PrintedWord(line.text, line.bbox, line.confidence, True, runs)
    for match in _WORD.finditer(line.text):
        yield PrintedWord(match[0], whole.part(match.start(), match.end()), line.confidence, True, runs)


def _way(word: VisibleWord) -> int:
    if len(word.text) > 2 and word.y1 - word.y0 > 1.5 * (word.x1 - word.x0):
        return 2 if unicodedata.east_asian_width(word.text[0]) in "WF" else -2
    return -1 if runs_leftwards(word.text) else 1


def _parts(text: str, start: int, end: int) -> Sequence[str]:
    return text[:start], text[start:end], text[end:]


def _stretch(box: BBox, first: float, last: float, runs: int) -> BBox:
    """The part of ``box`` between two shares (0..1) of its length, along which letters run so."""
    if runs < 0:
        first, last = 1 - last, 1 - first
    if abs(runs) == 1:
        return BBox(box.x0 + first * box.width, box.y0, box.x0 + last * box.width, box.y1)
    return BBox(box.x0, box.y0 + first * box.height, box.x1, box.y0 + last * box.height)
