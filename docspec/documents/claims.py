"""What a PDF says of itself that a changed copy may no longer say: that it is PDF/A, and that it is signed."""

from __future__ import annotations

import re
from typing import Any

FileMade = tuple[bytes, tuple[str, ...]]
"""A file that was made of a document, and sentences on what it lost."""

_PART = re.compile(r"pdfaid:part(?:>|\s*=\s*[\"'])\s*(\d)")
_LEVEL = re.compile(r"pdfaid:conformance(?:>|\s*=\s*[\"'])\s*([A-Za-z])")
_CLAIM = re.compile(r"<pdfaid:(\w+)>[^<]*</pdfaid:\1>|\s+pdfaid:\w+\s*=\s*(?:\"[^\"]*\"|'[^']*')")


def pdf_a_claim(pdf: Any) -> str:
    """The part and level of PDF/A that a ``pymupdf.Document`` says it keeps to (``PDF/A-2b``); empty if none."""
    metadata = pdf.get_xml_metadata()
    part, level = _PART.search(metadata), _LEVEL.search(metadata)
    return f"PDF/A-{part[1]}{level[1].lower() if level is not None else ''}" if part is not None else ""


def without_claim(pdf: Any) -> None:
    """Takes what :func:`pdf_a_claim` finds out of the metadata of ``pdf``."""
    pdf.set_xml_metadata(_CLAIM.sub("", pdf.get_xml_metadata()))


def is_signed(pdf: Any) -> bool:
    """Whether a ``pymupdf.Document`` has a signature: a field for one that is filled in, whatever its form says."""
    if pdf.xref_get_key(pdf.pdf_catalog(), "AcroForm")[0] == "null":
        return False
    return any(_is_signature(pdf, xref) for xref in range(1, pdf.xref_length()))


def _is_signature(pdf: Any, xref: int) -> bool:
    """Whether an object is a field for a signature that is filled in."""
    try:
        return bool(pdf.xref_get_key(xref, "FT")[1] == "/Sig" and pdf.xref_get_key(xref, "V")[0] != "null")
    except Exception:  # MuPDF's errors: a number that no object has, or a damaged object
        return False
