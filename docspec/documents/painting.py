"""What MuPDF paints on a page, and its text: each list is made once for a page, since many stages read it and a run of
a page's contents takes milliseconds. Lists are shared, so nobody changes them.

Whoever changes the contents of a ``pymupdf.Page`` in place calls :func:`forget`. A copy of a page is another page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

from docspec.documents.mupdf import mupdf

Made = TypeVar("Made")

IMAGES = ("fill-image", "fill-imgmask", "fill-shade")
"""What MuPDF's log of boxes calls pictures."""

_LISTS = "_docspec_painting"  # the attribute of a page that keeps its lists


class Corner(NamedTuple):
    """A point of a path, in points from the upper left corner of the page."""

    x: float
    y: float


class Extent(NamedTuple):
    """The box of a path or of a rectangle in it, in points from the upper left corner of the page."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0


def text_of(page: Any) -> str:
    """What the text layer of ``page`` says within its media box (``Page.get_text``)."""
    return _once(page, "text", lambda: layer_of(page, "text"))


def layer_of(page: Any, form: str) -> Any:
    """The text layer of ``page`` within its media box in a ``form`` of ``Page.get_text``: ``words``, ``dict``. Each
    call makes its own answer from one run of the page's contents."""
    flags = mupdf().TEXT_MEDIABOX_CLIP
    return page.get_text(form, flags=flags, textpage=_once(page, "layer", lambda: page.get_textpage(flags=flags)))


def boxes_of(page: Any) -> list[Any]:
    """The kind and the box (points) of each thing that ``page`` paints, in the order of painting
    (``Page.get_bboxlog``)."""
    return _once(page, "boxes", page.get_bboxlog)


def trace_of(page: Any) -> list[dict[str, Any]]:
    """The pieces of text that ``page`` paints, with their glyphs (``Page.get_texttrace``)."""
    return _once(page, "trace", page.get_texttrace)


def drawings_of(page: Any) -> list[dict[str, Any]]:
    """The vector graphics of ``page`` (``Page.get_cdrawings``), with :class:`Corner` for points and :class:`Extent` for
    rectangles. A map has a hundred thousand points, for which ``Page.get_drawings`` takes as long as MuPDF takes to
    paint it."""
    return _once(page, "drawings", lambda: [_drawn(path) for path in page.get_cdrawings()])


def images_of(page: Any) -> list[dict[str, Any]]:
    """The pictures that ``page`` shows, with their boxes (``Page.get_image_info``); MuPDF is not asked where it paints
    none."""
    return _once(page, "images", lambda: page.get_image_info() if _has_images(page) else [])


def _has_images(page: Any) -> bool:
    """Whether anything is painted that MuPDF may tell as a picture; shades are among it."""
    return page.rotation != 0 or any(kind in IMAGES for kind, *_ in boxes_of(page))


def forget(page: Any) -> None:
    """Says that the contents of ``page`` have changed."""
    vars(page).pop(_LISTS, None)


def _once(page: Any, name: str, make: Callable[[], Made]) -> Made:
    lists = vars(page).setdefault(_LISTS, {})
    if name not in lists:
        lists[name] = make()
    return cast(Made, lists[name])


def _drawn(path: dict[str, Any]) -> dict[str, Any]:
    """A ``path`` of ``Page.get_cdrawings`` with named coordinates."""
    path["rect"] = Extent._make(path["rect"])
    path["items"] = [
        ("l", Corner._make(item[1]), Corner._make(item[2])) if item[0] == "l" else _item(item) for item in path["items"]
    ]
    return path


def _item(item: tuple[Any, ...]) -> tuple[Any, ...]:
    """A step of a path that is no line: rectangles run from the upper left corner."""
    kind = item[0]
    if kind == "c":
        return (kind, *map(Corner._make, item[1:]))
    if kind == "re":
        x0, y0, x1, y1 = item[1]
        return kind, Extent(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), item[2]
    return item
