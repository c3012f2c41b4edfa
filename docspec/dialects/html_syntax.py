"""Continues HTML tables as an output writes them: white space, head, names and attributes of cells are the output's."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from docspec.dialects.table_syntax import LONGEST, UNKNOWN, Listener, TableRow, remainder
from docspec.dialects.tables import TableCell, html_tag, html_text

CELLS = ("td", "th")

_TABLE_TAG = re.compile(r"<(/?)(table|thead|tbody|tfoot|tr|td|th)\b([^<>]*)>")
_SPAN = re.compile(r"""\s+(?:col|row)span\s*=\s*(?:"[^"]*"|'[^']*'|\d+)""")


@dataclass(slots=True)
class HtmlManner:
    """How an output writes its tables: the ``space`` before each tag (``/tr``: an end tag) and before a cell's text,
    the names and attributes of cells by part of the table (head or not) and column, and its sections."""

    space: dict[str, str] = field(default_factory=dict)
    cells: dict[tuple[bool, int], tuple[str, str]] = field(default_factory=dict)
    lead: str = ""
    has_head: bool = False
    has_body: bool = True

    def before(self, tag: str) -> str:
        """The white space before ``tag``; if unknown, that before similar tags."""
        known = self.space.get(tag)
        if known is not None:
            return known
        if tag in CELLS:
            return self.space.get("td", self.space.get("th", ""))
        if tag == "/tr":
            return self.space.get("tr", "") if "\n" in self.before("td") else ""
        if tag in ("/thead", "tbody", "/tbody"):
            return self.space.get("thead", "")
        return "\n" if tag == "/table" and "\n" in self.space.get("tr", "") else ""

    def cell(self, head: bool, column: int) -> tuple[str, str]:
        """Name and attributes of the cells of ``column``, or of the last one known before it."""
        if (head, column) in self.cells:
            return self.cells[head, column]
        if not head and self.cells.get((True, column), ("", ""))[0] == "td":
            return self.cells[True, column]
        for known in range(column - 1, -1, -1):
            if (head, known) in self.cells:
                return self.cells[head, known]
        return ("th", "") if head else ("td", self.cells.get((True, 0), ("", ""))[1])


class HtmlSyntax:
    """A ``<table>`` that is being written, in the ``manner`` of those before it; ``behind`` is the text after it."""

    def __init__(self, manner: HtmlManner, listener: Listener, behind: str) -> None:
        self.in_row = False
        self._manner = manner
        self._listener = listener
        self._behind = behind
        self._rest = ""  # behind the last tag
        self._last = ""
        self._in_head = False
        self._rows = 0
        self._column = 0

    @property
    def begun(self) -> str | None:
        return html.unescape(self._split()[0]).strip() if self._last in CELLS else None

    def _split(self) -> tuple[str, str]:
        """The text behind the last tag, and the white space and the part of a tag behind it."""
        text, bracket, part = self._rest.rpartition("<")
        if not bracket:
            text, part = part, ""
        kept = text.rstrip()
        return kept, text[len(kept) :] + bracket + part

    def feed(self, text: str) -> str | None:
        self._rest += text
        while tag := _TABLE_TAG.search(self._rest):
            before, self._rest = self._rest[: tag.start()], self._rest[tag.end() :]
            self._read(tag[1] + tag[2], tag[3], before)
            if self._last == "/table":
                return self._rest
        return self._rest if len(self._rest) > LONGEST else None

    def _read(self, tag: str, attributes: str, before: str) -> None:
        manner = self._manner
        if self._last in CELLS:
            text = before.strip()
            if text:
                manner.lead = before[: len(before) - len(before.lstrip())]
                manner.space["/" + self._last] = before[len(before.rstrip()) :]
            self._listener.cell(text)
        elif not before.strip():
            manner.space[tag] = before
        if self._last == "/thead":
            manner.has_body = tag == "tbody"
        if tag == "tr":
            self.in_row, self._column = True, 0
            self._listener.begin_row()
        elif tag == "/tr":
            self.in_row, self._rows = False, self._rows + 1
        elif tag in CELLS:
            head = self._in_head or tag == "th" or not self._rows
            manner.cells[head, self._column] = (tag, _SPAN.sub("", attributes))
            self._column += 1
        elif tag in ("thead", "/thead"):
            self._in_head = manner.has_head = tag == "thead"
            manner.has_head = True
        self._last = tag

    def ahead(self, rest: str | None, rows: Iterable[TableRow], ends: bool, most: int) -> list[str]:
        if self._last == "table" and "tr" not in self._manner.space:
            return []
        written = self._rest
        if self._last in CELLS:
            text, written = self._split()
            rest = "" if rest is None or "</" in written else html_text(rest)
            if rest and not text:
                rest = self._manner.lead + rest
        return remainder("".join(self._pieces(rest or "", iter(rows), ends, most)), written)

    def _pieces(self, rest: str, rows: Iterator[TableRow], ends: bool, most: int) -> Iterator[str]:
        """The texts after the last tag, or after the written text of the present cell."""
        manner, last, column, in_head = self._manner, self._last, self._column, self._in_head
        row: Iterator[TableCell] = iter(next(rows, ()) if self.in_row else ())
        written = self._rows
        size = len(rest)
        yield rest
        while size < most:
            if last in CELLS:
                last = "/" + last
            elif last in ("tr", "/td", "/th"):
                cell = next(row, None)
                if cell is None:
                    last, written = "/tr", written + 1
                else:
                    head = in_head or not written or (cell.header and not manner.has_head)
                    last, attributes = manner.cell(head, column)
                    column += 1
                    yield manner.before(last) + html_tag(last, attributes, cell)
                    if cell is UNKNOWN:
                        return
                    text = html_text(cell.text)
                    yield manner.lead + text if text else ""
                    size += len(text) + len(attributes) + 4
                    continue
            elif last == "table" and manner.has_head:
                last, in_head = "thead", True
            elif last == "/thead" and manner.has_body:
                last = "tbody"
            elif last in ("table", "thead", "tbody", "/thead", "/tr"):
                following = next(rows, None)
                if following is None:
                    if ends:
                        yield from self._end()
                    return
                if in_head and last == "/tr" and not all(cell.header for cell in following):
                    yield manner.before("/thead") + "</thead>"
                    yield manner.before("tbody") + "<tbody>" if manner.has_body else ""
                    in_head = False
                row, column, last = iter(following), 0, "tr"
            else:
                return
            piece = f"{manner.before(last)}<{last}>"
            yield piece
            size += len(piece)

    def _end(self) -> Iterator[str]:
        if self._manner.has_head and self._manner.has_body:
            yield self._manner.before("/tbody") + "</tbody>"
        yield self._manner.before("/table") + "</table>" + self._behind
