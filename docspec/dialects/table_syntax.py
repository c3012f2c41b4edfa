"""The contract of a table syntax, which reads a table while the output writes it and continues it in the same manner.

A continuation begins behind the last border, or behind the written text of a cell; the output may have its first
characters already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from docspec.dialects.tables import TableCell, TableRow

LONGEST = 4000
"""Characters after which a cell (or a line of pipes) is no table any more: the output has gone astray."""

UNKNOWN = TableCell("\0")
"""A cell of which only the border before it is predicted."""


class TableSyntax(Protocol):
    """A table that is being written."""

    in_row: bool

    @property
    def begun(self) -> str | None:
        """The written text of the cell that the output ends in; ``None`` outside of cells."""
        ...

    def feed(self, text: str) -> str | None:
        """Reads ``text``; once the table has ended, returns the text after it."""
        ...

    def ahead(self, rest: str | None, rows: Iterable[TableRow], ends: bool, most: int) -> list[str]:
        """Texts of about ``most`` characters that may come next, the likeliest first.

        ``rest`` is the rest of the cell that has begun; ``rows`` are the rest of its row, if the output is inside one,
        and further rows; ``ends``: the table ends after them.
        """
        ...


@dataclass(frozen=True, slots=True)
class Listener:
    """Callbacks for the beginning of each row and for the text of each written cell."""

    begin_row: Callable[[], None]
    cell: Callable[[str], None]


def remainder(text: str, written: str) -> list[str]:
    """``text`` without ``written``, with which it must begin."""
    return [text[len(written) :]] if text.startswith(written) else []
