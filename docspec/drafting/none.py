"""No draft at all: plain decoding remains, the baseline of comparisons."""

from __future__ import annotations

from docspec.core import PageDraft, PageImage


class NoneDrafter:
    """Drafts nothing."""

    name = "none"

    def draft(self, page: PageImage) -> PageDraft:
        return PageDraft(drafter=self.name, reason="drafting is off")
