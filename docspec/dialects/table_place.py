"""Follows an output through the drafted table cells by comparing each written cell with them.

Cells are compared by letters and digits only, so that ``$ 178`` is ``$178`` and emphasis does not matter. A cell that
was not drafted counts as a replacement of the drafted one; after a cell that is drafted elsewhere, the output is
followed from there.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from docspec.dialects.tables import TableCell, TableRow

NEAR = 24
"""Cells ahead and behind that are searched for a written cell."""

DISTINCT = 4
"""Letters and digits from which on a cell is recognised anywhere."""

_TAG = re.compile(r"<[^<>]*>")


class DraftedCells:
    """The cells of some tables in reading order; a *place* is an index into ``cells``."""

    def __init__(self, tables: Sequence[Sequence[TableRow]]) -> None:
        self.cells: list[TableCell] = []
        self._tables: list[int] = []  # where each begins
        self._row_starts: list[bool] = []
        for table in tables:
            self._tables.append(len(self.cells))
            for row in table:
                self.cells.extend(row)
                self._row_starts.extend([True, *[False] * (len(row) - 1)] if row else [])
        self._row_starts.append(True)
        self.keys = [key(cell.text) for cell in self.cells]
        self._places: dict[str, list[int]] = {}
        for place, known in enumerate(self.keys):
            self._places.setdefault(known, []).append(place)

    def is_table_start(self, place: int) -> bool:
        """Whether a table begins at ``place``."""
        return place in self._tables

    def is_row_start(self, place: int) -> bool:
        """Whether a row begins at ``place``, or all cells end there."""
        return self._row_starts[place]

    def end_of_table(self, place: int) -> int:
        """The place behind the table that ``place`` lies in."""
        return next((start for start in self._tables if start > place), len(self.cells))

    def row_start(self, place: int) -> int:
        """The first place of the row that begins at ``place`` or behind it."""
        while not self._row_starts[place]:
            place += 1
        return place

    def rows(self, place: int, end: int) -> Iterator[TableRow]:
        """The rest of the row of ``place``, and the rows behind it, up to ``end``."""
        while place < end:
            behind = self.row_start(place + 1)
            yield self.cells[place:behind]
            place = behind

    def beginning_with(self, begun: str, place: int) -> list[int]:
        """Places near ``place`` whose cells begin with the text ``begun``, the nearest ahead first."""
        ahead = range(place, min(place + NEAR, len(self.cells)))
        behind = range(place - 1, max(place - NEAR, -1), -1)
        if not any(map(str.isalnum, begun)):
            return [near for near in (*ahead, *behind) if self.cells[near].text.startswith(begun)]
        written = key(begun)
        return [near for near in (*ahead, *behind) if self.keys[near].startswith(written)]

    def place_of(self, written: str, place: int) -> int | None:
        """The place of the cell ``written`` (a key): near ``place``, or anywhere if that is unmistakable."""
        places = self._places.get(written, ()) if written else ()
        ahead = [known for known in places if place <= known < place + NEAR]
        if ahead:
            return ahead[0]
        near = [known for known in places if place - NEAR < known < place]
        if near:
            return near[-1]
        return places[0] if len(places) == 1 and len(written) >= DISTINCT else None


class TablePlace:
    """Follows the cells of an output through ``drafted``.

    ``at`` is the drafted cell that should come next, ``others`` those that may come instead; ``hits`` counts successive
    cells that were as drafted, and is negative for successive cells that were not.
    ``is_drafted`` says whether there is a draft of the table.
    """

    def __init__(self, drafted: DraftedCells) -> None:
        self.drafted = drafted
        self.at = 0
        self.others: list[int] = []
        self.hits = 0
        self.is_drafted = False

    def begin(self) -> None:
        """Begins the next table of which no cell was written."""
        if self.at and not self.drafted.is_table_start(self.at):
            self.at = self.drafted.end_of_table(self.at)
        self.others, self.hits = [], 0
        self.is_drafted = self.at < len(self.drafted.cells)

    def begin_row(self) -> None:
        here = self.at
        self.at = self.drafted.row_start(here)
        self.others = [here] if here != self.at else []

    def advance(self, text: str) -> None:
        written, here = key(text), self.at
        self.others = []
        if here < len(self.drafted.cells) and self.drafted.keys[here] == written:
            self.at, self.hits = here + 1, max(self.hits, 0) + 1
            return
        place = self.drafted.place_of(written, here)
        if place is not None:
            self.at, self.hits, self.is_drafted = place + 1, 1, True
            return
        self.hits = min(self.hits, 0) - 1
        self.at = min(here + 1, len(self.drafted.cells))
        self.others = [here] if here != self.at else []


def key(text: str) -> str:
    """The text by which a cell is compared: its letters and digits, or all of it if it has none."""
    plain = html.unescape(_TAG.sub("", text)) if "<" in text or "&" in text else text
    return "".join([char for char in plain if char.isalnum()]).casefold() or "".join(plain.split())


def rest_behind(text: str, begun: str) -> str:
    """The rest of the drafted cell ``text`` behind the written text ``begun``, whose key its own begins with."""
    if text.startswith(begun):
        return text[len(begun) :]
    left = sum(1 for char in begun if char.isalnum())
    for index, char in enumerate(text):
        if not left:
            return text[index:]
        left -= char.isalnum()
    return ""
