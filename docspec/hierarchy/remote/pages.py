"""Reads drafted pages with an engine behind the seam and makes their results.

A page that is read by regions requests all of its crops at once. A page that is read whole does so with Stage 1 if the
options ask for it, and requests the page with the outputs of Stage 1 as drafts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from docspec.core import Failure, ModelError, PageDraft, PageError, PageResult, StageStats
from docspec.core.sizes import smart_resize
from docspec.drafting.drafted_page import DraftedPage
from docspec.engine.request import Output
from docspec.generation.interface import GenerationRequest
from docspec.hierarchy.asking import MAX_REGION_TOKENS, asked_of_page, asked_of_regions
from docspec.hierarchy.page_state import PageState, failed, page_of
from docspec.hierarchy.readers import Readers
from docspec.hierarchy.regions.regions_read import CropReader, RegionsRead
from docspec.hierarchy.remote.answers import RemoteContext, TextOutput, ask
from docspec.hierarchy.remote.strange_marks import strange_marks

SPARE_TOKENS = 48
"""Output tokens of a region beyond one for each character of its longest draft."""

PROMPT_TOKENS = 64
"""Most tokens that a chat template adds to a prompt."""


class RemoteReading(CropReader):
    """Reads crops with an engine behind the seam."""

    def __init__(self, context: RemoteContext) -> None:
        self._context = context

    def read(self, pages: Sequence[RegionsRead], on_step: Any = None, plain: bool = False) -> None:
        for page in pages:
            requests = [replace(crop.request, drafts=()) if plain else crop.request for crop in page.crops]
            outputs, stats = ask(self._context, requests)
            page.outputs, page.stats = list(outputs), page.stats + stats

    def write(self, asked: Sequence[GenerationRequest]) -> list[tuple[Output, StageStats]]:
        answers = [ask(self._context, [one]) for one in asked]
        return [(output, stats) for [output], stats in answers]

    def text_of(self, output: Output) -> str:
        assert isinstance(output, TextOutput)
        return output.text


def read_whole(context: RemoteContext, states: Sequence[PageState]) -> None:
    """Reads pages whole."""
    for state in states:
        if context.options.stages == "both":
            _stage1(context, state)
        _stage2(context, state)


def _stage1(context: RemoteContext, state: PageState) -> None:
    """Reads the regions of the page and keeps the text of each."""
    start = time.perf_counter()
    most = min(context.options.max_tokens or MAX_REGION_TOKENS, MAX_REGION_TOKENS)
    found = asked_of_regions(
        context.dialect, context.sight.factor, state.page, state.draft, context.card.writes_special_tokens
    )
    asked = [
        replace(one, max_tokens=min(max(map(len, one.drafts), default=0) + SPARE_TOKENS, most)) for _, one in found
    ]
    outputs, stats = ask(context, asked)
    texts = [""] * len(state.draft.regions)
    for (index, _), output in zip(found, outputs, strict=True):
        if output.finish != "loop":
            texts[index] = output.text
    state.verified(texts, stats, time.perf_counter() - start)


def _stage2(context: RemoteContext, state: PageState) -> None:
    """Reads the page."""
    start = time.perf_counter()
    asked = _asked(context, state)
    state.encode_seconds = time.perf_counter() - start
    [output], stats = ask(context, [asked])
    if output.is_empty and any(region.texts for region in state.draft.regions):
        raise PageError("the answer is empty, asked for twice, and the draft of the page is not", Failure.REFUSED)
    state.written(output, output.text, stats, context.dialect)


def _asked(context: RemoteContext, state: PageState) -> GenerationRequest:
    """The request for the page. Raises :class:`docspec.core.PageError` if the page leaves no room in the context."""
    page = state.page
    usable = PageDraft() if context.options.stages == "none" else state.draft
    taken = _prompt_tokens(context, page.width, page.height)
    room = context.max_length - taken
    if room < 1:
        raise PageError(
            f"the page takes about {taken} of the model's {context.max_length} tokens; lower --dpi", Failure.TOO_LARGE
        )
    most = min(context.options.max_tokens or context.card.max_new_tokens, room)
    return asked_of_page(context.dialect, page, usable, state.texts, most, context.card.writes_special_tokens)


def _prompt_tokens(context: RemoteContext, width: int, height: int) -> int:
    """An upper bound of the prompt's tokens; the picture's are exact if the model's image sizes are known."""
    sight = context.sight
    if sight.pixel_limits:
        height, width = smart_resize(height, width, **sight.pixel_limits)
    picture = -(-width // sight.factor) * -(-height // sight.factor)
    return picture + len(context.dialect.page_prompt.encode()) // 2 + PROMPT_TOKENS


class RemotePages(Readers):
    """Reads pages with one context. Threads may share it; each reads its own pages."""

    def __init__(self, context: RemoteContext) -> None:
        super().__init__(context, RemoteReading(context), partial(read_whole, context))

    def verify(self, drafted: DraftedPage) -> PageResult:
        """The result of a drafted page. Raises :class:`docspec.core.ModelError` if the engine can answer no more
        requests; any other error fails the page."""
        try:
            [result] = self.read([drafted])
            draft = drafted.draft if isinstance(drafted.draft, PageDraft) else PageDraft()
            return replace(result, events=(*result.events, *strange_marks(result.blocks, draft.regions)))
        except ModelError:
            raise
        except Exception as error:
            return failed(page_of(drafted), error)
