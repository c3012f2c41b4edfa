"""Sheets on which the cells of a table are written, and the grids that a layout model might give of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pymupdf

from docspec.core import BBox
from docspec.drafting.cell_grid import CellGrid, PlacedCell, plain_text
from docspec.drafting.drawn_grids import Word
from docspec.drafting.printed import Printed

SIZE = 9
PITCH = 12.0


class Sheet:
    """A page on which cells are written, and the grid that a layout model might give of it: ``xs`` are the edges of
    its columns, each row of ``ys`` is as many lines high as it is said."""

    def __init__(self, xs: Sequence[float]) -> None:
        self.page: Any = pymupdf.open().new_page()
        self.xs = list(xs)
        self.line = 0

    def write(self, *texts: tuple[float, str], font: str = "helv") -> None:
        """One printed line: texts with the places where they begin, or end if the place is negative."""
        for x, text in texts:
            left = x if x >= 0 else -x - pymupdf.get_text_length(text, font, SIZE)
            self.page.insert_text((left, 100 + PITCH * self.line), text, fontsize=SIZE, fontname=font)
        self.line += 1

    def centre(self, x: float, text: str) -> None:
        """``text`` around ``x``, on the line that is written next."""
        left = x - pymupdf.get_text_length(text, "helv", SIZE) / 2
        self.page.insert_text((left, 100 + PITCH * self.line), text, fontsize=SIZE)

    @property
    def words(self) -> list[Word]:
        return Printed(self.page).words

    def grid(self, heights: Sequence[int], heads: int) -> CellGrid:
        """The words in cells of its columns, in rows of so many lines, of which the first ones are ``heads``."""
        top = 100 - 0.75 * PITCH
        ys, cells = [], []
        for number, height in enumerate(heights):
            ys.append((top, top + PITCH * height))
            top += PITCH * height
            for column, (x0, x1) in enumerate(zip(self.xs, self.xs[1:], strict=False)):
                box = BBox(x0, ys[-1][0], x1, ys[-1][1])
                inside = [word for word in self.words if box.has_center_of(word.bbox)]
                inside.sort(key=lambda word: (round(word.bbox.center_y / PITCH), word.bbox.x0))
                cells.append(PlacedCell(" ".join(word.text for word in inside), number, column, head=number < heads))
        edges = tuple(zip(self.xs, self.xs[1:], strict=False))
        return CellGrid(tuple(cells), edges, tuple(ys))


def rows_of(grid: CellGrid) -> list[list[Any]]:
    """The texts of the cells by rows; with the number of columns where there are several."""
    return [
        [
            plain_text(cell.text) if cell.columns == 1 else (plain_text(cell.text), cell.columns)
            for cell in grid.row(row)
        ]
        for row in range(len(grid.ys))
    ]


FIGURES = [("Oban", "12", "450"), ("Tiree", "7", "1,210"), ("Coll", "31", "95")]
