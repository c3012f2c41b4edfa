"""The formulas of a page as LaTeX, with what is unsure about them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docspec.core import BBox
from docspec.mathematics.finding import find_formulas
from docspec.mathematics.formula import Formula
from docspec.mathematics.glyphs import Bar, Glyph, bars_of, glyphs_of
from docspec.mathematics.items import item_of
from docspec.mathematics.layout import read_formula


@dataclass(frozen=True, slots=True)
class ReadFormula:
    """A formula with its LaTeX; ``doubt`` says why it may be wrong (empty: it is not doubted)."""

    formula: Formula
    latex: str
    doubt: str = ""


def read_page(
    page: Any, blocks: Sequence[Mapping[str, Any]], tables: Sequence[Sequence[BBox]] = ()
) -> list[ReadFormula]:
    """The formulas of a ``pymupdf.Page`` whose text is ``blocks``, MuPDF's raw dictionary with exact boxes, and of
    whose ``tables`` the places of the cells are known."""
    glyphs = glyphs_of(page, blocks)
    if not glyphs:
        return []
    return [read(formula) for formula in find_formulas(glyphs, bars_of(page), tables)]


def read(formula: Formula) -> ReadFormula:
    """``formula`` as LaTeX."""
    parts = [formula, *formula.rest]
    try:
        return _read(formula, parts)
    except (ArithmeticError, LookupError, ValueError, RecursionError):  # one formula never costs the page
        return ReadFormula(formula, "", "their layout is not understood")


def _read(formula: Formula, parts: Sequence[Formula]) -> ReadFormula:
    latex = " ".join(_latex(part.glyphs, part.bars, formula.display) for part in parts)
    latex = re.sub(r"(?<=[^A-Za-z]) (?=[^A-Za-z])", "", latex) if formula.rest else latex
    if formula.number:
        latex += f"\\tag{{{''.join(one.symbol.sign for one in formula.number).strip('()')}}}"
    unknown = sum(one.symbol.sign == "\ufffd" for part in parts for one in part.glyphs)
    return ReadFormula(formula, latex, f"{unknown} signs are not known" if unknown else "")


def _latex(glyphs: Sequence[Glyph], bars: Sequence[Bar], display: bool) -> str:
    return read_formula([item_of(one) for one in glyphs], bars, display)
