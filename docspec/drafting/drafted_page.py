"""A page with its draft, as it goes from the drafting process to the verifying one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from docspec.core import Event, PageDraft, PageImage
from docspec.drafting.draft_future import DraftFuture
from docspec.drafting.page import DraftResult


@dataclass(frozen=True, slots=True, eq=False)
class DraftedPage:
    """A drawn page with its draft; ``error`` is the exception of a failed draft. ``waited`` are the seconds spent on
    nothing but waiting for it, ``None`` where it was not made beside other work. ``future`` is a draft that is still
    being made."""

    page: PageImage
    drafted: DraftResult = field(default_factory=DraftResult)
    error: Exception | None = None
    waited: float | None = None
    future: DraftFuture | None = None

    @property
    def draft(self) -> PageDraft:
        """The page's draft so far."""
        return self.drafted.draft

    def settled(self) -> DraftedPage:
        """The page with its finished draft in place of the future one, if that is whole."""
        if self.future is None or not self.future.is_whole:
            return self
        try:
            return replace(self, drafted=self.future.whole(), future=None)
        except Exception as error:
            return replace(self, error=error, future=None)

    def noted(self, event: Event) -> DraftedPage:
        """The page with ``event`` added to its draft."""
        return replace(self, drafted=replace(self.drafted, events=(*self.drafted.events, event)))
