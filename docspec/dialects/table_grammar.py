"""The grammar of tables: the drafted cells that come next, in the syntax in which the output writes its table.

Wherever the output ends inside a table, the rest of the cell, the border and the cells and rows that follow are
predicted as one text. If a table has no draft, the next row is predicted to be like the one above.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat

from docspec.core import Category, PageDraft
from docspec.core.grammar import Completion, Fork, Landmark
from docspec.dialects.html_syntax import HtmlManner, HtmlSyntax
from docspec.dialects.pipe_syntax import PipeManner, PipeSyntax
from docspec.dialects.table_place import DraftedCells, TablePlace, rest_behind
from docspec.dialects.table_syntax import UNKNOWN, Listener, TableRow, TableSyntax
from docspec.dialects.tables import Table, TableCell, parse_table

AHEAD = 400
"""Characters predicted of the likeliest text."""

AHEAD_OF_OTHERS = 120
"""Characters predicted of others."""

CHOICES = 2
"""Texts predicted at one position."""

TRUSTED = 2
"""Successive cells as drafted, after which the next one is trusted."""

LOST = -4
"""Successive cells not as drafted (negative), after which the draft is not used until one is found again."""

_BEGINNING = re.compile(r"<table\b[^<>]*>|(?<![^\n])\|")
_KEPT = 200


class TableGrammar:
    """Predicts the tables of one page's output from the ``tables`` drafted for it, in reading order.

    ``behind`` is the text after an HTML table.
    """

    markers: Sequence[str] = ()

    def __init__(self, tables: Sequence[Table] = (), behind: str = "\n\n") -> None:
        self._html = TablePlace(DraftedCells([table.rows for table in tables]))
        self._pipe = TablePlace(DraftedCells([_opened(table) for table in tables]))
        self._html_manner = HtmlManner()
        self._pipe_manner = PipeManner()
        self._behind = behind
        self._line = ""
        self._table: TableSyntax | None = None
        self._place = self._html
        self._above: list[TableCell] = []
        self._row: list[TableCell] = []

    def landmark(self, marker: str, ahead: str) -> Landmark | None:
        return None

    def here(self) -> Fork | None:
        return None

    def beginning(self, element: int) -> Fork | None:
        return None

    def follow(self, text: str) -> None:
        left: str | None = text
        while left:
            if self._table is None:
                left = self._look_for_table(left)
                continue
            left = self._table.feed(left)
            if left is not None:
                # Pipes behind a table, or a line of them that went astray, must not begin another table.
                self._table, self._line = None, " "

    def _look_for_table(self, text: str) -> str | None:
        """Begins a table where ``text`` has one; returns it with what follows."""
        self._line += text
        beginning = _BEGINNING.search(self._line)
        if beginning is None:
            line = self._line.rpartition("\n")[2]
            self._line = line if len(line) <= _KEPT else " " + line[-_KEPT:]
            return None
        listener = Listener(self._begin_row, self._add_cell)
        self._above, self._row = [], []
        if beginning[0] == "|":
            self._place = self._pipe
            self._table = PipeSyntax(self._pipe_manner, listener)
        else:
            self._place = self._html
            self._table = HtmlSyntax(self._html_manner, listener, self._behind)
        self._place.begin()
        return self._line[beginning.start() :]

    def _begin_row(self) -> None:
        self._above, self._row = self._row or self._above, []
        self._place.begin_row()

    def _add_cell(self, text: str) -> None:
        self._row.append(TableCell(text))
        self._place.advance(text)

    def completions(self) -> Sequence[Completion]:
        table = self._table
        if table is None:
            return ()
        sureness_of: dict[str, int] = {}
        for sureness, text in chain(self._drafted(table), self._undrafted(table)):
            if sureness_of and not sureness and self._place.hits >= TRUSTED:
                break
            if text:
                sureness_of.setdefault(text if not sureness_of else text[:AHEAD_OF_OTHERS], sureness)
            if len(sureness_of) == CHOICES:
                break
        return [Completion(text, sureness) for text, sureness in sureness_of.items()]

    def _drafted(self, table: TableSyntax) -> Iterator[tuple[int, str]]:
        """What follows if the cells are those drafted, the likeliest first."""
        place = self._place
        if not place.is_drafted or place.hits <= LOST:
            return
        sureness, most = 2 if place.hits >= TRUSTED else 1, AHEAD
        for rest, rows in self._continuations(table.begun):
            for text in table.ahead(rest, rows, True, most):
                yield sureness, text
            sureness, most = 1, AHEAD_OF_OTHERS

    def _continuations(self, begun: str | None) -> Iterator[tuple[str | None, Iterable[TableRow]]]:
        """The rest of the cell that has begun, and the rows behind it, the likeliest first."""
        place, drafted = self._place, self._place.drafted
        if begun:
            near = drafted.beginning_with(begun, place.at)
            for at in near[:2]:
                yield rest_behind(drafted.cells[at].text, begun), self._rows(at + 1, True)
            if not near:
                yield "", self._rows(min(place.at + 1, len(drafted.cells)), True)
                yield from (("", self._rows(at, False)) for at in place.others)
            return
        for at in (place.at, *place.others):
            ends_row = at == place.at and bool(self._row)
            is_end = at == len(drafted.cells)
            if begun is not None and not is_end and not (ends_row and drafted.is_row_start(at)):
                yield drafted.cells[at].text, self._rows(at + 1, True)
            elif not is_end or self._row:
                yield None, self._rows(at, ends_row)

    def _rows(self, place: int, ends_row: bool) -> Iterable[TableRow]:
        """The drafted cells from ``place`` on, up to the end of the table.

        If a row begins there and ``ends_row``, the row that is being written ends before it.
        """
        drafted = self._place.drafted
        inside = bool(self._row) or ends_row
        rows = drafted.rows(place, drafted.end_of_table(max(place - 1, 0) if inside else place))
        is_behind_row = ends_row and drafted.is_row_start(place)
        return chain([()], rows) if is_behind_row and self._table and self._table.in_row else rows

    def _undrafted(self, table: TableSyntax) -> Iterator[tuple[int, str]]:
        """What follows if the row is like the one above, and what follows if a row or the table ends."""
        above, column, begun = self._above, len(self._row), table.begun
        rest: str | None = None
        guesses: list[tuple[list[TableRow], bool]]
        if not table.in_row:
            last = self._row or above
            guesses = [([last] if last else [], False), ([], True)]
        elif not above:
            rest = None if begun is None else ""
            guesses = [([[UNKNOWN]], False), ([()], False)]
        else:
            if begun is not None and (begun or column < len(above)):
                rest = "" if begun else above[column].text
                column += 1
            guesses = [([above[column:], above], False)]
            if column >= len(above):
                guesses.append(([()], True))
        for rows, ends in guesses:
            for text in table.ahead(rest, rows, ends, AHEAD_OF_OTHERS):
                yield 0, text


def drafted_tables(draft: PageDraft, region_outputs: Sequence[str] = ()) -> list[Table]:
    """The tables of ``draft`` in reading order; what Stage 1 wrote for a region comes before its drafted texts."""
    drafted: list[Table] = []
    for region, output in zip(draft.regions, chain(region_outputs, repeat("")), strict=False):
        if region.category is Category.TABLE:
            tables = (parse_table(text.strip()) for text in (output, *region.texts))
            drafted += [table for table in tables if table is not None][:1]
    return drafted


def _opened(table: Table) -> list[TableRow]:
    """The rows of ``table`` as pipes have them: spans opened into empty cells."""
    return [[TableCell(text) for text in row] for row in table.grid()]
