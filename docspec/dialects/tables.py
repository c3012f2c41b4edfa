"""One table model and its three spellings: lenient HTML in, dots.ocr's compact HTML out, pipe tables both
ways.

Cell texts are plain: inline tags are dropped, entities resolved, and a line break inside a cell is ``\\n``.
"""

from __future__ import annotations

import contextlib
import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from typing import Literal

MAX_SPAN = 100  # a model that loops inside an attribute must not make us build a grid of millions

_DELIMITER = re.compile(r":?-+:?")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_OPENS_TAG = re.compile(r"<(?=[A-Za-z/!?])(?!(?:/?(?:sup|sub|b|i|s|u|em|strong)|br\s*/?)>)", re.IGNORECASE)
"""What readers of Markdown take for the beginning of a tag, but for tags of marks."""
_NO_TAG = re.compile(r"""<(?!(?:/?[A-Za-z](?:[^<>"']|"[^"<]*"|'[^'<]*')*+|[/?!]?[A-Za-z][^<>]*+)>)""")
"""A bracket that opens no whole tag."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell. ``colspan`` and ``rowspan`` are at least 1."""

    text: str
    header: bool = False
    colspan: int = 1
    rowspan: int = 1


TableRow = Sequence[TableCell]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table as HTML lists them: a cell that spans rows stands in its first row only."""

    rows: tuple[tuple[TableCell, ...], ...]

    def places(self) -> Iterator[tuple[TableCell, list[tuple[int, int]]]]:
        """The cells in the order of the HTML, each with the places (row, column) that it takes, its top left first."""
        taken: set[tuple[int, int]] = set()
        for y, row in enumerate(self.rows):
            x = 0
            for cell in row:
                while (y, x) in taken:
                    x += 1
                rows, columns = range(min(cell.rowspan, len(self.rows) - y)), range(cell.colspan)
                own = [(y + dy, x + dx) for dy in rows for dx in columns]
                taken.update(own)
                yield cell, own
                x += cell.colspan

    def grid(self) -> list[list[str]]:
        """The texts in a rectangle: a spanning cell's text at its top left, ``""`` in its other places."""
        filled: dict[tuple[int, int], str] = {}
        for cell, own in self.places():
            for place in own:
                filled.setdefault(place, cell.text if place == own[0] else "")
        width = 1 + max((x for _, x in filled), default=-1)
        return [[filled.get((y, x), "") for x in range(width)] for y in range(len(self.rows))]

    @property
    def spans(self) -> bool:
        """Whether a cell spans rows or columns."""
        return any(cell.colspan > 1 or cell.rowspan > 1 for row in self.rows for cell in row)

    @property
    def head_rows(self) -> int:
        """How many rows at the top consist of header cells only."""
        return next((i for i, row in enumerate(self.rows) if not all(cell.header for cell in row)), len(self.rows))


def parse_html_table(text: str) -> Table | None:
    """The first table in ``text``, complete or cut off; ``None`` if there is no row. Never raises.

    Missing end tags and rows outside ``<table>`` are accepted. A nested table's text goes into its outer
    cell.
    """
    reader = _TableReader()
    feed(reader, text)
    return reader.table()


def feed(reader: HTMLParser, text: str) -> None:
    """Has ``reader`` read ``text``, or what comes before a malformed declaration. Never raises.

    html.parser looks from each tag that has no end to the end of the text, so these are given to it as text.
    """
    with contextlib.suppress(AssertionError):  # html.parser's answer to some of them
        reader.feed(_NO_TAG.sub("&lt;", _without_comments(text)))
        reader.close()


def _without_comments(text: str) -> str:
    parts, end = [], 0
    while (start := text.find("<!--", end)) >= 0 and (close := text.find("-->", start + 4)) >= 0:
        parts.append(text[end:start])
        end = close + 3
    return "".join([*parts, text[end:]])


def parse_table(text: str) -> Table | None:
    """The table in ``text``: HTML, or pipes if it begins with one."""
    return parse_html_table(text) or (parse_pipe_table(text) if text.startswith("|") else None)


def to_html(table: Table, head: Literal["auto", "none"] = "auto", *, indented: bool = False) -> str:
    """``table`` as HTML: on one line without white space between tags (dots.ocr's form), or ``indented``.

    ``"auto"`` puts the header rows (the first row if none is marked) in ``<thead>`` with ``<th>`` and the
    rest in ``<tbody>``; ``"none"`` writes bare rows of ``<td>``.
    """
    if not table.rows:
        return ""
    if head == "none":
        lines = _html_rows(table.rows, "td", depth=1)
    else:
        count = table.head_rows or 1
        lines = _html_section("thead", table.rows[:count], "th")
        if count < len(table.rows):
            lines += _html_section("tbody", table.rows[count:], "")
    lines = [(0, "<table>"), *lines, (0, "</table>")]
    if indented:
        return "\n".join("  " * depth + line for depth, line in lines)
    return "".join(line for _, line in lines)


def parse_pipe_table(text: str) -> Table | None:
    """The rows of a Markdown pipe table (GitHub's rules for ``\\|``); ``None`` if no line holds a ``|``.

    Rows before the delimiter row are headers; one without any text, which tables without headers have since pipes ask
    for one, is left out. ``<br>`` in a cell becomes a line break. Never raises.
    """
    lines = [line.strip() for line in text.split("\n") if "|" in line]
    border = next((i for i in (1, 0) if i < len(lines) and is_delimiter_row(lines[i])), None)
    if border == 1 and len(lines) > 2 and not any(_pipe_cells(lines[0])):
        lines, border = lines[1:], 0
    rows = [
        tuple(TableCell(cell, header=border is not None and i < border) for cell in _pipe_cells(line))
        for i, line in enumerate(lines)
        if i != border
    ]
    return Table(tuple(rows)) if rows else None


