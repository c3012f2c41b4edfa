"""Pages of which all words are known (``--words evidence``): their results need no model, and none is loaded. Their
running heads and feet are known by the pages before, where the file does not tell them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from docspec.core import Block, Category, PageResult
from docspec.core.running_text import in_place, is_page_number, repeats
from docspec.drafting.drafted_page import DraftedPage
from docspec.drafting.straightening import as_printed, straightened
from docspec.hierarchy.grading import graded
from docspec.hierarchy.page_state import PageState
from docspec.hierarchy.regions.cutting import complete
from docspec.hierarchy.regions.evidence import asked_for, known_texts
from docspec.hierarchy.regions.regions_read import RegionsRead, markdown_of, result_of
from docspec.targets.model_profile import ModelProfile

REMEMBERED = 6
"""Pages whose heads and feet are remembered."""


class RunningHeads:
    """The heads and feet of one document's pages, in their order."""

    def __init__(self) -> None:
        self._seen: list[tuple[int, Category, str]] = []

    def marked(self, result: PageResult) -> PageResult:
        """``result``, in which a head or foot of the draft's layout is text, unless it is the number of the page or
        stands on a page before, too; it is written once."""
        if result.read != "regions" or not any(block.category.is_furniture for block in result.blocks):
            return result
        blocks = [self._marked(block, result.number) for block in result.blocks]
        self._seen += [
            (result.number, block.category, block.text) for block in result.blocks if block.category.is_furniture
        ]
        self._seen = [one for one in self._seen if one[0] > result.number - REMEMBERED]
        ordered = tuple(in_place(blocks, lambda block: block.running is False, lambda block: block.bbox))
        return replace(result, blocks=ordered, text=markdown_of(ordered))

    def _marked(self, block: Block, number: int) -> Block:
        if not block.category.is_furniture or block.bbox_from != "draft" or block.running:
            return block
        known = is_page_number(block.text) or any(
            category is block.category and repeats(text, block.text, number - page, recognised=True)
            for page, category, text in self._seen
        )
        return replace(block, running=True) if known else replace(block, category=Category.TEXT, running=False)


def results_of(
    prepared: Sequence[DraftedPage], card: ModelProfile, verify: Callable[[Sequence[DraftedPage]], list[PageResult]]
) -> list[PageResult]:
    """The results of ``prepared``; ``verify`` is called for pages that need the model with ``card``."""
    drafted = [page.with_draft() for page in prepared]
    known = [result_without_model(one, card) for one in drafted]
    others = [one for one, result in zip(drafted, known, strict=True) if result is None]
    read = iter(verify(others) if others else ())
    return [next(read) if result is None else result for result in known]


def result_without_model(drafted: DraftedPage, card: ModelProfile) -> PageResult | None:
    """The result of a page on which a model with ``card`` has nothing to read: the page is blank, could not be drafted,
    or all its words stand. ``None`` for other pages, and after an error here."""
    try:
        return _result(drafted, card)
    except Exception:
        return None


def _result(drafted: DraftedPage, card: ModelProfile) -> PageResult | None:
    state = PageState.begun(drafted)
    if state.result.status != "ok":
        return state.result
    if drafted.future is not None:
        return None
    start = time.perf_counter()
    upright, straight = straightened(state.page, state.draft)
    regions = complete(upright, straight, card)
    known = known_texts(regions, card)
    if any(number not in known and asked_for(region, card) for number, region in enumerate(regions)):
        return None
    how = state.draft.straight
    if how:
        regions = [replace(one, bbox=as_printed(one.bbox, how, state.page)) for one in regions]
    page = RegionsRead(regions, (), {}, known)
    blocks = page.blocks(lambda output: "")
    result = result_of(state.result, page, state.draft.laid_out_by, blocks, time.perf_counter() - start)
    return graded(result, state.draft, card)
