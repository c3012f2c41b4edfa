"""Forms of a PDF of which only some pages are kept: MuPDF takes the form out and leaves the fields that are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from docspec.documents.mupdf import mupdf

DEEPEST = 50
"""Most levels of fields; damaged files have circles."""


def select_with_form(pdf: Any, indices: Sequence[int]) -> None:
    """Leaves the pages ``indices`` of a ``pymupdf.Document``, with the form of those fields that stand on them. A form
    in XFA, which describes every page, is not kept."""
    catalog = pdf.pdf_catalog()
    kind, form = pdf.xref_get_key(catalog, "AcroForm")
    pdf.select(list(indices))
    lines = [list(_lineage(pdf, xref)) for page in pdf for xref in _widgets(page)]
    if kind not in ("dict", "xref") or not lines:
        return
    kept = {xref for line in lines for xref in line}
    for field in kept:
        inner, kids = pdf.xref_get_key(field, "Kids")
        if inner == "array":
            pdf.xref_set_key(field, "Kids", _array(xref for xref in _references(kids) if xref in kept))
    pdf.xref_set_key(catalog, "AcroForm", form)
    place, path = (int(form.split()[0]), "") if kind == "xref" else (catalog, "AcroForm/")
    pdf.xref_set_key(place, f"{path}Fields", _array(dict.fromkeys(line[-1] for line in lines)))
    if pdf.xref_get_key(place, f"{path}XFA")[0] != "null":
        pdf.xref_set_key(place, f"{path}XFA", "null")


def _widgets(page: Any) -> list[int]:
    return [xref for xref, kind, _ in page.annot_xrefs() if kind == mupdf().PDF_ANNOT_WIDGET]


def _lineage(pdf: Any, xref: int) -> Iterator[int]:
    """A field, the one that holds it, and so on."""
    for _ in range(DEEPEST):
        yield xref
        kind, parent = pdf.xref_get_key(xref, "Parent")
        if kind != "xref":
            return
        xref = int(parent.split()[0])


def _references(array: str) -> list[int]:
    """The numbers of the objects in ``array``, as MuPDF spells it."""
    parts = array.strip("[]").split()
    return [int(number) for number in parts[::3]]


def _array(xrefs: Any) -> str:
    return "[" + " ".join(f"{xref} 0 R" for xref in xrefs) + "]"
