"""Opening an input: which kind of document reads it."""

from __future__ import annotations

from pathlib import Path

from docspec.documents.document import Document
from docspec.documents.sources import Source, source_from_path


def open_document(source: Source | str | Path, password: str | None = None) -> Document:
    """Open a source or a file by its path.

    Raises :class:`InputError`, in one line, when it is missing, damaged beyond repair, encrypted (without
    or with the wrong ``password``), empty, or of an unknown kind.
    """
    if not isinstance(source, Source):
        source = source_from_path(source)
    if source.kind == "pdf":
        from docspec.documents.pdf import PdfDocument

        return PdfDocument(source, password)
    from docspec.documents.images import ImageDocument

    return ImageDocument(source)
