"""One rendered page: the pixels that the target reads, and the PDF page behind them for cheap drafts.

The sizes that the Qwen2-VL family of vision towers accepts are pure arithmetic: adapters resize with it and the layout
dialect scales boxes with it, so both must agree to the pixel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from docspec.core.account import VisibleWord
from docspec.core.geometry import BBox
from docspec.core.result import Event

if TYPE_CHECKING:
    from PIL.Image import Image


DOTS_FACTOR = 28
"""Patch 14 x merge 2: both sides of a dots.ocr image are multiples of it (Qwen3-VL: 32)."""
DOTS_MIN_PIXELS = 3_136
DOTS_MAX_PIXELS = 11_289_600
MAX_ASPECT = 200


def smart_resize(
    height: int,
    width: int,
    factor: int = DOTS_FACTOR,
    min_pixels: int = DOTS_MIN_PIXELS,
    max_pixels: int = DOTS_MAX_PIXELS,
) -> tuple[int, int]:
    """The size ``(height, width)`` that the model sees of an image of ``height`` x ``width`` pixels.

    Both sides become multiples of ``factor``, the area lies within ``[min_pixels, max_pixels]`` and the
    aspect is kept as far as that allows. Gives the numbers of the Qwen2-VL image processor, which makes the
    image that the model sees (halves round to even; qwen-vl-utils and dots.ocr's own tool differ where a side
    is under half a factor). Raises ``ValueError`` for an empty image or an aspect over 200.
    """
    if height < 1 or width < 1:
        raise ValueError(f"an image of {width} x {height} pixels has no size to fit")
    if max(height, width) > MAX_ASPECT * min(height, width):
        raise ValueError(f"an image of {width} x {height} pixels is narrower than 1:{MAX_ASPECT}")
    rows = round(height / factor) * factor
    columns = round(width / factor) * factor
    if rows * columns > max_pixels:
        scale = math.sqrt(height * width / max_pixels)
        rows = max(factor, math.floor(height / scale / factor) * factor)
        columns = max(factor, math.floor(width / scale / factor) * factor)
    elif rows * columns < min_pixels:
        scale = math.sqrt(min_pixels / (height * width))
        rows = math.ceil(height * scale / factor) * factor
        columns = math.ceil(width * scale / factor) * factor
    return rows, columns


@dataclass(frozen=True, slots=True)
class HiddenText:
    """A word of the file that nobody sees, its place in points, and the rule by which it was found."""

    bbox: BBox
    text: str
    rule: str


class EdgeText(NamedTuple):
    """A piece of text near the upper or lower edge of a page, in points, and whether pages nearby repeat it there."""

    bbox: BBox
    repeats: bool


@dataclass(frozen=True, eq=False)
class PageImage:
    """A page on its way through the pipeline.

    ``image`` is RGB, upright. ``number`` is 1-based in its source document. ``scale`` is pixels per PDF point.
    ``pdf_page`` is an open ``pymupdf.Page`` of a private one-page copy whose rotation has been removed, so that
    ``pixel = point * scale`` holds for everything read from it, or ``None`` for image inputs. It is only valid
    until the next page is asked for. ``events`` say what is wrong with the page in its file and what was done to show
    it (turned, reduced). ``links`` are boxes in points with their addresses, ``bookmarks`` the levels (from 1) and
    titles of the bookmarks of this page. ``words`` are those of the file's text as they are painted (``None``: nobody
    has looked, :func:`docspec.ledger.visible_words`). ``sketch`` is the page in small if its ``image`` is rendered only
    when it is first used. ``hidden`` are words that nobody sees; they are in ``pdf_page`` no more, and empty unless
    they are asked for. ``edges`` are the pieces of text near its upper and lower edge, as the file has them.
    ``language`` is the one that the document states (a tag such as ``de-AT``; empty: none).
    """

    image: Image
    number: int
    scale: float
    source: str
    pdf_page: Any | None = None
    render_seconds: float = 0.0
    events: tuple[Event, ...] = ()
    links: tuple[tuple[BBox, str], ...] = ()
    bookmarks: tuple[tuple[int, str], ...] = ()
    words: tuple[VisibleWord, ...] | None = None
    sketch: Image | None = None
    hidden: tuple[HiddenText, ...] = ()
    edges: tuple[EdgeText, ...] = ()
    language: str = ""

    @property
    def width(self) -> int:
        """Pixels."""
        return self.image.width

    @property
    def height(self) -> int:
        """Pixels."""
        return self.image.height

    @property
    def is_drawn(self) -> bool:
        """Whether the pixels of ``image`` are rendered already."""
        return getattr(self.image, "is_drawn", True)
