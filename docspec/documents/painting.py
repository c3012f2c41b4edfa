"""What MuPDF paints on a page, and its text: each list is made once for a page, since many stages read it and a run of
a page's contents takes milliseconds. Lists are shared, so nobody changes them.

Whoever changes the contents of a ``pymupdf.Page`` in place calls :func:`forget`. A copy of a page is another page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from docspec.documents.mupdf import mupdf

Made = TypeVar("Made")

_LISTS = "_docspec_painting"  # the attribute of a page that keeps its lists


def text_of(page: Any) -> str:
    """What the text layer of ``page`` says within its media box (``Page.get_text``)."""
    return _once(page, "text", lambda: page.get_text("text", flags=mupdf().TEXT_MEDIABOX_CLIP))


def boxes_of(page: Any) -> list[Any]:
    """The kind and the box (points) of each thing that ``page`` paints, in the order of painting
    (``Page.get_bboxlog``)."""
    return _once(page, "boxes", page.get_bboxlog)


def trace_of(page: Any) -> list[dict[str, Any]]:
    """The pieces of text that ``page`` paints, with their glyphs (``Page.get_texttrace``)."""
    return _once(page, "trace", page.get_texttrace)


def drawings_of(page: Any) -> list[dict[str, Any]]:
    """The vector graphics of ``page`` (``Page.get_drawings``)."""
    return _once(page, "drawings", page.get_drawings)


def images_of(page: Any) -> list[dict[str, Any]]:
    """The pictures that ``page`` shows, with their boxes (``Page.get_image_info``)."""
    return _once(page, "images", page.get_image_info)


def forget(page: Any) -> None:
    """Says that the contents of ``page`` have changed."""
    vars(page).pop(_LISTS, None)


def _once(page: Any, name: str, make: Callable[[], Made]) -> Made:
    lists = vars(page).setdefault(_LISTS, {})
    if name not in lists:
        lists[name] = make()
    return cast(Made, lists[name])
