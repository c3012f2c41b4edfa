"""A table as its author means it: cells with their spans, and what a typesetter asks of its rows and columns."""

from __future__ import annotations

from dataclasses import dataclass, field

from training.structure.pages.text import Text


@dataclass(frozen=True)
class Cell:
    """One cell; `kind` is what stands in it: head, name, group, value, text, total."""

    row: int
    column: int
    text: Text
    rows: int = 1
    columns: int = 1
    head: bool = False
    kind: str = "value"

    @property
    def truth(self) -> dict[str, object]:
        """What is told of each of its characters, less the table's number."""
        return {"row": self.row, "column": self.column, "rows": self.rows, "columns": self.columns, "head": self.head}


@dataclass(frozen=True)
class Table:
    """Cells in reading order, those without text among them.

    `columns` holds each column's kind: name, value, text. `breaks` are the rows above which a thin rule is natural.
    `room` is an empty row down to the foot of a form, through which the rules between columns go on (-1: none).
    """

    rows: int
    columns: tuple[str, ...]
    head_rows: int
    cells: tuple[Cell, ...]
    breaks: frozenset[int] = frozenset()
    notes: tuple[Text, ...] = field(default=())
    room: int = -1

    def at(self) -> dict[tuple[int, int], Cell]:
        """The cell that begins at each place."""
        return {(cell.row, cell.column): cell for cell in self.cells}

    def covered(self) -> dict[tuple[int, int], Cell]:
        """The cell that covers each place, an empty one where none does."""
        empty = {(row, at): Cell(row, at, ()) for row in range(self.rows) for at in range(len(self.columns))}
        return empty | {
            (row, column): cell
            for cell in self.cells
            for row in range(cell.row, cell.row + cell.rows)
            for column in range(cell.column, cell.column + cell.columns)
        }
