"""A drafter that cannot fail: every error inside becomes an empty draft and an event, and every draft is within
bounds (the number of regions, the length of the text, boxes within the page).

A draft only saves time; one that is too long to be worth aligning with the output, or that no page can hold, would
cost time. An event reports each cut.
"""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import astuple, replace
from typing import Any

from docspec.core import BBox, DocspecError, Event, Failure, PageDraft, PageImage, Region
from docspec.core.errors import is_out_of_memory
from docspec.core.safe_text import REPLACEMENT, one_line, safe_text
from docspec.drafting.drafter import Drafter

MAX_MESSAGE = 300

MAX_REGIONS = 2000
"""Regions of a page; a dense newspaper page has 300. The texts of further ones follow as one spelling of the page."""

MAX_CHARACTERS = 300_000
"""Characters of all texts: about 100,000 tokens, more than any model writes for a page."""

MAX_READINGS = 8
"""Alternative texts of one region, or of the page."""


class SafeDrafter:
    """Wraps a drafter, so that a page loses at most its speed-up."""

    def __init__(self, inner: Drafter) -> None:
        self.inner = inner
        self.name = inner.name

    def warm(self) -> None:
        """Has the drafter load the models of its first page, if it can; errors come with that page."""
        with contextlib.suppress(Exception):
            getattr(self.inner, "warm", lambda: None)()

    def draft(self, page: PageImage) -> PageDraft:
        """The inner drafter's draft with the seconds that it took; after any error an empty one with the event
        ``drafter_failed``."""
        start = time.perf_counter()
        try:
            draft = bounded(self.inner.draft(page), page.width, page.height)
            return replace(draft, seconds=max(draft.seconds, time.perf_counter() - start))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # libraries written in Rust panic, others leave by SystemExit
            what = one_line(str(error))[:MAX_MESSAGE] or type(error).__name__
            failure = error.failure if isinstance(error, DocspecError) else Failure.UNEXPECTED
            if is_out_of_memory(error):
                failure = Failure.OUT_OF_MEMORY
            if isinstance(error, MemoryError | RecursionError):
                what = f"{type(error).__name__} {what}" if str(error) else "out of memory"
            seconds = time.perf_counter() - start
            event = Event("drafter_failed", f"{self.name}: {what}; decoded without a draft", failure)
            return PageDraft(drafter=self.name, reason=f"failed: {what}", seconds=seconds, events=(event,))


def bounded(draft: PageDraft, width: int, height: int) -> PageDraft:
    """``draft`` within the bounds, for a page of ``width`` x ``height`` pixels; its ``events`` name the cuts. The draft
    of a page that is seen turned or straightened is within that page."""
    width, height = draft.seen.size(width, height)
    regions = [_clean(region, width, height) for region in draft.regions[: 10 * MAX_REGIONS]]
    placed = [region for region in regions if region is not None]
    unplaced = len(draft.regions) - len(placed)
    texts = [_text(text) for text in draft.page_texts[:MAX_READINGS]]
    cut = []
    if len(placed) > MAX_REGIONS:
        cut.append(f"{len(placed):,} regions: the text of those after the first {MAX_REGIONS:,} is kept without them")
        rest = "\n".join(region.texts[0] for region in placed[MAX_REGIONS:] if region.texts)
        texts.append(rest)
        placed = placed[:MAX_REGIONS]
    room = MAX_CHARACTERS
    kept = []
    for region in placed:
        room -= sum(map(len, region.texts))
        kept.append(region if room >= 0 else replace(region, texts=()))
    whole = []
    for text in texts:
        whole.append(text[: max(0, room)])
        room -= len(text)
    if room < 0:
        cut.append(f"its text goes on after {MAX_CHARACTERS:,} characters")
    if unplaced:
        cut.append(f"{unplaced:,} regions have no usable box and are left out")
    events = (Event("draft_bounded", "; ".join(cut)),) if cut else ()
    spellings = tuple(text for text in whole if text.strip())
    unread = None if cut else draft.unread
    return replace(draft, regions=tuple(kept), page_texts=spellings, events=(*draft.events, *events), unread=unread)


def finite_box(numbers: Any) -> BBox | None:
    """Four numbers, as a JSON file may hold them, as a box with area; ``None`` for anything else, such as NaN."""
    try:
        x0, y0, x1, y1 = (float(number) for number in numbers)
    except (TypeError, ValueError, OverflowError):
        return None
    box = BBox(x0, y0, x1, y1)
    return box if all(map(math.isfinite, (x0, y0, x1, y1))) and box.area > 0 else None


def _clean(region: Region, width: int, height: int) -> Region | None:
    box = finite_box(astuple(region.bbox))
    box = box.clamped(width, height) if box is not None else None
    if box is None or box.area <= 0:
        return None
    texts = tuple(text for reading in region.texts[:MAX_READINGS] if (text := _text(reading)).strip())
    sure = region.confidence if 0 <= region.confidence <= 1 else 0.0
    return replace(region, bbox=box, texts=texts, confidence=sure)


def _text(text: str) -> str:
    """``text`` without characters that no page holds: control characters, halves of characters."""
    return safe_text(text[: MAX_CHARACTERS + 1]).replace(REPLACEMENT, "")
