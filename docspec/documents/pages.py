"""Page ranges as people write them (``1-3,7``), checked against a document once its page count is known.

Parsing needs no document, so that a typing error is a usage error before anything is opened.

Pages whose text runs up or down the sheet are turned upright: first by ``/Rotate``, then by their own text. Scanning
and printing software leaves such pages; models read upright ones, and layout analysis finds one giant table on those
that lie on their side.

A page's links and bookmarks are read: web and mail addresses, and where the document's own list of contents leads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from docspec.core import BBox, Failure, InputError, UsageError
from docspec.documents.painting import forget, trace_of

MOST_LINKS = 2000
"""Most links read of a page."""

MOST_BOOKMARKS = 20_000

MOST_ADDRESS = 2000
"""Most characters of an address; longer ones are data."""

_ADDRESS = re.compile(r"(?:https?|ftp|mailto|doi):\S+", re.IGNORECASE)


def links_of(page: Any) -> tuple[tuple[BBox, str], ...]:
    """Places on a ``pymupdf.Page`` as it is shown, in points, with the web and mail addresses that they lead to; empty
    if links are unreadable."""
    try:
        links = []
        for link in page.get_links()[:MOST_LINKS]:
            target = str(link.get("uri") or "").strip()
            if len(target) <= MOST_ADDRESS and _ADDRESS.fullmatch(target):
                links.append((BBox(*link["from"]), target))
        return tuple(links)
    except Exception:  # damaged annotations: the page is worth more than its links
        return ()


def bookmarks_of(pdf: Any) -> dict[int, list[tuple[int, str]]]:
    """Level (from 1) and title of the bookmarks by the number of the page that they lead to; empty if they are
    unreadable."""
    try:
        bookmarks: dict[int, list[tuple[int, str]]] = {}
        for level, title, number, *_ in pdf.get_toc(simple=True)[:MOST_BOOKMARKS]:
            bookmarks.setdefault(number, []).append((level, " ".join(title.split())))
        return bookmarks
    except Exception:
        return {}


MIN_CHARACTERS = 40  # fewer are a stamp in the margin, not the text of the page
MIN_SHARE = 0.9


def make_upright(page: Any, by_text: bool = True) -> int:
    """Bake the rotation of a ``pymupdf.Page`` into its contents; returns the further degrees by which it was
    turned for its text (0 without ``by_text``).

    The page is changed in place and must belong to a private copy. Afterwards its ``rotation`` is 0.
    """
    _drop_cropbox(page)
    page.remove_rotation()
    turn = text_turn(page) if by_text else 0
    if turn:
        page.set_rotation(turn)
        page.remove_rotation()
        forget(page)
    return turn


def _drop_cropbox(page: Any) -> None:
    """Make the visible part the whole sheet: PyMuPDF derotates by the media box and would lose the
    cropping.
    """
    sheet, visible = (page.mediabox, page.cropbox)  # y up; y down from the sheet's top
    box = (visible.x0, sheet.y1 - visible.y1, visible.x1, sheet.y1 - visible.y0)
    if any(abs(a - b) > 1e-3 for a, b in zip(box, sheet, strict=True)):
        page.set_mediabox(box)


def text_turn(page: Any) -> int:
    """Degrees clockwise (0, 90, 180 or 270) by which the page's text must be turned to run from left to
    right.

    Only a page whose text agrees almost entirely is turned; vertical writing (CJK) is left alone.
    """
    turns: Counter[int] = Counter()
    try:
        trace = trace_of(page)
    except Exception:  # contents that break off; drawing them reports the fault and keeps the rest
        return 0
    for span in trace:
        length = sum(code > 0x20 for code, *_ in span["chars"])
        turns[0 if span["wmode"] else _turn_of(*span["dir"])] += length
    if not turns or turns.total() < MIN_CHARACTERS:
        return 0
    turn, characters = turns.most_common(1)[0]
    return turn if characters >= MIN_SHARE * turns.total() else 0


def _turn_of(cosine: float, sine: float) -> int:
    """The turn that makes a line of direction (cosine, sine), y downwards, run to the right."""
    if abs(cosine) >= abs(sine):
        return 0 if cosine >= 0 else 180
    return 270 if sine > 0 else 90


_PART = re.compile(r"(?a:(\d*)\s*-\s*(\d*)|(\d+))")


@dataclass(frozen=True, slots=True)
class PageSelection:
    """Closed ranges of 1-based page numbers; an end of ``None`` is the last page. No ranges at all: every
    page.
    """

    ranges: tuple[tuple[int, int | None], ...] = ()

    @classmethod
    def of(cls, numbers: Iterable[int]) -> Self:
        """The pages ``numbers`` and no others; there is at least one."""
        return cls(tuple((number, number) for number in numbers))

    def resolve(self, page_count: int, name: str = "the document") -> tuple[int, ...]:
        """The selected page numbers of a document of ``page_count`` pages: ascending, each once.

        The end of a range is the last page at most, as over a folder of longer and shorter documents. Raises
        :class:`InputError` where the document has no page with which a range begins.
        """
        if not self.ranges:
            return tuple(range(1, page_count + 1))
        chosen: set[int] = set()
        for start, end in self.ranges:
            if start > page_count:
                pages = "1 page" if page_count == 1 else f"{page_count} pages"
                message = f"{name}: page {start} does not exist, it has {pages}; correct --pages"
                raise InputError(message, Failure.USAGE)
            chosen.update(range(start, min(end or page_count, page_count) + 1))
        return tuple(sorted(chosen))


def parse_page_ranges(text: str | None) -> PageSelection:
    """Parse ``"1-3,7"``, ``"5-"`` (to the end) or ``"-4"`` (from the start); ``None`` selects every page.

    Raises :class:`UsageError` for anything else, for page 0 and for ranges that run backwards.
    """
    if text is None:
        return PageSelection()
    ranges: list[tuple[int, int | None]] = []
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None or part.strip() == "-" or len(part) > 40:
            raise UsageError(f"--pages {text!r}: {part.strip()!r} is not a page or a range; write it like 1-3,7 or 5-")
        first, last, single = match.groups()
        start = int(single or first or 1)
        end = int(single) if single else int(last) if last else None
        if start < 1 or end == 0:
            raise UsageError(f"--pages {text!r}: pages are counted from 1")
        if end is not None and end < start:
            raise UsageError(f"--pages {text!r}: {part.strip()} runs backwards; write it as {end}-{start}")
        ranges.append((start, end))
    return PageSelection(tuple(ranges))
