"""Reads the formulas of pages (``pdfs/NAME.pdf``) and compares them with their truth (``ground_truth/NAME.json``: a
list of ``{"type": "inline-formula" or "display-formula", "data": LaTeX}``, the layout of pdf-parse-bench)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pymupdf

from benchmarks.formulas.likeness import likeness, symbols_of
from docspec.drafting.page_lines import page_lines
from docspec.mathematics.page import PageFormulas
from docspec.mathematics.reading import ReadFormula

RIGHT, WRONG = 0.999, 0.9
"""The likeness from which a formula counts as right, and below which as wrong."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A true formula and the likest one that was read on its page: its LaTeX, whether it is called doubtful, and its
    likeness."""

    page: str
    display: bool
    truth: str
    latex: str
    doubtful: bool
    likeness: float


def compared(folder: Path) -> Iterator[Compared]:
    """All true formulas of ``folder`` that can be read, with what was read."""
    for file in sorted((folder / "pdfs").glob("*.pdf")):
        read = [(symbols_of(one.latex), one) for one in _formulas_of(file)]
        read = [(symbols, one) for symbols, one in read if symbols]
        truths = json.loads((folder / "ground_truth" / f"{file.stem}.json").read_text(encoding="utf-8"))
        for truth in truths:
            symbols = symbols_of(truth["data"])
            if not symbols or truth["type"] not in ("inline-formula", "display-formula"):
                continue
            best = max(((likeness(symbols, own), one) for own, one in read), key=lambda pair: pair[0], default=None)
            display = truth["type"] == "display-formula"
            if best is None:
                yield Compared(file.stem, display, truth["data"], "", False, 0.0)
                continue
            doubtful = bool(best[1].doubt or best[1].unsure)
            yield Compared(file.stem, display, truth["data"], best[1].latex, doubtful, best[0])


def _formulas_of(file: Path) -> list[ReadFormula]:
    found: list[ReadFormula] = []
    with pymupdf.open(file) as pdf:
        for page in pdf:
            formulas = PageFormulas()
            page_lines(page, formulas=formulas)
            found += formulas.found
    return found
