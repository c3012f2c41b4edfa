"""A second look at a PDF that MuPDF warned of. It loads only what is printed, so that faults elsewhere are silent.

MuPDF loads bookmarks and links when it opens a file or a page. Where these lead to pages that were left out, as in a
part of a longer document, its warnings are those of a lost font. The file is opened again here, without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docspec.documents.mupdf import mupdf
from docspec.documents.pagetree import settled_tree

MAX_OBJECTS = 100_000
"""Most objects of a page that are looked at; the densest maps have a tenth."""

_INHERITED = ("Resources", "MediaBox", "CropBox", "Rotate")
_OF_PAGE = ("Contents", "Group", "UserUnit", *_INHERITED)
_OF_ANNOTATION = (
    *("AP", "AS", "BS", "Border", "C", "Contents", "DA", "DR", "DV", "FT", "IC", "InkList", "L", "MK", "OC", "Opt"),
    *("Parent", "QuadPoints", "Rect", "Subtype", "V", "Vertices"),
)
_NOT_PRINTED = frozenset(
    ("A", "AA", "AF", "Dest", "Kids", "LastModified", "Metadata", "OPI", "P", "Parent", "PieceInfo", "Popup")
)
"""Entries of what is printed that lead elsewhere."""


class SecondLook:
    """A PDF opened without its bookmarks, links, names, metadata and structure. Raises MuPDF's errors."""

    def __init__(self, path: Path | None, data: bytes, password: str | None) -> None:
        """Opens the file at ``path``, or ``data`` if there is none."""
        low = mupdf().mupdf
        self._data = data  # MuPDF reads from it
        stream = low.fz_open_file(str(path)) if path else low.fz_open_memory(low.python_buffer_data(data), len(data))
        self._document = low.pdf_open_document_with_stream(stream)
        if low.pdf_needs_password(self._document):
            low.pdf_authenticate_password(self._document, password or "")
        settled_tree(self._document)

    @property
    def is_repaired(self) -> bool:
        """Whether something that was loaded until now could only be found by a search through the whole file."""
        return bool(mupdf().mupdf.pdf_was_repaired(self._document))

    def load(self, number: int) -> None:
        """Loads all objects that the page with this object ``number`` prints."""
        low = mupdf().mupdf
        page = low.pdf_load_object(self._document, number)
        catalog = low.pdf_dict_gets(low.pdf_trailer(self._document), "Root")
        self._walk([low.pdf_dict_gets(catalog, "OCProperties"), *self._parts(page)])

    def _parts(self, page: Any) -> Iterator[Any]:
        low = mupdf().mupdf
        yield from (low.pdf_dict_gets(page, key) for key in _OF_PAGE)
        yield from (low.pdf_dict_get_inheritable(page, low.pdf_new_name(key)) for key in _INHERITED)
        annotations = low.pdf_dict_gets(page, "Annots")
        for index in range(min(low.pdf_array_len(annotations), MAX_OBJECTS)):
            annotation = low.pdf_array_get(annotations, index)
            yield from (low.pdf_dict_gets(annotation, key) for key in _OF_ANNOTATION)

    def _walk(self, parts: list[Any]) -> None:
        low = mupdf().mupdf
        seen: set[int] = set()
        while parts and len(seen) < MAX_OBJECTS:
            part = parts.pop()
            number = low.pdf_to_num(part)
            if number in seen:
                continue
            seen |= {number} if number else set()
            if low.pdf_is_array(part):
                parts += (low.pdf_array_get(part, index) for index in range(low.pdf_array_len(part)))
            elif low.pdf_is_dict(part):  # of a stream, too
                for index in range(low.pdf_dict_len(part)):
                    if low.pdf_to_name(low.pdf_dict_get_key(part, index)) not in _NOT_PRINTED:
                        parts.append(low.pdf_dict_get_val(part, index))
