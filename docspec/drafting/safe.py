"""A drafter that cannot fail: whatever goes wrong inside becomes an empty draft and an event that says so."""

from __future__ import annotations

import time

from docspec.core import Event, PageDraft, PageImage
from docspec.drafting.drafter import Drafter


class SafeDrafter:
    """Wraps a drafter, so that a page loses at most its speed-up."""

    def __init__(self, inner: Drafter) -> None:
        self.inner = inner
        self.name = inner.name

    def draft(self, page: PageImage) -> PageDraft:
        """The inner drafter's draft, or an empty one."""
        return self.draft_with_events(page)[0]

    def draft_with_events(self, page: PageImage) -> tuple[PageDraft, tuple[Event, ...]]:
        """The draft, and a ``drafter_failed`` event when there is none because the drafter failed."""
        start = time.perf_counter()
        try:
            return self.inner.draft(page), ()
        except Exception as error:
            lines = str(error).strip().splitlines()
            what = lines[0] if lines else type(error).__name__
            draft = PageDraft(drafter=self.name, reason="failed", seconds=time.perf_counter() - start)
            return draft, (Event("drafter_failed", f"{self.name}: {what}; decoded without a draft"),)
