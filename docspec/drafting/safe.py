"""A drafter that cannot fail: every error inside becomes an empty draft and an event, and every draft is within
bounds."""

from __future__ import annotations

import contextlib
import time

from docspec.core import DocspecError, Event, Failure, PageDraft, PageImage
from docspec.core.memory import is_out_of_memory
from docspec.core.safe_text import one_line
from docspec.drafting.bounds import bounded
from docspec.drafting.drafter import Drafter

MAX_MESSAGE = 300


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
        """The inner drafter's draft; an empty one with the event ``drafter_failed`` after any error."""
        start = time.perf_counter()
        try:
            return bounded(self.inner.draft(page), page.width, page.height)
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
