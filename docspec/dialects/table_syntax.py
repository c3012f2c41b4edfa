"""The contract of table syntax: read while the output writes it, and written on in the same manner.

What is written on begins behind the last border, or behind what is written of a cell's text; of it the output may
have the first characters already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from docspec.dialects.tables import TableCell, TableRow

LONGEST = 4000
"""Characters after which a cell (or a line of pipes) is no table any more: the output has gone astray."""

UNKNOWN = TableCell("\0")
"""A cell of which only the border before it is written on."""


class TableSyntax(Protocol):
    """A table that is being written."""

    in_row: bool

    @property
    def begun(self) -> str | None:
        """What is written of the text of the cell that the output ends in; ``None`` outside of cells."""
        ...

    def feed(self, text: str) -> str | None:
        """Reads on; returns what follows the table once it has ended."""
        ...

    def ahead(self, rest: str | None, rows: Iterable[TableRow], ends: bool, most: int) -> list[str]:
        """What may come next, some ``most`` characters of it, the likeliest first.

        ``rest`` is what is left of the cell that has begun, ``rows`` what follows it: the rest of its row, if the
        output is inside one, and further rows; ``ends``: and then the table ends.
        """
        ...


@dataclass(frozen=True, slots=True)
class Listener:
    """Is told of a table's rows and of the texts of its cells as they are written."""

    begin_row: Callable[[], None]
    cell: Callable[[str], None]


def remainder(text: str, written: str) -> list[str]:
    """``text`` without ``written``, with which it must begin."""
    return [text[len(written) :]] if text.startswith(written) else []
