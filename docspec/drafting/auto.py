"""Chooses the cheapest drafter that a page allows: its own text where that is sound, recognition otherwise.

A :class:`docspec.drafting.policy.DraftingPolicy` may forbid drafts that cost more than they save. Every choice is
recorded in the draft's ``reason``; the time of judging counts as drafting time.
"""

from __future__ import annotations

import time
from dataclasses import replace

from docspec.core import Category, DrafterError, PageDraft, PageImage, PrintedLine, Region
from docspec.core.choices import Formulas
from docspec.core.page import EdgeText
from docspec.documents.mupdf import load_layout_model
from docspec.documents.painting import text_of
from docspec.drafting.blank import has_ink
from docspec.drafting.drafter import Drafter
from docspec.drafting.furniture import known_furniture
from docspec.drafting.order import index_in_order
from docspec.drafting.page_lines import page_lines
from docspec.drafting.policy import DraftingPolicy, DraftKind
from docspec.drafting.rapidocr import RapidOcrDrafter
from docspec.drafting.recogniser import PageReader, Recogniser
from docspec.drafting.text_layer import TextLayerDrafter, unchecked
from docspec.drafting.trust import TrustJudge, is_all_there_is

SEEN = 60.0
"""Likeness (0..100) from which a line of a short text layer is among what was recognised where it stands."""


class AutoDrafter:
    """Decides page by page. Without RapidOCR it still drafts from text layers that pass the statistics."""

    name = "auto"

    def __init__(
        self,
        recogniser: PageReader | None = None,
        policy: DraftingPolicy | None = None,
        upright: bool = False,
        straighten: bool = False,
        formulas: Formulas = "latex",
    ) -> None:
        self._text_layer = TextLayerDrafter(formulas=formulas)
        self._cut = TextLayerDrafter(quick=True, formulas=formulas)
        self._policy = policy or DraftingPolicy()
        self._by_statistics = TrustJudge()
        self._straighten = straighten
        recogniser = recogniser or Recogniser()
        try:
            recogniser.check()
        except DrafterError as error:
            self._reading: RapidOcrDrafter | None = None
            self._why_not = str(error)
            self._judge = self._by_statistics
        else:
            self._text_layer = TextLayerDrafter(recogniser=recogniser, formulas=formulas)
            self._reading = RapidOcrDrafter(recogniser, self._policy, upright, straighten=straighten)
            self._judge = TrustJudge(recogniser)

    def warm(self) -> None:
        if self._policy.layout_pays(0).yes:
            load_layout_model()

    def draft(self, page: PageImage) -> PageDraft:
        start = time.perf_counter()
        draft = self._choose(page)
        if page.edges and not (draft.seen or draft.straight):
            near = [EdgeText(edge.bbox.scaled(page.scale), edge.repeats) for edge in page.edges]
            draft = replace(draft, regions=tuple(known_furniture(draft.regions, near)))
        return replace(draft, seconds=time.perf_counter() - start)

    def _choose(self, page: PageImage) -> PageDraft:
        recognition = self._policy.recognition_pays()
        # The spot check of a text layer recognises lines; where that costs too much, the target's own check suffices.
        judge = self._judge if recognition.yes else self._by_statistics
        verdict = judge.judge(page)
        if verdict.trusted:
            sound = verdict.likeness if verdict.is_hidden and verdict.likeness is not None else 1.0
            return replace(self._from_text_layer(page, verdict.reason), soundness=sound)
        if not has_ink(page):
            return PageDraft(drafter=self.name, reason=f"{verdict.reason}; nothing to recognise")
        if self._reading is None:
            return PageDraft(drafter=self.name, reason=f"{verdict.reason}; {self._why_not}")
        if not (recognition.yes or self._straighten):
            return PageDraft(drafter=self.name, reason=f"{verdict.reason}; {recognition.why}")
        if verdict.characters and is_all_there_is(page, verdict, self._reading.recogniser.of_page(page).alphabet):
            return unchecked(self._from_text_layer(page, f"{verdict.reason}, in a script that is not recognised"))
        draft = self._timed("recognition", self._reading, page, verdict.reason)
        return with_painted_words(draft, page) if verdict.is_stamp else draft

    def _from_text_layer(self, page: PageImage, trusted: str) -> PageDraft:
        layout = self._policy.layout_pays(len(text_of(page.pdf_page)) if page.pdf_page is not None else 0)
        if layout.yes:
            return self._timed("layout", self._text_layer, page, trusted)
        return self._timed("cut", self._cut, page, f"{trusted}; {layout.why}")

    def _timed(self, kind: DraftKind, drafter: Drafter, page: PageImage, reason: str) -> PageDraft:
        draft = drafter.draft(page)
        self._policy.drafted(kind, draft.seconds)
        return replace(draft, reason=f"{reason}; {draft.reason}")


def with_painted_words(draft: PageDraft, page: PageImage) -> PageDraft:
    """The recognised ``draft`` of a scan with those lines of its short text layer (a stamp, words over a picture) that
    the recogniser did not see: slanted ones, pale ones."""
    from rapidfuzz import fuzz

    regions = list(draft.regions)
    shows_places = not (draft.seen or draft.straight)
    for line in page_lines(page.pdf_page):
        box = line.bbox.scaled(page.scale).clamped(page.width, page.height)
        near = [one for one in draft.regions if one.texts and (one.bbox.intersection(box) or not shows_places)]
        read = " ".join(one.texts[0] for one in near).casefold()
        if line.hidden or not line.text.strip() or fuzz.partial_ratio(line.text.casefold(), read) >= SEEN:
            continue
        at = index_in_order(box, [one.bbox for one in regions]) if shows_places else len(regions)
        printed = (PrintedLine(box, line.text),)
        regions.insert(at, Region(box, Category.TEXT, (line.text,), lines=printed, words="text layer"))
    return replace(draft, regions=tuple(regions))
