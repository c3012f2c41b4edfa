"""Continues pipe tables as an output writes them: padding, empty cells and the delimiter row are the output's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from docspec.dialects.table_syntax import LONGEST, UNKNOWN, Listener, TableRow, remainder
from docspec.dialects.tables import is_delimiter_row, pipe_text

_BORDER = re.compile(r"(?<!\\)\|")


@dataclass(slots=True)
class PipeManner:
    """How an output writes its tables: the space before a cell's text, an empty cell, the delimiter row.

    A ``wide`` delimiter row has as many dashes as the header row has characters.
    """

    lead: str = " "
    empty: str = "  "
    delimiter: Literal["spaced", "tight", "wide"] | None = None


class PipeSyntax:
    """A pipe table that is being written, in the ``manner`` of those before it."""

    def __init__(self, manner: PipeManner, listener: Listener) -> None:
        self.in_row = False
        self._manner = manner
        self._listener = listener
        self._line = ""
        self._known = 0  # cells of the line that the listener knows
        self._rows = 0
        self._is_delimited = False
        self._widths: list[int] = []
        self._is_padded = False

    @property
    def begun(self) -> str | None:
        return self._cells()[-1].strip() if self._line and not self._is_at_delimiter() else None

    def feed(self, text: str) -> str | None:
        lines = text.split("\n")
        for number, piece in enumerate(lines):
            is_whole = number + 1 < len(lines)
            self._line += piece
            if (self._line or is_whole) and (not self._line.startswith("|") or len(self._line) > LONGEST):
                return "\n".join([self._line, *lines[number + 1 :]])
            if self._line and not self._is_at_delimiter():
                self._read_cells()
            if is_whole:
                self._end_line()
        return None

    def _cells(self) -> list[str]:
        """The parts of the line between its borders; the first stands before all borders, the last is not complete."""
        return _BORDER.split(self._line)

    def _is_at_delimiter(self) -> bool:
        return self._rows == 1 and not self._is_delimited and not self._line.strip("|-: ")

    def _read_cells(self) -> None:
        if not self.in_row:
            self.in_row, self._known = True, 0
            self._listener.begin_row()
        cells = self._cells()[1:-1]
        for cell in cells[self._known :]:
            text = cell.strip()
            if text:
                self._manner.lead = " " if cell.startswith(" ") else ""
            elif len(cell) < 3:
                self._manner.empty = cell
            self._listener.cell(text)
        self._known = len(cells)

    def _end_line(self) -> None:
        line, cells = self._line, self._cells()[1:-1]
        self._line, self.in_row = "", False
        if self._rows == 1 and not self._is_delimited and is_delimiter_row(line):
            self._is_delimited = True
            first = cells[0] if cells else ""
            is_wide = len(first) > 3 and self._widths[:1] == [len(first)]
            self._manner.delimiter = "spaced" if first.startswith(" ") else "wide" if is_wide else "tight"
            return
        if not self._rows:
            self._widths = [len(cell) for cell in cells]
            self._is_padded = any(cell.endswith("  ") and cell.strip() for cell in cells)
        self._rows += 1

    def ahead(self, rest: str | None, rows: Iterable[TableRow], ends: bool, most: int) -> list[str]:
        following = iter(rows)
        if self._is_at_delimiter():
            body = "".join(self._lines(following, ends, most))
            written, widths = self._line, self._widths
            return [left for row in self._delimiters(widths) for left in remainder(f"{row}\n{body}", written)]
        row = next(following, ()) if self.in_row else ()
        cells = self._cells()
        written, column, piece = "", 0, ""
        if self._line:
            text = cells[-1].strip()
            written, column = cells[-1][len(cells[-1].rstrip()) :], len(cells) - 2
            if rest is not None:
                rest = pipe_text(rest) if text else self._manner.lead * bool(rest) + pipe_text(rest)
                piece = self._padded(rest, column, cells[-1].rstrip()) + "|"
                column += 1
        piece += self._row(row, column)
        if row and row[-1] is UNKNOWN:
            return remainder(piece, written)
        if not self._line:
            return remainder(piece + "".join(self._lines(following, ends, most)), written)
        if self._rows:
            return remainder("".join([piece, "\n", *self._lines(following, ends, most)]), written)
        widths = [len(cell) for cell in _BORDER.split(self._line[: -len(written) or None] + piece)[1:-1]]
        body = "".join(self._lines(following, ends, most))
        return [
            left
            for delimiter in self._delimiters(widths)
            for left in remainder(f"{piece}\n{delimiter}\n{body}", written)
        ]

    def _delimiters(self, widths: list[int]) -> list[str]:
        """The delimiter rows that may stand below a header row of ``widths``."""
        rows = {
            "tight": "|---" * len(widths) + "|",
            "spaced": "| --- " * len(widths) + "|",
            "wide": "".join("|" + "-" * width for width in widths) + "|",
        }
        known = self._manner.delimiter
        return [rows[known]] if known else list(rows.values())

    def _lines(self, rows: Iterator[TableRow], ends: bool, most: int) -> Iterator[str]:
        size = 0
        for row in rows:
            line = "|" + self._row(row, 0)
            yield line
            if row and row[-1] is UNKNOWN:
                return
            yield "\n"
            size += len(line)
            if size >= most:
                return
        if ends:
            yield "\n"

    def _row(self, row: TableRow, column: int) -> str:
        """The cells of ``row`` from ``column`` on, each with the border behind it."""
        cells = []
        for number, cell in enumerate(row, column):
            if cell is UNKNOWN:
                cells.append(self._manner.lead)
                break
            text = pipe_text(cell.text)
            cells.append(self._padded(self._manner.lead + text if text else "", number, "") + "|")
        return "".join(cells)

    def _padded(self, text: str, column: int, written: str) -> str:
        """``text`` with the white space up to the next border; ``written`` stands before it in the cell."""
        if self._is_padded and column < len(self._widths):
            return text.ljust(self._widths[column] - len(written) - 1) + " "
        return text + self._manner.lead if text or written else self._manner.empty
