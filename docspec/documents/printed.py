"""A second look at a PDF that MuPDF warned of. It loads only what is printed, so that faults elsewhere are silent.

MuPDF loads bookmarks and links when it opens a file or a page. Where these lead to pages that were left out, as in a
part of a longer document, its warnings are those of a lost font. The file is opened again here, without them.

Where the table of a file's objects is wrong (in 3 of 100 public files), MuPDF finds the objects by a search through the
whole file, and warns of the cause. Whether anything was lost is looked up here: the objects that pages refer to are
there or not, streams are as long as they say, and the file has its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docspec.documents.mupdf import mupdf
from docspec.documents.pagetree import settled_tree

MAX_OBJECTS = 100_000
"""Most objects of a page that are looked at; the densest maps have a tenth."""

END, TAIL = b"%%EOF", 2048
"""What a file ends with, and the bytes at its end in which that is sought."""

LINE_END = 2
"""Bytes that a stream's length may count too many."""

_LENGTH = re.compile(rb"/Length\s+(\d+)(?!\s+\d+\s+R)")

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
        self._data, self._path = data, path  # MuPDF reads from it
        stream = low.fz_open_file(str(path)) if path else low.fz_open_memory(low.python_buffer_data(data), len(data))
        self._document = low.pdf_open_document_with_stream(stream)
        if low.pdf_needs_password(self._document):
            low.pdf_authenticate_password(self._document, password or "")
        settled_tree(self._document)

    @property
    def is_repaired(self) -> bool:
        """Whether something that was loaded until now could only be found by a search through the whole file."""
        return bool(mupdf().mupdf.pdf_was_repaired(self._document))

    @property
    def is_cut(self) -> bool:
        """Whether a repaired file lacks its end: what was added to it last may be lost without a trace."""
        if not self.is_repaired:
            return False
        return END not in self._bytes(-TAIL, None)

    def load(self, number: int, odd: Mapping[int, str]) -> str | None:
        """Loads all objects that the page with this object ``number`` prints, and says what is wrong with them: that
        they are among the ``odd`` ones, or what a repaired file lacks of them. In a sound one a reference to nothing is
        none."""
        low = mupdf().mupdf
        page = low.pdf_load_object(self._document, number)
        catalog = low.pdf_dict_gets(low.pdf_trailer(self._document), "Root")
        seen = self._walk([low.pdf_dict_gets(catalog, "OCProperties"), *self._parts(page)])
        told = [odd[one] for one in {number, *seen} if one in odd]
        if not self.is_repaired:
            return "; ".join(told) or None
        lost = sum(not low.pdf_object_exists(self._document, number) for number in seen)
        cut = sum(map(self._is_short, seen))
        told += [f"{lost} of the objects that it prints cannot be found"] if lost else []
        told += [f"{cut} of its streams are shorter than they say"] if cut else []
        return "; ".join(told) or None

    def _parts(self, page: Any) -> Iterator[Any]:
        low = mupdf().mupdf
        yield from (low.pdf_dict_gets(page, key) for key in _OF_PAGE)
        yield from (low.pdf_dict_get_inheritable(page, low.pdf_new_name(key)) for key in _INHERITED)
        annotations = low.pdf_dict_gets(page, "Annots")
        for index in range(min(low.pdf_array_len(annotations), MAX_OBJECTS)):
            annotation = low.pdf_array_get(annotations, index)
            yield from (low.pdf_dict_gets(annotation, key) for key in _OF_ANNOTATION)

    def _walk(self, parts: list[Any]) -> set[int]:
        """Loads all that ``parts`` lead to; the numbers of these objects."""
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
        return seen

    def _is_short(self, number: int) -> bool:
        """Whether the object ``number`` is a stream of fewer bytes than its own entry says; the repair puts the right
        length in that place. Compressed ones carry a sum of their own."""
        low = mupdf().mupdf
        if not low.pdf_object_exists(self._document, number):
            return False
        stream = low.pdf_new_indirect(self._document, number, 0)
        if not low.pdf_is_stream(stream) or not low.pdf_is_null(low.pdf_dict_gets(stream, "Filter")):
            return False
        entry = low.ll_pdf_get_xref_entry_no_change(self._document.m_internal, number)
        said = _LENGTH.search(self._bytes(entry.ofs, entry.stm_ofs))
        held = low.pdf_to_int(low.pdf_dict_gets(stream, "Length"))
        return said is not None and int(said[1]) > held + LINE_END

    def _bytes(self, start: int, end: int | None) -> bytes:
        if self._path is None:
            return self._data[start:end]
        with self._path.open("rb") as file:
            size = file.seek(0, 2)
            first, last, _ = slice(start, end).indices(size)
            file.seek(first)
            return file.read(max(0, last - first))
