"""``--numbers-report``: the numbers of a run on which independent readings differ, a line of CSV each."""

from __future__ import annotations

from pathlib import Path

from docspec.core import PageResult
from docspec.reporting.tables import csv_of
from docspec.reporting.writer import write_whole

SOURCES = ("text layer", "recognition", "model", "draft")
COLUMNS = ("document", "page", "block", "category", "x0", "y0", "x1", "y1", "written", "words", *SOURCES)
"""``block`` counts from 1, as the view does; the box is that of the printed line, in pixels of the page image;
``words`` says whose reading was written."""


class NumbersReport:
    """Collects rows page by page; nothing of the pages is kept."""

    def __init__(self) -> None:
        self._rows: list[list[str | int]] = []

    def add_page(self, page: PageResult) -> None:
        """The page's numbers; none without its provenance."""
        for one in () if page.provenance is None else page.provenance.numbers:
            readings = dict(one.readings)
            block = page.blocks[one.block]
            box = ("", "", "", "") if one.bbox is None else one.bbox.rounded()
            whose, written = one.readings[0]
            texts = (readings.get(source, "") for source in SOURCES)
            where = (page.source, page.number, one.block + 1, block.category.value)
            self._rows.append([*where, *box, written, whose, *texts])

    def write(self, path: Path) -> None:
        """Writes the report whole or not at all; raises :class:`docspec.core.OutputError`."""
        write_whole(path, csv_of([COLUMNS, *self._rows], lineterminator="\n"))
