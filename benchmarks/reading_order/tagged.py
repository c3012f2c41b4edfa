"""The order of reading that tagged PDFs tell: their structure tree, which programs write for people who cannot see a
page.

Each leaf of the tree that has text of a page is an element; a table is one. What a program tagged in an order that
nobody reads counts as well: it is the same for whoever is measured.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

from benchmarks.reading_order.score import PlaceScore
from docspec.core import BBox

LEAST = 5
"""Least elements of a page."""

WHOLE = ("Table", "TOC", "Figure", "Formula")
"""Kinds of elements that are one, whatever is in them."""


@dataclass(frozen=True)
class Element:
    """The ``boxes`` of the texts (points, from the top) of one element, and its kind."""

    kind: str
    boxes: tuple[BBox, ...]


def pages_of(path: Path, most: int) -> Iterator[tuple[int, list[Element]]]:
    """The first ``most`` pages of a PDF, by their numbers from 0, that are tagged, with their elements in order."""
    import pypdfium2 as pdfium

    document = pdfium.PdfDocument(path)
    try:
        for number in range(min(most, len(document))):
            elements = _elements(document[number])
            if len(elements) >= LEAST:
                yield number, elements
    finally:
        document.close()


def _elements(page: Any) -> list[Element]:
    import pypdfium2.raw as raw

    tree = raw.FPDF_StructTree_GetForPage(page)
    if not tree:
        return []
    try:
        boxes = _marked(page)
        found: list[Element] = []
        for at in range(raw.FPDF_StructTree_CountChildren(tree)):
            root = raw.FPDF_StructTree_GetChildAtIndex(tree, at)
            if root:
                found += _below(root, boxes)
        return found
    finally:
        raw.FPDF_StructTree_Close(tree)


def _marked(page: Any) -> dict[int, list[BBox]]:
    """The places of the texts of ``page`` by the numbers of their marked content."""
    import pypdfium2.raw as raw

    height = page.get_height()
    found: dict[int, list[BBox]] = {}
    for one in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=1):
        number = raw.FPDFPageObj_GetMarkedContentID(one.raw)
        left, bottom, right, top = one.get_bounds()
        if number >= 0 and right > left and top > bottom:
            found.setdefault(number, []).append(BBox(left, height - top, right, height - bottom))
    return found


def _below(element: Any, boxes: dict[int, list[BBox]]) -> list[Element]:
    import pypdfium2.raw as raw

    kind = _kind(element)
    own: list[BBox] = []
    parts: list[Element] = []
    for at in range(raw.FPDF_StructElement_CountChildren(element)):
        number = raw.FPDF_StructElement_GetChildMarkedContentID(element, at)
        child = raw.FPDF_StructElement_GetChildAtIndex(element, at)
        if number >= 0:
            own += boxes.get(number, [])
        elif child:
            parts += _below(child, boxes)
    inline = kind in WHOLE or kind in ("P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "LI", "Caption", "Note")
    if inline or not parts:
        own += [box for part in parts for box in part.boxes]
        return [Element(kind, tuple(own))] if own else []
    return ([Element(kind, tuple(own))] if own else []) + parts


def _kind(element: Any) -> str:
    import pypdfium2.raw as raw

    size = raw.FPDF_StructElement_GetType(element, None, 0)
    buffer = ctypes.create_string_buffer(size)
    raw.FPDF_StructElement_GetType(element, buffer, size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace") if size > 2 else ""


def score_of(elements: Sequence[Element], boxes: Sequence[BBox]) -> PlaceScore:
    """How ``boxes``, in an order, have the ``elements`` of a page, of which none may stand in an earlier box than one
    before it."""
    places = [place for one in elements if (place := _place(one, boxes)) is not None]
    return PlaceScore.of([a <= b for a, b in pairwise(places)], [a <= b for a, b in combinations(places, 2)])


def _place(element: Element, boxes: Sequence[BBox]) -> int | None:
    """The number of the box that most of the element stands in."""
    shares = [
        sum(common.area for own in element.boxes if (common := own.intersection(box)) is not None) for box in boxes
    ]
    best = max(range(len(boxes)), key=shares.__getitem__, default=None)
    return best if best is not None and shares[best] > 0 else None


def measured(path: Path, most: int) -> Iterator[tuple[PlaceScore, PlaceScore]]:
    """For each tagged page of a PDF how docspec orders it, and how the layout model does by itself."""
    from docspec.core import PageImage, ParseOptions
    from docspec.documents import open_document
    from docspec.documents.sources import source_from_path
    from docspec.drafting import make_drafter
    from docspec.drafting.layout import analyse

    tagged = dict(pages_of(path, most))
    drafter = make_drafter(ParseOptions(drafter="text-layer"), None)
    with open_document(source_from_path(path), None) as document:
        for number, page in zip(range(most), document.pages(), strict=False):
            if number not in tagged or not isinstance(page, PageImage) or page.pdf_page is None:
                continue
            ours = [region.bbox.scaled(1 / page.scale) for region in drafter.draft(page).regions]
            theirs = [box.bbox for box in analyse(page.pdf_page)]
            yield score_of(tagged[number], ours), score_of(tagged[number], theirs)
