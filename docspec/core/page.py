"""One rendered page: the pixels that the target reads, and the PDF page behind them for cheap drafts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from docspec.core.account import VisibleWord
from docspec.core.geometry import BBox
from docspec.core.result import Event

if TYPE_CHECKING:
    from PIL.Image import Image


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
