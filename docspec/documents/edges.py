"""What pages nearby repeat near the edges of a page: running heads and feet, by the text that the file has there.

The file is opened a second time for it: MuPDF warns of a fault only once, and these warnings belong to other pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from docspec.core import BBox
from docspec.core.page import EdgeText
from docspec.core.running_text import repeats
from docspec.documents.damage import heard
from docspec.documents.mupdf import mupdf
from docspec.documents.weight import weigh

BAND = 0.16
"""Share of a page's height at each edge in which heads and feet stand."""

NEARBY = 3
"""Pages before and behind that are compared: left and right pages, and the first pages of chapters, may differ."""

LEVEL = 12.0
"""Most points by which a running head may stand higher or lower on another page."""

GAP = 1.2
"""Least distance of two pieces in one row, in heights of a line."""

MOST = 20_000
"""Bytes of text of a page beyond which its edges are not read."""

KEPT = 32
"""Pages whose edges are remembered."""


class Piece(NamedTuple):
    """Words side by side in one row; ``upper``: at the upper edge. The ``level`` is counted from that edge."""

    bbox: BBox
    text: str
    upper: bool
    level: float


class Edges:
    """The pieces near the edges of a document's pages, read when they are asked for; ``open_again`` opens the file and
    gives the indices of its pages in it."""

    def __init__(self, open_again: Callable[[], tuple[Any, Sequence[int | None]]]) -> None:
        self._open_again = open_again
        self._opened: tuple[Any, Sequence[int | None]] | None = None
        self._known: dict[int, list[Piece]] = {}

    def of(self, number: int, page_count: int) -> tuple[EdgeText, ...]:
        """The pieces of page ``number`` (from 1), and which of them pages nearby repeat."""
        own = self._pieces(number)
        if not own:
            return ()
        others = [
            (other - number, self._pieces(other))
            for other in range(max(1, number - NEARBY), min(page_count, number + NEARBY) + 1)
            if other != number
        ]
        return tuple(EdgeText(piece.bbox, _is_repeated(piece, others)) for piece in own)

    def close(self) -> None:
        """Closes the file; it is opened again when more is asked for."""
        if self._opened is not None:
            self._opened[0].close()
            self._opened = None

    def _pieces(self, number: int) -> list[Piece]:
        if number not in self._known:
            if len(self._known) >= KEPT:
                del self._known[next(iter(self._known))]
            try:
                with heard():
                    self._known[number] = self._read(number)
            except Exception:  # damage is told where the page itself is read
                self._known[number] = []
        return self._known[number]

    def _read(self, number: int) -> list[Piece]:
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
        return pieces_of([(BBox(*word[:4]), word[4]) for word in words], page.rect.height)


def pieces_of(words: Sequence[tuple[BBox, str]], height: float) -> list[Piece]:
    """The pieces of ``words`` near the edges of a page of that ``height``."""
    rows: list[list[tuple[BBox, str]]] = []
    edges = [word for word in words if not BAND * height < word[0].center_y < (1 - BAND) * height]
    for word in sorted(edges, key=lambda word: word[0].center_y):
        if rows and rows[-1][0][0].in_row_with(word[0]):
            rows[-1].append(word)
        else:
            rows.append([word])
    pieces = []
    for row in rows:
        runs: list[list[tuple[BBox, str]]] = []
        for word in sorted(row, key=lambda word: word[0].x0):
            apart = not runs or word[0].x0 - runs[-1][-1][0].x1 > GAP * word[0].height
            runs.append([word]) if apart else runs[-1].append(word)
        for run in runs:
            box = BBox.union(place for place, _ in run)
            upper = box.center_y < height / 2
            level = box.center_y if upper else height - box.center_y
            pieces.append(Piece(box, " ".join(text for _, text in run), upper, level))
    return pieces


def _is_repeated(piece: Piece, others: Sequence[tuple[int, list[Piece]]]) -> bool:
    return any(
        piece.upper is other.upper
        and abs(piece.level - other.level) <= LEVEL
        and repeats(piece.text, other.text, apart)
        for apart, page in others
        for other in page
    )
