"""Tools that find nothing but tables, as far as they are installed: they write the tables of a page in HTML."""

from __future__ import annotations

import io
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.extras import require
from benchmarks.other_readers import OTHERS, Read, Written, one_page
from docspec.core import PageImage


def with_find_tables(furniture: bool = True) -> Read:
    """``Page.find_tables`` of PyMuPDF as it is by default, as Markdown; it knows no ``furniture``."""

    def read(page: PageImage) -> Written:
        with one_page(page) as document:
            sheet = document[0]  # its tables live no longer than it does
            tables = sheet.find_tables().tables
            return Written("\n\n".join(table.to_markdown(fill_empty=False) for table in tables))

    return read


def with_pdfplumber(furniture: bool = True) -> Read:
    """``Page.extract_tables`` of pdfplumber as it is by default; it knows no ``furniture``."""
    package = require("pdfplumber", "comparing with pdfplumber")

    def read(page: PageImage) -> Written:
        with one_page(page) as document, package.open(io.BytesIO(document.tobytes())) as pdf:
            return _written(pdf.pages[0].extract_tables())

    return read


def with_camelot(furniture: bool = True) -> Read:
    """camelot's ``stream`` as it is by default; it knows no ``furniture``."""
    package = require("camelot", "comparing with camelot")

    def read(page: PageImage) -> Written:
        with one_page(page) as document, TemporaryDirectory() as folder:
            path = Path(folder) / "page.pdf"
            document.save(path)
            return _written(table.df.values.tolist() for table in package.read_pdf(str(path), flavor="stream"))

    return read


FINDERS: dict[str, Callable[..., Read]] = {
    "find_tables": with_find_tables,
    "pdfplumber": with_pdfplumber,
    "camelot": with_camelot,
}
"""What makes each of them ready, as in :data:`benchmarks.other_readers.OTHERS`."""

BESIDE: Mapping[str, Callable[..., Read]] = ChainMap(FINDERS, OTHERS)
"""All that data sets are scored beside."""


def _written(tables: Iterable[Sequence[Sequence[Any]]]) -> Written:
    return Written("\n\n".join(map(_html, tables)))


def _html(rows: Sequence[Sequence[Any]]) -> str:
    told = ("".join(f"<td>{escape(str(cell or ''), quote=False)}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in told).replace("\n", " ") + "</table>"
