"""Estimates the cost of interpreting a PDF page from its streams, before any of them is interpreted.

A few hundred bytes may unfold to gigabytes: streams compressed many times over, forms that draw forms that draw
forms, images of a declared size that no memory holds. All three are counted here, and a page beyond the limits is
refused with a message instead of being begun.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from docspec.core import Failure, PageError
from docspec.documents.mupdf import mupdf

MAX_CONTENTS = 64 * 2**20
"""Bytes of drawing instructions, forms counted as often as they are drawn; a large map has 10 million."""
MAX_DRAWN = 10_000_000
"""Bytes of text among them: MuPDF keeps 25 bytes for each until the page is drawn."""
MAX_POINTS = 300_000
"""Points of one path, which MuPDF draws without checking the time limit: up to 0.1 ms a point for long lines."""
MAX_IMAGE = 2**30
"""Bytes of one image's pixels, of which MuPDF makes one piece."""
MAX_DEPTH = 24
"""Forms within forms; each may hold pixels of the whole page while it is drawn."""
MAX_CHARACTERS = 2_000_000
"""Bytes of text on a page whose text layer is still read: each costs about 100 as an extracted character."""

_DRAWN = re.compile(rb"/([^\s/<>\[\](){}%]+)[ \t\r\n\f\0]+Do(?![A-Za-z])")
_PAINT = re.compile(rb"\s(?:[SsnF]|[fBb]\*?)\s")
_POINT = re.compile(rb"\s[lcvy](?=\s)")
_TEXT = re.compile(rb"\(([^()\\]*(?:\\.[^()\\]*)*)\)|<([0-9A-Fa-f\s]*)>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes of instructions, and of text in them, that a page unfolds to."""

    contents: int = 0
    characters: int = 0

    def __add__(self, other: Weight) -> Weight:
        return Weight(self.contents + other.contents, self.characters + other.characters)

    def times(self, count: int) -> Weight:
        return Weight(count * self.contents, count * self.characters)


def weigh(pdf: Any, page: Any) -> Weight:
    """The weight of a ``pymupdf.Page`` of ``pdf``. Raises :class:`PageError` where it is beyond the limits."""
    scale = _Scale(pdf)
    low = scale.low
    own = low.pdf_load_object(scale.document, page.xref)
    contents = low.pdf_dict_gets(own, "Contents")
    parts = (
        [low.pdf_array_get(contents, index) for index in range(low.pdf_array_len(contents))]
        if low.pdf_is_array(contents)
        else [contents]
    )
    data = b"\n".join(scale.read(low.pdf_to_num(part)) for part in parts)
    weight = scale.of(data, low.pdf_dict_get_inheritable(own, low.PDF_ENUM_NAME_Resources), ())
    annotations = low.pdf_dict_gets(own, "Annots")
    for index in range(min(low.pdf_array_len(annotations), 10_000) if low.pdf_is_array(annotations) else 0):
        looks = low.pdf_dict_gets(low.pdf_dict_gets(low.pdf_array_get(annotations, index), "AP"), "N")
        if low.pdf_is_stream(looks):
            weight += scale.form(looks, None, ())
            scale.check(weight)
    return weight


class _Scale:
    """Weighs the forms of one page, each once."""

    def __init__(self, pdf: Any) -> None:
        self.low = mupdf().mupdf
        self.pdf = pdf
        self.document = mupdf()._as_pdf_document(pdf)
        self._known: dict[int, Weight] = {}
        self._left = MAX_CONTENTS

    def read(self, number: int) -> bytes:
        """The bytes of a stream, unpacked; empty without a stream."""
        low = self.low
        if number <= 0 or not low.pdf_obj_num_is_stream(self.document, number):
            return b""
        length = low.fz_skip(low.pdf_open_stream_number(self.document, number), self._left + 1)
        self._left -= length
        self.check(Weight(MAX_CONTENTS - self._left))
        return bytes(self.pdf.xref_stream(number) or b"")

    def of(self, data: bytes, resources: Any, path: tuple[int, ...]) -> Weight:
        """The weight of instructions that are interpreted with ``resources``, inside the forms of ``path``."""
        text = sum(len(match[1] or b"") + len(match[2] or b"") // 2 for match in _TEXT.finditer(data))
        weight = Weight(len(data), text)
        self.check(weight)
        if len(data) > 4 * MAX_POINTS and any(
            len(_POINT.findall(path)) > MAX_POINTS for path in _PAINT.split(data) if len(path) > 4 * MAX_POINTS
        ):
            raise PageError(f"it draws a path of more than {MAX_POINTS:,} points", Failure.TOO_LARGE)
        drawn: dict[bytes, int] = {}
        for match in _DRAWN.finditer(data):
            drawn[match[1]] = drawn.get(match[1], 0) + 1
        objects = self.low.pdf_dict_gets(resources, "XObject") if drawn else None
        for name, count in drawn.items():
            thing = self.low.pdf_dict_gets(objects, _unescaped(name))
            kind = self.low.pdf_to_name(self.low.pdf_dict_gets(thing, "Subtype"))
            if kind == "Form":
                weight += self.form(thing, resources, path).times(count)
                self.check(weight)
            elif kind == "Image":
                self._check_image(thing)
        return weight

    def form(self, form: Any, resources: Any, path: tuple[int, ...]) -> Weight:
        """The weight of a form and all that it draws; nothing for one inside itself, which MuPDF does not draw."""
        number = self.low.pdf_to_num(form)
        if number in path:
            return Weight()
        if len(path) >= MAX_DEPTH:
            raise PageError(f"it draws forms within forms, more than {MAX_DEPTH} deep", Failure.TOO_LARGE)
        if number not in self._known:
            own = self.low.pdf_dict_gets(form, "Resources")
            inner = own if self.low.pdf_is_dict(own) else resources
            self._known[number] = self.of(self.read(number), inner, (*path, number))
        return self._known[number]

    def check(self, weight: Weight) -> None:
        if weight.contents > MAX_CONTENTS:
            raise PageError(f"its drawing instructions unfold to more than {MAX_CONTENTS >> 20} MB", Failure.TOO_LARGE)
        if weight.characters > MAX_DRAWN:
            raise PageError(f"it writes more than {MAX_DRAWN:,} characters", Failure.TOO_LARGE)

    def _check_image(self, image: Any) -> None:
        low = self.low
        width, height = (low.pdf_to_int(low.pdf_dict_gets(image, key)) for key in ("Width", "Height"))
        space = low.pdf_to_name(low.pdf_dict_gets(image, "ColorSpace"))
        colours = 1 if space == "DeviceGray" or low.pdf_to_bool(low.pdf_dict_gets(image, "ImageMask")) else 3
        if low.pdf_to_int(low.pdf_dict_gets(image, "BitsPerComponent")) == 1:
            colours = 1
        if width * height * colours > MAX_IMAGE:
            raise PageError(
                f"it shows an image of {width:,} x {height:,} pixels, more than memory can bear", Failure.TOO_LARGE
            )


def _unescaped(name: bytes) -> str:
    plain = re.sub(rb"#([0-9A-Fa-f]{2})", lambda match: bytes([int(match[1], 16)]), name)
    return plain.decode("latin-1")
