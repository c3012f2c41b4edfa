"""Pages of which all words are known (``--words evidence``): their results need no model, and none is loaded."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from docspec.core import PageResult
from docspec.drafting.drafted_page import DraftedPage
from docspec.drafting.tilt import as_printed, straightened
from docspec.hierarchy.grading import graded
from docspec.hierarchy.page_state import PageState
from docspec.hierarchy.regions.cutting import complete
from docspec.hierarchy.regions.evidence import asked_for, known_texts
from docspec.hierarchy.regions.regions_read import RegionsRead, result_of
from docspec.targets.model_profile import ModelProfile


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
    tilt = state.draft.tilt
    if tilt:
        regions = [replace(one, bbox=as_printed(one.bbox, tilt, state.page)) for one in regions]
    page = RegionsRead(regions, (), {}, known)
    blocks = page.blocks(lambda output: "")
    result = result_of(state.result, page, state.draft.laid_out_by, blocks, time.perf_counter() - start)
    return graded(result, state.draft, card)
