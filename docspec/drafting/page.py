"""Drafts a page with the chosen drafter, or only its layout if the page is read by regions, and says whether the page
is empty."""

from __future__ import annotations

from dataclasses import dataclass, field

from docspec.core import Event, PageDraft, PageImage
from docspec.drafting.blank import is_blank
from docspec.drafting.safe import SafeDrafter


@dataclass(frozen=True, slots=True)
class DraftResult:
    """A page's draft, the events of making it, and whether nothing is printed on the page."""

    draft: PageDraft = field(default_factory=PageDraft)
    events: tuple[Event, ...] = ()
    blank: bool = False


class PageDrafters:
    """``drafter`` drafts pages that are read whole, ``layout`` those that are read by regions."""

    def __init__(self, drafter: SafeDrafter, layout: SafeDrafter | None = None) -> None:
        self._drafter = drafter
        self._layout = layout or drafter

    def warm(self) -> None:
        """Loads the drafters' models while the target is loaded elsewhere."""
        self._drafter.warm()
        self._layout.warm()

    def draft(self, page: PageImage, by_regions: bool) -> DraftResult:
        """The page's draft, made without the target. Errors of judging an odd page are raised."""
        draft, events = (self._layout if by_regions else self._drafter).draft_with_events(page)
        return DraftResult(draft, events, is_blank(page, draft))
