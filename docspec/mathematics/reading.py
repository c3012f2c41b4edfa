"""The formulas of a page as LaTeX, with what is unsure about them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docspec.core import BBox
from docspec.mathematics.certainty import Strains, lost_signs
from docspec.mathematics.evidence import UNSURE, weighed
from docspec.mathematics.finding import find_formulas
from docspec.mathematics.formula import Formula
from docspec.mathematics.glyphs import bars_of, can_have_formulas, glyphs_of
from docspec.mathematics.items import item_of
from docspec.mathematics.layout import read_formula
from docspec.mathematics.spelling import BINARY, RELATIONS


@dataclass(frozen=True, slots=True)
class ReadFormula:
    """A formula with its LaTeX; ``doubt`` says why it is not to be written as such, ``unsure`` what in it does not fit
    its place (empty: nothing)."""

    formula: Formula
    latex: str
    doubt: str = ""
    unsure: str = ""


def read_page(
    page: Any, blocks: Sequence[Mapping[str, Any]], tables: Sequence[Sequence[BBox]] = ()
) -> list[ReadFormula]:
    """The formulas of a ``pymupdf.Page`` whose text is ``blocks``, MuPDF's raw dictionary with exact boxes, and of
    whose ``tables`` the places of the cells are known."""
    if not can_have_formulas(blocks):
        return []
    glyphs = glyphs_of(page, blocks)
    bars, radicals = bars_of(page)
    found = weighed(find_formulas([*glyphs, *radicals], bars, tables))
    formulas = [(read(formula), evidence) for formula, evidence in found]
    return [one for one, evidence in formulas if evidence + UNSURE * bool(one.unsure) > 0]


def read(formula: Formula) -> ReadFormula:
    """``formula`` as LaTeX."""
    parts = [formula, *formula.rest]
    try:
        return _read(formula, parts)
    except (ArithmeticError, LookupError, ValueError, RecursionError):  # one formula never costs the page
        return ReadFormula(formula, "", "their layout is not understood")


def _read(formula: Formula, parts: Sequence[Formula]) -> ReadFormula:
    strains = Strains()
    items = [[item_of(one) for one in part.glyphs] for part in parts]
    latex = " ".join(
        read_formula(own, part.bars, strains, formula.display) for own, part in zip(items, parts, strict=True)
    )
    if not formula.display:
        strains.add("open end", _is_cut(parts))
    strains.add("signs lost", lost_signs([one for part in parts for one in part.glyphs], latex))
    latex = re.sub(r"(?<=[^A-Za-z]) (?=[^A-Za-z])", "", latex) if formula.rest else latex
    if formula.number:
        latex += f"\\tag{{{''.join(one.symbol.sign for one in formula.number).strip('()')}}}"
    unknown = sum(one.symbol.sign == "\ufffd" for part in parts for one in part.glyphs)
    return ReadFormula(formula, latex, f"{unknown} signs are not known" if unknown else "", strains.doubt)


def _is_cut(parts: Sequence[Formula]) -> bool:
    """Whether a formula begins or ends with a sign that has something on both of its sides."""
    first, last = min(parts[0].glyphs, key=lambda one: one.x0), max(parts[-1].glyphs, key=lambda one: one.x1)
    signs = BINARY - set("+−±∓∗⋆∙∘⋅")
    return len(parts[0].glyphs) > 1 and (first.symbol.sign in signs or last.symbol.sign in RELATIONS | signs - {":"})
