"""Tables as CSV files, ``page-<page>-<count>.csv``, that appear together when the document is complete."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from docspec.core import PageResult
from docspec.core.safe_text import safe_text
from docspec.reporting.grid import grids
from docspec.reporting.staging import StagedFiles
from docspec.reporting.writer import PageWriter

_ONE_NUMBER = r"(?:[\d.,\s]*\d[\d.,]*(?:[eE][+\-]?\d+)?[\s%‰°*†‡\w]*(?:\([\d.,\s]*\))?)?\s*\Z"
_FORMULA = re.compile(rf"[=@＝＠\t\r\n]|[+\-＋－](?!{_ONE_NUMBER})")
"""Formulas to a spreadsheet: a sign is harmless before one number, its unit, and another in brackets."""


class TableFiles(StagedFiles, PageWriter):
    """Writes the tables of one document into ``folder``."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "tables")

    def add(self, result: PageResult) -> None:
        tables = [grid for block in result.blocks for grid in grids(block)]
        for count, grid in enumerate(tables, start=1):
            self.put(f"page-{result.number}-{count}.csv", safe_text(csv_of(grid.lines())).encode())


def csv_of(rows: list[list[str]]) -> str:
    """``rows`` as CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe in front."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows([f"'{cell}" if _FORMULA.match(cell) else cell for cell in row] for row in rows)
    return buffer.getvalue()
