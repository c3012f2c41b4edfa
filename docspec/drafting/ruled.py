"""Tables whose cells are closed by drawn lines: there the lines give rows, columns and spans, whatever a layout model
says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from docspec.core import BBox
from docspec.drafting.drawn_grids import NEAR, Slot, Word, lacks_columns, parted
from docspec.drafting.lines import TextLine
from docspec.drafting.page_lines import cell_texts
from docspec.drafting.printed import Printed
from docspec.drafting.tables import FoundTable, printed_text

SAME = 0.8
"""Least share of a grid that lies in the table that it is."""

INSIDE = 0.6
"""Least share of the words of a table that stand in its grids."""

ROWS = 3
"""Least lines of text in cells of a drawn row that make rows without rules where not all cells have them."""

FILLED = 0.6
"""Least lines of such a cell, as a share of those of the longest one."""

MANY = 6
"""Least lines that make rows without figures."""

SPREAD = 1.2
"""Lines of cells beside a wrapped one that are this much further apart than its lines begin rows."""

APART = 1.0
"""Heights of a word between two cells that stand beside each other outside of a grid."""

_FIGURES = re.compile(r"[\d.,%$€£()+−–-]+")
_YEAR = re.compile(r"(?:19|20)\d\d")


def with_drawn_cells(printed: Printed, tables: Sequence[FoundTable], lines: Sequence[TextLine]) -> list[FoundTable]:
    """``tables`` of a page with these ``lines`` (points), in which closed cells are cells. A table around several grids
    is several tables."""
    if not tables or not printed.drawings:
        return list(tables)
    return [one for table in tables for one in _drawn(printed, table, lines)]


def _drawn(printed: Printed, table: FoundTable, lines: Sequence[TextLine]) -> list[FoundTable]:
    """The grids of ``table`` as tables; itself if they leave cells of it out, or do not tell its rows and columns."""
    own = [slots for slots in printed.grids if _box(slots).overlap(table.bbox) >= SAME]
    if not own:
        return [table]
    words = printed.words
    inside = [word for word in words if table.bbox.has_center_of(word.bbox)]
    if not _hold_cells([_box(slots).grown(NEAR) for slots in own], inside):
        return [table]
    if any(_lacks_cells(slots, inside) for slots in own):
        return [table]
    own = [parted(slots, words) for slots in own]
    texts = [cell_texts(printed.page, [slot.bbox for slot in slots]) for slots in own]
    if any(lacks_columns(slots, words) for slots in own):
        return [table]
    if any(_lacks_rows(slots, cells) for slots, cells in zip(own, texts, strict=True)):
        return [table]
    return [_table(slots, cells, table, lines) for slots, cells in zip(own, texts, strict=True)]


def _box(slots: Sequence[Slot]) -> BBox:
    return BBox.union(slot.bbox for slot in slots)


def _hold_cells(boxes: Sequence[BBox], words: Sequence[Word]) -> bool:
    """Whether most of ``words`` are in ``boxes``, and the others in lines across: titles, sources and notes."""
    outside = [word.bbox for word in words if not any(box.has_center_of(word.bbox) for box in boxes)]
    if len(words) - len(outside) < INSIDE * len(words):
        return False
    for box in outside:
        after = [one.x0 - box.x1 for one in outside if one.x0 >= box.x1 and one.in_row_with(box)]
        if min(after, default=0.0) > APART * box.height:
            return False
        if any(one.y0 <= box.center_y <= one.y1 for one in boxes):
            return False
    return True


def _lacks_cells(slots: Sequence[Slot], words: Sequence[Word]) -> bool:
    """Whether one of ``words`` stands between the cells of a grid, in none of them."""
    own = [word for word in words if _box(slots).has_center_of(word.bbox)]
    return not all(any(slot.bbox.has_center_of(word.bbox) for slot in slots) for word in own)


def _table(
    slots: Sequence[Slot], texts: Sequence[Sequence[tuple[float, str]]], table: FoundTable, lines: Sequence[TextLine]
) -> FoundTable:
    plain = [" ".join(one for _, one in text) for text in texts]
    printed = [
        printed_text([line for line in lines if slot.bbox.has_center_of(line.bbox)], text) or text
        for slot, text in zip(slots, plain, strict=True)
    ]
    heads = _head_rows(slots, printed, table)
    return FoundTable(_box(slots), _html(slots, printed, heads), _grid(slots), table.head_bottom, ruled=True)


def _head_rows(slots: Sequence[Slot], texts: Sequence[str], table: FoundTable) -> int:
    """How many rows at the top are heads: those that ``table`` has as heads, up to the first row of figures that are
    no years."""
    count = 0
    for row in range(max(slot.row + slot.rows for slot in slots)):
        own = [(slot, text) for slot, text in zip(slots, texts, strict=True) if slot.row == row and text]
        figures = sum(bool(_FIGURES.fullmatch(text)) and not _YEAR.fullmatch(text) for slot, text in own if slot.column)
        bottom = max((slot.bbox.y1 for slot, _ in own if slot.rows == 1), default=table.head_bottom)
        if bottom > table.head_bottom + NEAR or (row and 2 * figures >= len(own)):
            break
        count = row + 1
    return count


def _lacks_rows(slots: Sequence[Slot], texts: Sequence[Sequence[tuple[float, str]]]) -> bool:
    return any(
        _holds_rows([text for slot, text in zip(slots, texts, strict=True) if slot.row == row])
        for row in range(max(slot.row + slot.rows for slot in slots))
    )


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
    if len(beside) > 1 and all(_pitch(text) > SPREAD * _pitch(longest) for text in beside):
        return True
    entries = ["".join(line.split()) for text in (*beside, longest) for _, line in text]
    return 2 * sum(_FIGURES.fullmatch(one) is not None for one in entries) >= len(entries) or len(longest) >= MANY


def _pitch(text: Sequence[tuple[float, str]]) -> float:
    """The least distance of two lines of a cell."""
    return min((low - high for (high, _), (low, _) in pairwise(text)), default=0.0)


def _stand_beside(text: Sequence[tuple[float, str]], longest: Sequence[tuple[float, str]]) -> bool:
    """Whether the lines of ``text`` stand beside lines of the ``longest`` cell."""
    return all(min(abs(high - other) for other, _ in longest) <= NEAR for high, _ in text)


def _html(slots: Sequence[Slot], texts: Sequence[str], heads: int) -> str:
    taken = {(slot.row + y, slot.column + x) for slot in slots for y in range(slot.rows) for x in range(slot.columns)}
    columns = max(slot.column + slot.columns for slot in slots)
    rows: list[list[tuple[int, str]]] = [[] for _ in range(max(slot.row + slot.rows for slot in slots))]
    for slot, text in zip(slots, texts, strict=True):
        kind = "th" if slot.row < heads else "td"
        spans = "".join(
            f' {name}="{count}"' for name, count in (("colspan", slot.columns), ("rowspan", slot.rows)) if count > 1
        )
        rows[slot.row].append((slot.column, f"<{kind}{spans}>{escape(text, quote=False)}</{kind}>"))
    for row, cells in enumerate(rows):
        kind = "th" if row < heads else "td"
        cells += [(column, f"<{kind}></{kind}>") for column in range(columns) if (row, column) not in taken]
    return f"<table>{''.join(f'<tr>{_row(cells)}</tr>' for cells in rows)}</table>"


def _row(cells: Sequence[tuple[int, str]]) -> str:
    return "".join(cell for _, cell in sorted(cells))


def _grid(slots: Sequence[Slot]) -> tuple[tuple[BBox, ...], ...]:
    """The boxes of the cells by rows; empty with spans or gaps."""
    rows = max(slot.row + slot.rows for slot in slots)
    grid = tuple(tuple(slot.bbox for slot in slots if slot.row == row) for row in range(rows))
    spans = any(slot.rows > 1 or slot.columns > 1 for slot in slots)
    return () if spans or len(set(map(len, grid))) > 1 else grid
