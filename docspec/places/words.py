"""The words of a page with their boxes: those of its file, or those of the lines that a recogniser told, parted.

The words of a block are runs of characters that its text shows, with their atoms.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from docspec.core import BBox, Block, Category, PageDraft, PageImage, PrintedLine
from docspec.core.account import VisibleWord
from docspec.core.formulas import NOTHING, shown_signs
from docspec.ledger import witness_of
from docspec.ledger.atoms import atoms_of, runs_leftwards
from docspec.ledger.outputs import markdown_words
from docspec.places.ink import words_in_ink

MINUS = "\u2212"

_WRITTEN_WORD = re.compile(r"\S+")
_FORMULA = re.compile(r"\$\$[^$]+\$\$|\$[^$\n]+\$")
_BAR = re.compile(r"\|")
_DASHES = re.compile(r"[\u2010-\u2015\u2212\u2043\u00ad]")
_SIGNED = re.compile(r"(?<![^\W_])-(?=\d)")


@dataclass(frozen=True, slots=True)
class WrittenPiece:
    """An atom of a word, or its whole text if it has none: its ``key``, by which both sides are compared, and the
    characters of the word that it is."""

    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class WrittenWord:
    """A word with its characters in the text of its block; ``in_formula``: its letters are placed by LaTeX."""

    text: str
    start: int
    end: int
    pieces: tuple[WrittenPiece, ...]
    in_formula: bool = False


def written_words(block: Block) -> list[WrittenWord]:
    """The words that ``block`` shows, in its order."""
    is_formula = block.category is Category.FORMULA
    shown = shown_signs(block.text) if is_formula else markdown_words(block.text)
    if block.category is Category.TABLE and not block.text.lstrip().startswith("<"):
        shown = _BAR.sub(" ", shown)
    formulas = [] if is_formula else [match.span() for match in _FORMULA.finditer(block.text)]
    starts = [start for start, _ in formulas]
    words = []
    for match in _WRITTEN_WORD.finditer(shown):
        text = match[0].replace(NOTHING, "")
        if not text:
            continue
        before = bisect_right(starts, match.start()) - 1
        inside = is_formula or (before >= 0 and match.start() < formulas[before][1])
        end = match.start() + len(match[0].rstrip(NOTHING))
        words.append(WrittenWord(text, match.start(), end, pieces_of(text), inside))
    return words


def pieces_of(text: str) -> tuple[WrittenPiece, ...]:
    """The pieces of a word. One without letters, figures and signs (a dash) is a piece by itself."""
    pieces = tuple(WrittenPiece(*atom) for atom in atoms_of(text))
    return pieces or (WrittenPiece("\0" + _DASHES.sub("-", unicodedata.normalize("NFKC", text)), 0, len(text)),)


def letters_of(text: str) -> str:
    """The letters and figures of ``text`` by which a word is the same: capitals, accents and the minus of a number
    count, kinds of quotes and dashes do not."""
    plain = _DASHES.sub("-", unicodedata.normalize("NFKC", text))
    plain = _SIGNED.sub(MINUS, plain)
    return "".join(sign for sign in plain if sign.isalnum() or sign == MINUS)


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
