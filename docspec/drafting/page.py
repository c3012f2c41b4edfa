"""Drafting as a page needs it: with the drafter that was asked for, or with its layout where that is part of the
reading, and whether there is anything on the page at all."""

from __future__ import annotations

from dataclasses import dataclass, field

from docspec.core import Event, PageDraft, PageImage
from docspec.drafting.blank import is_blank
from docspec.drafting.safe import SafeDrafter


@dataclass(frozen=True, slots=True)
class DraftResult:
    """A page's draft, what did not go the plain way, and whether nothing is printed on the page."""

    draft: PageDraft = field(default_factory=PageDraft)
    events: tuple[Event, ...] = ()
    blank: bool = False


class PageDrafters:
    """``drafter`` drafts pages that are read whole, ``layout`` those that are read by regions."""

    def __init__(self, drafter: SafeDrafter, layout: SafeDrafter | None = None) -> None:
        self._drafter = drafter
        self._layout = layout or drafter

    def warm(self) -> None:
        """Loads what pages will need; meanwhile the target is loaded elsewhere."""
        self._drafter.warm()
        self._layout.warm()

    def draft(self, page: PageImage, by_regions: bool) -> DraftResult:
        """The page's draft; it does not touch the target. Raises what judging an odd page raises."""
        draft, events = (self._layout if by_regions else self._drafter).draft_with_events(page)
        return DraftResult(draft, events, is_blank(page, draft))
