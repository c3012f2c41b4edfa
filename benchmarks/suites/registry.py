"""Which data sets there are, by name and by the layout of their folder."""

from __future__ import annotations

from pathlib import Path

from benchmarks.suites.e_invoices import EInvoices
from benchmarks.suites.icdar2013 import Icdar2013
from benchmarks.suites.item import Suite
from benchmarks.suites.ocean_ocr import OceanOcr
from benchmarks.suites.olmocr_bench import OlmocrBench
from benchmarks.suites.omnidocbench import OmniDocBench
from benchmarks.suites.pairs import Pairs
from benchmarks.suites.parsebench import ParseBench
from benchmarks.suites.pdf_parse_bench import PdfParseBench
from docspec.core import InputError, UsageError

SUITES: dict[
    str, type[OmniDocBench | ParseBench | OlmocrBench | OceanOcr | Icdar2013 | PdfParseBench | Pairs | EInvoices]
] = {
    one.name: one
    for one in (OmniDocBench, ParseBench, OlmocrBench, OceanOcr, Icdar2013, PdfParseBench, Pairs, EInvoices)
}
"""The data sets by the names that commands know. Some folders fit several: the first counts."""


def suite_in(folder: Path, name: str | None = None) -> Suite:
    """The data set in ``folder``, ``name`` or the one whose layout the folder has.

    Raises :class:`UsageError` for an unknown name and :class:`InputError` for a folder that holds none.
    """
    if name is not None and name not in SUITES:
        raise UsageError(f"no data set is called {name!r}; choose among {', '.join(SUITES)}")
    if not folder.is_dir():
        raise InputError(f"{folder}: is no folder")
    for one in SUITES.values() if name is None else (SUITES[name],):
        if one.fits(folder):
            return one(folder)
    looked = ", ".join(one.title for one in SUITES.values()) if name is None else SUITES[name].title
    raise InputError(f"{folder}: does not hold {looked} as published; docs/suites.md shows the layout")
