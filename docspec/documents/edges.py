"""What pages nearby repeat near the edges of a page: running heads and feet, by the text that the file has there.

The file is opened a second time for it: MuPDF warns of a fault only once, and these warnings belong to other pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from docspec.core import BBox
from docspec.core.geometry import in_rows, runs_of
from docspec.core.page import EdgeText
from docspec.core.running_text import carries_amount, is_page_number, repeats
from docspec.documents.damage import heard
from docspec.documents.mupdf import mupdf
from docspec.documents.weight import weigh

BAND = 0.16
"""Share of a page's height at each edge in which heads and feet stand."""

NEARBY = 4
"""Pages before and behind that are compared: left and right pages, and the first pages of chapters, may differ."""

LEVEL = 12.0
"""Most points by which a running head may stand higher or lower on another page."""

GAP = 1.2
"""Least distance of two pieces in one row, in heights of a line."""

MOST = 20_000
"""Bytes of text of a page beyond which its edges are not read."""

KEPT = 32
"""Pages whose edges are remembered."""


_FIRST = re.compile(r"^(\d{1,4})\s+(.+)")


class EdgeWord(NamedTuple):
    """A word with its place, and the numbers of its block and line."""

    bbox: BBox
    text: str
    line: tuple[int, int]


class EdgePiece(NamedTuple):
    """Words side by side near an edge of the page, ``level`` points from it, and the text of the whole ``row``."""

    bbox: BBox
    text: str
    row: str
    edge: Literal["top", "bottom", "left", "right"]
    level: float


class Edges:
    """The pieces near the edges of a document's pages, read when they are asked for; ``open_again`` opens the file and
    gives the indices of its pages in it."""

    def __init__(self, open_again: Callable[[], tuple[Any, Sequence[int | None]]]) -> None:
        self._open_again = open_again
        self._opened: tuple[Any, Sequence[int | None]] | None = None
        self._known: dict[int, list[EdgePiece]] = {}

    def of(self, number: int, page_count: int) -> tuple[EdgeText, ...]:
        """The pieces of page ``number`` (from 1), and which of them pages nearby repeat. On the first page these are
        its number alone: a letterhead, accounts and captions of signatures are written once, however many pages repeat
        them."""
        own = self._pieces(number)
        if not own:
            return ()
        others = [
            (other - number, self._pieces(other))
            for other in range(max(1, number - NEARBY), min(page_count, number + NEARBY) + 1)
            if other != number
        ]
        return tuple(
            EdgeText(piece.bbox, _is_repeated(piece, others) and (number > 1 or is_page_number(piece.text)))
            for piece in own
        )

    def close(self) -> None:
        """Closes the file; it is opened again when more is asked for."""
        if self._opened is not None:
            self._opened[0].close()
            self._opened = None

    def _pieces(self, number: int) -> list[EdgePiece]:
        if number not in self._known:
            if len(self._known) >= KEPT:
                del self._known[next(iter(self._known))]
            try:
                with heard():
                    self._known[number] = self._read(number)
            except Exception:  # damage is told where the page itself is read
                self._known[number] = []
        return self._known[number]

    def _read(self, number: int) -> list[EdgePiece]:
        if self._opened is None:
            self._opened = self._open_again()
        pdf, indices = self._opened
        index = indices[number - 1]
        if index is None:
            return []
        page = pdf[index]
        if weigh(pdf, page).characters > MOST:
            return []
        words = page.get_text("words", flags=mupdf().TEXT_MEDIABOX_CLIP)
        placed = [EdgeWord(BBox(*word[:4]), word[4], word[5:7]) for word in words]
        return pieces_of(placed, page.rect.width, page.rect.height)


def pieces_of(words: Sequence[EdgeWord], width: float, height: float) -> list[EdgePiece]:
    """The pieces of ``words`` near the edges of a page of that size: rows above and below, and lines that run up or
    down at the sides."""
    lines: dict[tuple[int, int], list[EdgeWord]] = {}
    for word in words:
        lines.setdefault(word.line, []).append(word)
    upright = [line for line in lines.values() if _runs_upwards(line, width)]
    pieces = [_piece(line, line, width, height) for line in upright]
    beside = {line[0].line for line in upright}
    edges = [one for one in words if not BAND * height < one.bbox.center_y < (1 - BAND) * height]
    for row in in_rows([word for word in edges if word.line not in beside], lambda word: word.bbox):
        runs = runs_of(row, lambda a, b: b.bbox.x0 - a.bbox.x1 <= GAP * b.bbox.height)
        pieces += [_piece(run, row, width, height) for run in runs]
    return pieces


def _runs_upwards(line: Sequence[EdgeWord], width: float) -> bool:
    """Whether ``line`` runs up or down at a side of the page."""
    box = BBox.union(word.bbox for word in line)
    return len(line) > 1 and box.height > 2 * box.width and not BAND * width < box.center_x < (1 - BAND) * width


def _piece(run: Sequence[EdgeWord], row: Sequence[EdgeWord], width: float, height: float) -> EdgePiece:
    box = BBox.union(word.bbox for word in run)
    text, whole = (" ".join(word.text for word in one) for one in (run, row))
    if box.height > 2 * box.width and run is row:
        left = box.center_x < width / 2
        return EdgePiece(box, text, whole, "left" if left else "right", box.center_x if left else width - box.center_x)
    upper = box.center_y < height / 2
    return EdgePiece(box, text, whole, "top" if upper else "bottom", box.center_y if upper else height - box.center_y)


def _is_repeated(piece: EdgePiece, others: Sequence[tuple[int, list[EdgePiece]]]) -> bool:
    if carries_amount(piece.row):  # its label, too, which may stand apart from it
        return False
    return any(
        piece.edge == other.edge
        and abs(piece.level - other.level) <= LEVEL
        and (repeats(piece.text, other.text, apart) or repeats(_number_last(piece.row), _number_last(other.row), apart))
        for apart, page in others
        for other in page
    )


def _number_last(row: str) -> str:
    """``row`` with a number at its beginning at its end: left and right pages have theirs on the outer side."""
    return _FIRST.sub(r"\2 \1", row)
