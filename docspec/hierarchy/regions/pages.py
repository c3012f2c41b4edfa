"""Reads pages by regions, from their drafts to their results."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from docspec.core import PageDraft, PageImage, Region, StageStats
from docspec.engine.request import Trail
from docspec.hierarchy.answers import OnProgress, PageAnswer, ask
from docspec.hierarchy.page_state import PageState, compared
from docspec.hierarchy.reading_context import ReadingContext
from docspec.hierarchy.regions.cutting import Cutting, complete
from docspec.hierarchy.regions.own_layout import lay_out
from docspec.hierarchy.regions.regions_read import Crop, RegionsRead, markdown_of, result_of

BEGINNING = 40
"""Letters at the beginning of a region by which it is recognised in the text of a page that was cut short."""

LEAST = 12
"""Texts with fewer letters are ignored: they may stand anywhere."""

ALIKE = 85.0
"""Least similarity (0 to 100) at which a beginning counts as found."""

TRUSTED = "trusted"
"""The origin of tokens taken from the draft without being read."""

_TAG = re.compile(r"<[^<>]{1,200}>")
_NOT_LETTER = re.compile(r"[\W_]+")


class RegionPages:
    """Reads pages by regions, with any engine."""

    def __init__(self, context: ReadingContext) -> None:
        self._context = context
        self._cutting = Cutting(context)

    def takes(self, page: PageImage) -> bool:
        """Whether the page is read by regions: if the options say so, or if it is larger than the target reads whole or
        than its context holds."""
        context, pixels = self._context, page.width * page.height
        if context.options.read != "auto":
            return context.options.read == "regions"
        if context.options.evidence:
            return True  # words stand region by region
        largest, sight = context.card.page_pixels, context.sight
        if largest is not None and pixels > largest:
            return True
        shown = min(pixels, sight.most_pixels) // sight.factor**2
        return shown + context.options.max_tree >= context.max_length

    def cut(self, page: PageImage, draft: PageDraft) -> RegionsRead:
        """The regions of a page, including those that the draft missed, and their crops, ready to be read."""
        return self._completed(self._cutting.cut(page, draft))

    def crops_of(self, page: PageImage, regions: Sequence[Region]) -> RegionsRead:
        """The crops of ``regions`` of a page, ready to be read."""
        return self._completed(self._cutting.crops_of(page, regions))

    def answer(self, page: RegionsRead, on_progress: OnProgress | None = None, plain: bool = False) -> None:
        """Has the model read the crops of ``page``; ``plain``: one token per step, without drafts."""
        answered = ask(self._context, [replace(crop.request, plain=plain) for crop in page.crops], on_progress)
        page.answers, page.stats = answered.answers, page.stats + answered.stats
        page.encode_seconds += answered.encode_seconds

    def _completed(self, page: RegionsRead) -> RegionsRead:
        """``page`` as this engine reads it."""
        taken = {number: self._taken(text) for number, text in page.from_draft.items()}
        return replace(page, crops=[self._as_asked(crop) for crop in page.crops], taken=taken)

    def _as_asked(self, crop: Crop) -> Crop:
        """``crop`` as this engine is asked: the one here learns for each category how often drafts are right."""
        request = replace(crop.request, traced=self._context.options.traces)
        if self._context.follows_fields:
            request = replace(request, kind=crop.category)
        return replace(crop, request=request)

    def _taken(self, text: str) -> PageAnswer:
        """Drafted ``text`` as an answer, each of its tokens with its origin."""
        codec = self._context.tokens
        tokens = tuple(codec.tokenize(text))
        trail = Trail()
        trail.steps.append((0, len(tokens)))
        trail.proposed = dict.fromkeys(range(len(tokens)), TRUSTED)
        return PageAnswer(codec.detokenize(list(tokens)), tokens, trail=trail)

    def read(self, state: PageState) -> None:
        """Reads a page, all of its crops at once."""
        context = self._context
        lay_out(context, state)
        context.observer.stage(state.number, "prefill")
        start = time.perf_counter()
        page = self.cut(state.page, state.draft)
        page.encode_seconds = time.perf_counter() - start
        self.answer(page, context.progress(state.number, "stage2"), plain=context.options.stages == "none")
        state.encode_seconds = page.encode_seconds
        self._written(state, page)
        self._tell_taken(state, page, state.result.trusted)
        if context.options.baseline:
            self._compare(state, page)

    def reread(self, state: PageState) -> None:
        """Reads on crops the regions that a page cut short has not reached, and appends them to the output."""
        start = time.perf_counter()
        left = unreached(complete(state.page, state.draft), state.result.text)
        if left is None:
            state.happened("reread_skipped", "the draft has no text that tells what was reached")
            return
        rest = self.crops_of(state.page, left)
        self.answer(rest)
        blocks = rest.blocks(self._context.dialect.parse_crop)
        result, text = state.result, markdown_of(blocks)
        state.answers += rest.parts
        state.result = replace(
            result,
            text=f"{result.text}\n\n{text}" if text else result.text,
            blocks=(*result.blocks, *(replace(block, reread=True) for block in blocks)),
            stage1=(result.stage1 or StageStats()) + rest.stats,
            timings=replace(result.timings, stage1=result.timings.stage1 + time.perf_counter() - start),
        )
        self._tell_taken(state, rest, sum(block.trusted for block in blocks))
        state.happened("regions_reread", f"{len(left)} regions behind the cut, on {len(rest.crops)} crops")

    @staticmethod
    def _tell_taken(state: PageState, page: RegionsRead, characters: int) -> None:
        if page.taken:
            regions = state.result.trusted_regions + len(page.taken)
            state.result = replace(state.result, trusted_regions=regions)
            counted = f"{len(page.taken)} of {len(page.regions)} regions, {characters} characters"
            state.happened("draft_trusted", f"{counted}, were taken from the draft and not read by the model")

    def _written(self, state: PageState, page: RegionsRead) -> None:
        """Adds the answers for the page's crops to its result."""
        state.answers = page.parts
        draft = state.draft
        if draft.page_texts and not any(region.texts for region in draft.regions):
            state.happened("draft_unused", f"the texts of {draft.drafter} have no regions: no crop had a draft")
        blocks = page.blocks(self._context.dialect.parse_crop)
        state.result = result_of(state.result, page, state.draft.laid_out_by, blocks, state.encode_seconds)

    def _compare(self, state: PageState, page: RegionsRead) -> None:
        """Adds the time of plain decoding for the same crops, including those of trusted regions, to the result."""
        self._context.observer.stage(state.number, "baseline")
        plain = RegionsRead(page.regions, page.crops)
        if page.taken:
            regions = [replace(region, agreed=False) for region in state.draft.regions]
            plain = self.cut(state.page, replace(state.draft, regions=tuple(regions)))
        self.answer(plain, plain=True)
        timings = state.result.timings
        baseline = compared(page.tokens, timings, plain.tokens, plain.stats, state.encode_seconds, timings.draft)
        state.result = replace(state.result, baseline=baseline)


def unreached(regions: Sequence[Region], text: str) -> list[Region] | None:
    """The ``regions`` after the last one whose beginning stands in ``text``; all of them if none does.

    ``None`` where no region has enough text for the comparison. Regions that ``text`` left out before that one are not
    found.
    """
    written = _letters(text)
    beginnings = [[_letters(one)[:BEGINNING] for one in region.texts] for region in regions]
    known = [any(len(one) >= LEAST for one in ways) for ways in beginnings]
    if not any(known):
        return None
    reached = [
        any(len(one) >= LEAST and len(written) >= LEAST and fuzz.partial_ratio(one, written) >= ALIKE for one in ways)
        for ways in beginnings
    ]
    last = max((index for index, has_begun in enumerate(reached) if has_begun), default=-1)
    return list(regions[last + 1 :])


def _letters(text: str) -> str:
    return _NOT_LETTER.sub("", _TAG.sub(" ", text).casefold())