def is_delimiter_row(line: str) -> bool:
    """Whether ``line`` is the row of dashes below a pipe table's header."""
    return "|" in line and all(_DELIMITER.fullmatch(cell) for cell in _pipe_cells(line.strip()))


def to_pipe(table: Table, *, tight: bool = False, headless: bool = False) -> str:
    """``table`` as a compact pipe table; the first row is the header, or, if it is ``headless``, an empty one is;
    spans are opened into empty cells.

    The delimiter row is ``| --- | --- |``, or ``|---|---|`` if ``tight``.
    """
    grid = table.grid()
    if not grid or not grid[0]:
        return ""
    rows = [[""] * len(grid[0]), *grid] if headless else grid
    lines = ["| " + " | ".join(pipe_text(cell) for cell in row) + " |" for row in rows]
    lines.insert(1, ("|---" if tight else "| --- ") * len(grid[0]) + "|")
    return "\n".join(lines)


def cell_text(raw: str) -> str:
    """A cell's text in normal form: runs of white space are one space, empty lines are gone."""
    lines = (" ".join(line.split()) for line in raw.split("\n"))
    return "\n".join(line for line in lines if line)


def _html_section(name: str, rows: Iterable[tuple[TableCell, ...]], tag: str) -> list[tuple[int, str]]:
    return [(1, f"<{name}>"), *_html_rows(rows, tag, depth=2), (1, f"</{name}>")]


def _html_rows(rows: Iterable[tuple[TableCell, ...]], tag: str, depth: int) -> list[tuple[int, str]]:
    """Lines with their depth; without a ``tag`` each cell has the one of its kind."""
    lines: list[tuple[int, str]] = []
    for row in rows:
        lines.append((depth, "<tr>"))
        lines += [(depth + 1, _html_cell(cell, tag or ("th" if cell.header else "td"))) for cell in row]
        lines.append((depth, "</tr>"))
    return lines


def _html_cell(cell: TableCell, tag: str) -> str:
    return f"{html_tag(tag, '', cell)}{html_text(cell.text)}</{tag}>"


def html_tag(name: str, attributes: str, cell: TableCell) -> str:
    """The start tag of ``cell`` with its spans behind other ``attributes`` (with the blank before them)."""
    columns = f' colspan="{cell.colspan}"' if cell.colspan > 1 else ""
    rows = f' rowspan="{cell.rowspan}"' if cell.rowspan > 1 else ""
    return f"<{name}{attributes}{columns}{rows}>"


def html_text(text: str) -> str:
    """``text`` as the content of an HTML cell."""
    return html.escape(text, quote=False).replace("\n", "<br>")


def pipe_text(text: str) -> str:
    """``text`` as the content of a cell between pipes (Markdown), in which readers would take ``<word>`` for a tag."""
    return _OPENS_TAG.sub(r"\\<", text).replace("|", "\\|").replace("\n", "<br>")


def _pipe_cells(line: str) -> list[str]:
    line = line.removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    cells = (_BREAK.sub("\n", cell.replace("\\|", "|")) for cell in _CELL_BORDER.split(line))
    return [cell_text(cell.replace("\\<", "<")) for cell in cells]


class _TableReader(HTMLParser):
    """Collects rows; forgiving because each start tag closes what it cannot stand in."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._rows: list[list[TableCell]] = []
        self._cell: TableCell | None = None
        self._text: list[str] = []
        self._depth = 0
        self._in_head = False
        self._done = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._depth += 1
        if self._done:
            return
        if tag == "br" and self._cell is not None:
            self._text.append("\n")
        if tag in ("tr", "td", "th"):
            self._depth = max(self._depth, 1)  # the start tag of the table may be missing
        if self._depth > 1:
            self._text.append(" ")
        elif tag in ("thead", "tbody", "tfoot"):
            self._in_head = tag == "thead"
        elif tag == "tr":
            self._end_cell()
            self._rows.append([])
        elif tag in ("td", "th"):
            self._end_cell()
            if not self._rows:
                self._rows.append([])
            span = dict(attrs)
            self._cell = TableCell(
                "", tag == "th" or self._in_head, _span(span.get("colspan")), _span(span.get("rowspan"))
            )

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._depth = max(0, self._depth - 1)
            if self._depth == 0 and not self._done:
                self._end_cell()
                self._done = bool(self._rows)
        elif self._depth <= 1 and tag in ("td", "th", "tr"):
            self._end_cell()

    def handle_data(self, data: str) -> None:
        if self._cell is not None and not self._done:
            self._text.append(data.replace("\n", " "))

    def table(self) -> Table | None:
        self._end_cell()
        rows = tuple(tuple(row) for row in self._rows if row)
        return Table(rows) if rows else None

    def _end_cell(self) -> None:
        if self._cell is not None:
            self._rows[-1].append(replace(self._cell, text=cell_text("".join(self._text))))
        self._cell = None
        self._text = []


def _span(value: str | None) -> int:
    digits = re.match(r"\s*(\d{1,6})", value or "")
    return min(max(int(digits[1]), 1), MAX_SPAN) if digits else 1
