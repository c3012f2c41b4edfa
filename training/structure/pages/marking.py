"""What every typesetter counts while it writes: colours, blocks, tables and the order of reading."""

from __future__ import annotations

import random
from typing import Any

from training.structure.pages.colours import Palette
from training.structure.pages.table import Table

ALIGNED = ("left", "left", "left", "center")
"""How lines of their own are set."""


class Marking:
    """Numbers of blocks and tables go on from page to page of a run."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.palette = Palette(rng)
        self.tables: list[dict[str, Any]] = []
        self.blocks = 0
        self.order = 0

    def entry(self, kind: str, pair: int = -1) -> dict[str, object]:
        """The next block."""
        entry: dict[str, object] = {"kind": kind, "block": self.blocks, "order": self.order}
        if pair >= 0:
            entry["pair"] = pair
        self.blocks += 1
        self.order += 1
        return entry

    def begin(self, table: Table) -> int:
        """The next table's number."""
        told = {
            "rows": table.rows,
            "columns": len(table.columns),
            "head_rows": table.head_rows,
            "order": self.order,
            "cells": [[cell.row, cell.column, cell.rows, cell.columns, int(cell.head)] for cell in table.cells],
        }
        self.tables.append(told)
        self.order += 1
        return len(self.tables) - 1
