"""Reads a whole page while its text is still being recognised in another process: recognised text becomes drafts on
arrival.

Two drafts grow: the lines as they are recognised, and the complete draft's texts at its end. The output is the target's
own either way. The gain is the time of recognition, as far as there are cores for both.
"""

from __future__ import annotations

import time

from docspec.core import BBox, Category, Moment, PageDraft, PageImage, Region
from docspec.drafting.drafted_page import DraftFuture
from docspec.engine.request import GrowingDraft
from docspec.hierarchy.reading_context import ReadingContext

MOST_OF_LINES, MOST_OF_ALL = 16_384, 32_768
"""Token limits of the two drafts."""

WHOLE = "the draft was whole"
"""The timeline entry for the moment at which the draft is complete."""


class ArrivingDraft:
    """Moves the draft of ``page`` into ``drafts`` as it arrives. ``timeline`` lists the events in seconds since
    drafting began; ``waited`` is the time spent only waiting for the draft's end."""

    def __init__(self, context: ReadingContext, page: PageImage, future: DraftFuture) -> None:
        self.drafts = GrowingDraft(MOST_OF_LINES), GrowingDraft(MOST_OF_ALL)
        self.timeline = [Moment("recognition began", future.head_seconds, 0)]
        self.waited = 0.0
        self._context = context
        self._page = page
        self._future = future
        self._taken = 0
        self._whole = False

    def note(self, what: str, tokens: int, at: float | None = None) -> None:
        """Adds an event that happened after ``tokens`` tokens were written, now or ``at`` that time of the clock."""
        now = time.perf_counter() if at is None else at
        self.timeline.append(Moment(what, now - self._future.began, tokens))

    def take(self, tokens: int = 0) -> None:
        """Adds the text that has arrived, after ``tokens`` tokens were written; call it before each step. Raises the
        drafter's error if drafting failed."""
        pieces = self._future.pieces[self._taken :]
        if pieces:
            self._taken += len(pieces)
            self.drafts[0].extend(self._spelled("\n".join(pieces)))
            self.note(f"{sum(piece.count(chr(10)) + 1 for piece in pieces)} lines arrived", tokens)
        if self._future.is_whole and not self._whole:
            self._whole = True
            page, draft = self._page, self._future.whole()
            texts = self._context.dialect.page_drafts(draft, page.width, page.height)
            self.drafts[1].extend(self._context.tokens.tokenize("\n\n".join(texts)))
            self.note(WHOLE, tokens)
        elif not pieces:
            return
        self._context.engine.drafts_changed()

    def finish(self, tokens: int) -> PageDraft:
        """Waits for the complete draft, whose boxes are needed, after ``tokens`` tokens were written."""
        self.note("last token", tokens)
        start = time.perf_counter()
        draft = self._future.whole()
        self.waited = time.perf_counter() - start
        if not self._whole:
            self.note(WHOLE, tokens)
        return draft

    @property
    def seconds(self) -> float:
        """Seconds of drafting during which the page was not read: before recognition began, and waiting for its end."""
        return self._future.head_seconds + self.waited

    @property
    def beside(self) -> float:
        """Seconds of drafting during which the page was read."""
        return max(0.0, self._future.seconds - self.seconds)

    def _spelled(self, text: str) -> list[int]:
        region = Region(BBox(0, 0, self._page.width, self._page.height), Category.TEXT, (text,))
        spelled = self._context.dialect.region_drafts(region)
        return self._context.tokens.tokenize(spelled[0] + "\n") if spelled else []
