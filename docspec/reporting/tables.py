"""Tables as CSV files, ``page-<page>-<count>.csv``, that appear together when the document is complete."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from docspec.core import OutputError, PageResult
from docspec.core.paths import make_folder
from docspec.core.safe_text import safe_text
from docspec.reporting.figures import nearest_folder
from docspec.reporting.grid import grids
from docspec.reporting.staging import Staged

_ONE_NUMBER = r"(?:[\d.,\s]*\d[\d.,]*(?:[eE][+\-]?\d+)?[\s%‰°*†‡\w]*(?:\([\d.,\s]*\))?)?\s*\Z"
_FORMULA = re.compile(rf"[=@＝＠\t\r\n]|[+\-＋－](?!{_ONE_NUMBER})")
"""Formulas to a spreadsheet: a sign is harmless before one number, its unit, and another in brackets."""


class TableFiles:
    """Writes the tables of one document into ``folder``; a page writer like those of the formats."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._staged: Staged | None = None
        self._names: list[str] = []

    def __enter__(self) -> TableFiles:
        return self

    def add(self, result: PageResult) -> None:
        tables = [grid for block in result.blocks for grid in grids(block)]
        for count, grid in enumerate(tables, start=1):
            name = f"page-{result.number}-{count}.csv"
            try:
                if self._staged is None:
                    self._staged = Staged(nearest_folder(self._folder))
                (self._staged.folder() / name).write_bytes(safe_text(csv_of(grid.lines())).encode())
            except OSError as error:
                raise self._error(error) from error
            self._names.append(name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        staged, self._staged = self._staged, None
        if staged is None:
            return
        try:
            if kind is None:
                make_folder(self._folder)
                for name in self._names:
                    (staged.folder() / name).replace(self._folder / name)
        except OSError as fault:
            raise self._error(fault) from fault
        finally:
            staged.discard()

    @property
    def files(self) -> Sequence[Path]:
        return [self._folder / name for name in self._names]

    def _error(self, error: OSError) -> OutputError:
        return OutputError(f"{self._folder}: cannot write tables here: {error.strerror or error}")


def csv_of(rows: list[list[str]]) -> str:
    """``rows`` as CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe in front."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows([f"'{cell}" if _FORMULA.match(cell) else cell for cell in row] for row in rows)
    return buffer.getvalue()
