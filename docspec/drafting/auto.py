"""Chooses the cheapest drafter that a page allows: its own text where that is sound, recognition otherwise.

Every choice is recorded in the draft's ``reason``; the time of judging counts as drafting time.
"""

from __future__ import annotations

import time
from dataclasses import replace

from docspec.core import DrafterError, PageDraft, PageImage
from docspec.drafting.blank import is_blank
from docspec.drafting.drafter import Drafter
from docspec.drafting.rapidocr import RapidOcrDrafter
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.text_layer import TextLayerDrafter
from docspec.drafting.trust import TrustJudge


class AutoDrafter:
    """Decides page by page. Without RapidOCR it still drafts from text layers that pass the statistics."""

    name = "auto"

    def __init__(self, text_layer: Drafter | None = None, recogniser: Recogniser | None = None) -> None:
        self._text_layer = text_layer or TextLayerDrafter()
        recogniser = recogniser or Recogniser()
        try:
            recogniser.check()
        except DrafterError as error:
            self._reading: RapidOcrDrafter | None = None
            self._why_not = str(error)
            self._judge = TrustJudge()
        else:
            self._reading = RapidOcrDrafter(recogniser)
            self._judge = TrustJudge(recogniser)

    def check(self) -> None:
        """Nothing is indispensable."""

    def draft(self, page: PageImage) -> PageDraft:
        """The draft of the chosen drafter, under that one's name. Raises :class:`DrafterError` as it does."""
        start = time.perf_counter()
        draft = self._choose(page)
        return replace(draft, seconds=time.perf_counter() - start)

    def _choose(self, page: PageImage) -> PageDraft:
        if is_blank(page):
            return PageDraft(drafter=self.name, reason="blank page")
        verdict = self._judge.judge(page)
        if verdict.trusted:
            draft = self._text_layer.draft(page)
            return replace(draft, reason=f"{verdict.reason}; {draft.reason}")
        if self._reading is None:
            return PageDraft(drafter=self.name, reason=f"{verdict.reason}; {self._why_not}")
        draft = self._reading.draft(page)
        return replace(draft, reason=f"{verdict.reason}; {draft.reason}")
