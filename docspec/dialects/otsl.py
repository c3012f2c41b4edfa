"""Tables in OTSL, the short table language of MinerU, PaddleOCR-VL and the Docling readers: both ways.

A cell is a mark and its text, a row ends with ``<nl>``: ``<fcel>`` holds text, ``<ecel>`` is empty, ``<lcel>`` goes on
with the cell to its left, ``<ucel>`` with the one above, ``<xcel>`` with both. ``<ched>``, ``<rhed>`` and ``<srow>``
are cells that head a column, a row or a group of rows (arXiv 2305.03393; DocTags' marks are those of docling-core).
"""

from __future__ import annotations

import re

from docspec.dialects.tables import MAX_SPAN, Table, TableCell, cell_text, to_html

_MARK = re.compile(r"<(fcel|ecel|lcel|ucel|xcel|ched|rhed|srow|nl)>")
_HEADS = frozenset({"ched", "rhed", "srow"})
_TAGS = re.compile(r"</?otsl>|<loc_\d+>")
_CAPTION = re.compile(r"<caption>((?:[^<]|<(?!/?caption>))*+)</caption>")


def is_otsl(text: str) -> bool:
    """Whether ``text`` is a table in OTSL: it has one of its marks and does not begin with one of HTML's."""
    return _MARK.search(text) is not None and not text.lstrip().lower().startswith("<table")


def to_otsl(table: Table, *, heads: bool = False) -> str:
    """``table`` in OTSL without a line break; ``heads`` marks header cells as such (DocTags), else they are plain."""
    written: list[str] = []
    grid: dict[tuple[int, int], str] = {}
    for cell, places in table.places():
        text = cell.text.replace("\n", " ")
        mark = "ched" if heads and cell.header else "fcel" if text else "ecel"
        marks = {(True, True): f"<{mark}>{text}", (True, False): "<lcel>", (False, True): "<ucel>"}
        top, left = places[0]
        for y, x in places:
            grid.setdefault((y, x), marks.get((y == top, x == left), "<xcel>"))
    width = 1 + max((x for _, x in grid), default=-1)
    for y in range(len(table.rows)):
        written += [grid.get((y, x), "<ecel>") for x in range(width)]
        written.append("<nl>")
    return "".join(written)


def parse_otsl(text: str) -> Table | None:
    """The table in ``text``, complete or cut off; ``None`` if there is no cell. Never raises.

    A cell spans the marks to the right and below that say that they belong to it. A mark that joins nothing (the first
    of a row, say) stands for an empty cell.
    """
    marks = _rows(_TAGS.sub("", _CAPTION.sub("", text)))
    taken: set[tuple[int, int]] = set()
    rows = []
    for y, row in enumerate(marks):
        cells = []
        for x, (mark, content) in enumerate(row):
            if (y, x) in taken:
                continue
            right, down = _reach(marks, y, x)
            taken |= {(y + dy, x + dx) for dy in range(down) for dx in range(right)}
            cells.append(TableCell(cell_text(content), mark in _HEADS, right, down))
        rows.append(tuple(cells))
    return Table(tuple(rows)) if any(rows) else None


def otsl_as_html(text: str) -> str:
    """A table in OTSL as HTML on one line; everything else as it is."""
    table = parse_otsl(text) if is_otsl(text) else None
    if table is None:
        return text
    before = _TAGS.sub("", text[: next(_MARK.finditer(text)).start()]).strip()
    html = to_html(table, "auto" if table.head_rows else "none")
    return f"{before}\n\n{html}" if before else html


def _rows(text: str) -> list[list[tuple[str, str]]]:
    rows: list[list[tuple[str, str]]] = [[]]
    marks = list(_MARK.finditer(text))
    for index, mark in enumerate(marks):
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        content = text[mark.end() : end]
        if mark[1] == "nl":
            rows.append([])
        if content.strip() and mark[1] not in _HEADS:  # words make any mark a cell: none is lost
            rows[-1].append(("fcel", content))
        elif mark[1] != "nl":
            rows[-1].append((mark[1], content))
    return [row for row in rows if row]


def _reach(marks: list[list[tuple[str, str]]], y: int, x: int) -> tuple[int, int]:
    """Columns and rows that the cell at ``(y, x)`` takes."""

    def at(dy: int, dx: int) -> str:
        row = marks[y + dy] if y + dy < len(marks) else []
        return row[x + dx][0] if x + dx < len(row) else ""

    right = down = 1
    while right < MAX_SPAN and at(0, right) == "lcel":
        right += 1
    while down < MAX_SPAN and at(down, 0) == "ucel" and all(at(down, dx) == "xcel" for dx in range(1, right)):
        down += 1
    return right, down
