"""Tables whose cells are closed by drawn lines: there the lines give rows, columns and spans, whatever the words do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any, NamedTuple

from docspec.core import BBox
from docspec.drafting.lines import TextLine, cell_texts
from docspec.drafting.tables import FoundTable, printed_text

NEAR = 3.0
"""Points between two edges of cells that are one line."""

SAME = 0.8
"""Least share of a table and of the cells around it that both cover."""

ROWS = 3
"""Least lines of text in cells of a drawn row that make rows without rules where not all cells have them."""

FILLED = 0.6
"""Least lines of such a cell, as a share of those of the longest one."""

MANY = 6
"""Least lines that make rows without figures."""

_FIGURES = re.compile(r"[\d.,%$€£()+−–-]+")


class Slot(NamedTuple):
    """A closed cell: its place, its first row and column (from 0), and how many of each it takes."""

    bbox: BBox
    row: int
    column: int
    rows: int
    columns: int


def with_drawn_cells(page: Any, tables: Sequence[FoundTable], lines: Sequence[TextLine]) -> list[FoundTable]:
    """``tables`` of a ``pymupdf.Page`` with these ``lines`` (points), in which closed cells are cells:
    those that were cut into several rows at the lines of their text are whole again."""
    if not tables or not page.get_drawings():
        return list(tables)
    drawn = page.find_tables(strategy="lines_strict", use_layout=False)
    grids = [slots for one in (drawn.tables if drawn is not None else ()) if (slots := slots_of(one.cells))]
    words = [BBox(*word[:4]) for word in page.get_text("words")]
    return [_drawn(page, table, grids, words, lines) for table in tables]


def slots_of(cells: Sequence[Sequence[float]]) -> list[Slot]:
    """Closed ``cells`` (``x0, y0, x1, y1``) by rows and columns; empty if they are no table of two rows and columns."""
    xs = _edges([x for cell in cells for x in (cell[0], cell[2])])
    ys = _edges([y for cell in cells for y in (cell[1], cell[3])])
    found = []
    for x0, y0, x1, y1 in cells:
        left, right, top, bottom = _at(xs, x0), _at(xs, x1), _at(ys, y0), _at(ys, y1)
        if right > left and bottom > top:
            found.append(Slot(BBox(x0, y0, x1, y1), top, left, bottom - top, right - left))
    return sorted(found, key=lambda slot: (slot.row, slot.column)) if len(xs) > 2 and len(ys) > 2 else []


def _edges(values: Sequence[float]) -> list[float]:
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > NEAR:
            found.append(value)
    return found


def _at(edges: Sequence[float], value: float) -> int:
    return min(range(len(edges)), key=lambda number: abs(edges[number] - value))


def _drawn(
    page: Any, table: FoundTable, grids: Sequence[Sequence[Slot]], words: Sequence[BBox], lines: Sequence[TextLine]
) -> FoundTable:
    """``table`` by its closed cells, if these are fewer rows than it has, hold all of its words and no rows without
    rules."""
    for slots in grids:
        box = BBox.union(slot.bbox for slot in slots)
        rows = max(slot.row + slot.rows for slot in slots)
        if min(box.overlap(table.bbox), table.bbox.overlap(box)) < SAME or table.html.count("<tr") <= rows:
            continue
        if any(table.bbox.has_center_of(word) and not box.grown(NEAR).has_center_of(word) for word in words):
            continue
        texts = cell_texts(page, [slot.bbox for slot in slots])
        if any(
            _holds_rows([text for slot, text in zip(slots, texts, strict=True) if slot.row == row])
            for row in range(rows)
        ):
            continue
        plain = [" ".join(one for _, one in text) for text in texts]
        told = [
            printed_text([line for line in lines if slot.bbox.has_center_of(line.bbox)], text) or text
            for slot, text in zip(slots, plain, strict=True)
        ]
        return replace(table, html=_html(slots, told, table.html.startswith("<table><tr><th")), grid=_grid(slots, rows))
    return table


def _holds_rows(texts: Sequence[Sequence[tuple[float, str]]]) -> bool:
    """Whether the cells of one drawn row (lines of text with their heights) hold rows of their own: lines beside each
    other in most of them, figures above all."""
    filled = sorted((text for text in texts if text), key=len)
    if len(filled) < 2 or len(filled[-1]) < 2:
        return False
    *others, longest = filled
    beside = [text for text in others if len(text) >= FILLED * len(longest) and _stand_beside(text, longest)]
    if 2 * len(beside) < len(others) or (len(longest) < ROWS and len(beside) < len(others)):
        return False
    told = ["".join(line.split()) for text in (*beside, longest) for _, line in text]
    return 2 * sum(_FIGURES.fullmatch(one) is not None for one in told) >= len(told) or len(longest) >= MANY


def _stand_beside(text: Sequence[tuple[float, str]], longest: Sequence[tuple[float, str]]) -> bool:
    """Whether the lines of ``text`` stand beside lines of the ``longest`` cell."""
    return all(min(abs(high - other) for other, _ in longest) <= NEAR for high, _ in text)


def _html(slots: Sequence[Slot], texts: Sequence[str], headed: bool) -> str:
    taken = {(slot.row + y, slot.column + x) for slot in slots for y in range(slot.rows) for x in range(slot.columns)}
    columns = max(slot.column + slot.columns for slot in slots)
    rows: list[list[tuple[int, str]]] = [[] for _ in range(max(slot.row + slot.rows for slot in slots))]
    for slot, text in zip(slots, texts, strict=True):
        kind = "th" if headed and slot.row == 0 else "td"
        spans = "".join(
            f' {name}="{count}"' for name, count in (("colspan", slot.columns), ("rowspan", slot.rows)) if count > 1
        )
        rows[slot.row].append((slot.column, f"<{kind}{spans}>{escape(text, quote=False)}</{kind}>"))
    for row, cells in enumerate(rows):
        cells += [(column, "<td></td>") for column in range(columns) if (row, column) not in taken]
    return f"<table>{''.join(f'<tr>{_told(cells)}</tr>' for cells in rows)}</table>"


def _told(cells: Sequence[tuple[int, str]]) -> str:
    return "".join(told for _, told in sorted(cells))


def _grid(slots: Sequence[Slot], rows: int) -> tuple[tuple[BBox, ...], ...]:
    """The boxes of the cells by rows; empty with spans or gaps."""
    grid = tuple(tuple(slot.bbox for slot in slots if slot.row == row) for row in range(rows))
    spans = any(slot.rows > 1 or slot.columns > 1 for slot in slots)
    return () if spans or len(set(map(len, grid))) > 1 else grid
