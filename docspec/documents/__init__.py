"""Opens inputs: selects files and their pages, and gives each page as pixels, one at a time.

Importing this package is cheap; PyMuPDF and Pillow are loaded when the first document is opened.
"""

from __future__ import annotations

from pathlib import Path

from docspec.core import InputError
from docspec.core.paths import open_regular
from docspec.documents.document import Document, PageFailure
from docspec.documents.inputs import Expansion, expand_inputs
from docspec.documents.pages import PageSelection, parse_page_ranges
from docspec.documents.sources import Skipped, Source, source_from_path

__all__ = [
    "Document",
    "Expansion",
    "PageFailure",
    "PageSelection",
    "Skipped",
    "Source",
    "expand_inputs",
    "open_document",
    "parse_page_ranges",
]


def open_document(source: Source | str | Path, password: str | None = None) -> Document:
    """Open a source or a file by its path.

    Raises :class:`InputError`, in one line, when it is missing, damaged beyond repair, encrypted (without
    or with the wrong ``password``), empty, or of an unknown kind.
    """
    if not isinstance(source, Source):
        source = source_from_path(source)
    _check_there(source)
    if source.kind == "pdf":
        from docspec.documents.pdf import PdfDocument

        return PdfDocument(source, password)
    from docspec.documents.images import ImageDocument

    return ImageDocument(source)


def _check_there(source: Source) -> None:
    """Raises :class:`InputError` for a file that has gone since it was listed."""
    if source.path is None:
        return
    try:
        open_regular(source.path).close()
    except OSError as error:
        raise InputError(f"{source.name}: cannot be read any more ({error.strerror or error})") from error
