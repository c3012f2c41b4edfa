"""Reads whole pages: Stage 1 on their regions if it pays, then Stage 2 (section 3.3 of the paper); several pages in one
batch.

In Stage 1 every drafted region is verified on its own crop. Crops are small, so their prompts are short and their
outputs are local. In Stage 2 the page is decoded with its draft and the outputs of Stage 1 as drafts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from docspec.core import Failure, PageDraft, PageError, PageImage, StageStats
from docspec.dialects import Dialect
from docspec.drafting.drafted_page import DraftFuture
from docspec.engine.decoder import Decoder, decode_side_by_side
from docspec.engine.loop import OnStep
from docspec.engine.request import GrowingDraft, Output, Request
from docspec.engine.row import Row
from docspec.hierarchy.arriving_draft import ArrivingDraft
from docspec.hierarchy.asking import MAX_REGION_TOKENS, asked_of_regions
from docspec.hierarchy.loop_guard import LoopGuard
from docspec.hierarchy.page_state import PageState, compared
from docspec.hierarchy.reading_context import LocalContext

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel

SPARE_TOKENS = 48
"""Output tokens of a region beyond one and a half times its longest draft."""


class WholePages:
    """Reads pages whole with one context."""

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def read(self, states: Sequence[PageState]) -> None:
        """Reads one or more pages; the rows of several pages are decoded in one batch."""
        if len(states) == 1:
            self._alone(states[0])
            return
        self._stage1([state for state in states if self._crops_pay(state)])
        self._decode_all(states)

    def _alone(self, state: PageState) -> None:
        if state.future is not None:
            self._read_while_drafting(state, state.future)
            return
        if self._crops_pay(state):
            self._stage1([state])
        request = self.request(state)
        output = self._decode(state, request)
        if self._context.options.baseline:
            self._compare(state, request, output)

    def _read_while_drafting(self, state: PageState, future: DraftFuture) -> None:
        """Decodes the page while its draft is still being made."""
        context = self._context
        arriving = ArrivingDraft(context, state.page, future)
        request = self.request(state, arriving.drafts)
        progress = context.progress([state], "stage2")
        start = time.perf_counter()

        def on_step(rows: Sequence[Row]) -> None:
            progress(rows)
            arriving.take(rows)

        arriving.take()
        [output], stats = context.engine.speculate([request], on_step)
        arriving.note("first token", 1, start + stats.prefill_seconds)
        drafted = arriving.finish(len(output.tokens))
        state.arrived(drafted, arriving.seconds, arriving.beside)
        timeline = tuple(sorted(arriving.timeline, key=lambda moment: moment.at))
        state.result = replace(state.result, timeline=timeline)
        self._written(state, output, stats)
        if context.options.baseline:
            self._compare(state, request, output)

    def _crops_pay(self, state: PageState) -> bool:
        """Whether the regions are verified: if the options say so or it pays. The reason against it becomes an
        event."""
        options, factor = self._context.options, self._context.sight.factor
        if options.stages not in ("auto", "both"):
            return False
        if options.stages == "both" and any(region.texts for region in state.draft.regions):
            return True
        plan = self._context.planner.crops_pay(state.draft, factor**2)
        if state.draft.regions and not plan.yes:
            state.happened("stage1_skipped", plan.why)
        return plan.yes

    def _stage1(self, states: Sequence[PageState]) -> None:
        """Verifies the regions of pages, all in one batch, and keeps what the target wrote for each."""
        if not states:
            return
        context = self._context
        progress = context.progress(states, "stage1")
        start = time.perf_counter()
        found = verify_regions(
            context.engine,
            context.target,
            context.dialect,
            [(state.page, state.draft) for state in states],
            progress,
            context.options.max_tokens,
        )
        seconds = time.perf_counter() - start
        if len(states) == 1:
            context.planner.observe_crops(seconds)
        spent = [regions.stats.prefill_seconds + regions.stats.decode_seconds for regions in found]
        for state, regions, part in zip(states, found, spent, strict=True):
            share = part / sum(spent) if sum(spent) else 1 / len(states)
            state.verified(regions.texts, regions.stats, seconds * share)

    def request(self, state: PageState, growing: tuple[GrowingDraft, ...] = ()) -> Request:
        """The request for the page, with its drafts (none with ``stages`` ``none``) and the ``growing`` ones.

        Raises :class:`docspec.core.PageError` if the page leaves no room in the target's context.
        """
        context = self._context
        context.observer.stage(state.number, "prefill")
        start = time.perf_counter()
        page, dialect, target, options = state.page, context.dialect, context.target, context.options
        plain = options.stages == "none"
        usable = PageDraft() if plain else state.draft
        prompt = target.encode(page.image, dialect.page_prompt)
        limit = target.max_length - prompt.length - options.max_tree - 1
        if limit < 1:
            raise PageError(
                f"the page takes {prompt.length} of the model's {target.max_length} tokens; lower --dpi",
                Failure.TOO_LARGE,
            )
        request = Request(
            prompt,
            context.tokenized(dialect.page_drafts(usable, page.width, page.height, state.texts)),
            min(options.max_tokens or context.card.max_new_tokens, limit),
            grammar=lambda: dialect.grammar(usable, page.width, page.height, state.texts),
            growing=growing,
            plain=plain,
            stop=context.stop,
            least_margin=context.least_margin,
            traced=options.provenance,
        )
        state.encode_seconds = time.perf_counter() - start
        return request

    def _decode(self, state: PageState, request: Request) -> Output:
        """Decodes the page with its drafts; plainly if the options say so or drafts do not pay."""
        context = self._context
        plainly = request.plain
        if context.options.stages == "auto" and not request.drafts:
            lookup = context.planner.lookup_pays()
            plainly = not lookup.yes
            if plainly:
                state.happened("plain_decoding", lookup.why)
        progress = context.progress([state], "stage2")
        if plainly:
            output, stats = context.engine.baseline(request)
        else:
            [output], stats = context.engine.speculate([request], progress)
        if stats.plain_tokens:
            detail = f"drafts did not pay for {stats.plain_tokens} of {stats.tokens} tokens"
            state.happened("plain_decoding", detail)
        self._written(state, output, stats)
        return output

    def _decode_all(self, states: Sequence[PageState]) -> None:
        """Decodes several pages as rows of one batch."""
        requests = [self.request(state) for state in states]
        engine = self._context.engine
        progress = self._context.progress(states, "stage2")
        found = engine.speculate_groups([[request] for request in requests], progress, engine.max_rows(requests))
        for state, ([output], stats) in zip(states, found, strict=True):
            self._written(state, output, stats)

    def _written(self, state: PageState, output: Output, stats: StageStats) -> None:
        """Adds the output of the page's row, its counts and its times to the result."""
        context = self._context
        text = context.target.detokenize(list(output.tokens))
        if state.future is None:  # an arriving draft was incomplete at first: its errors tell nothing
            context.planner.observe(state.draft.drafter, text, stats)
        state.written(output, text, stats, context.dialect)

    def _compare(self, state: PageState, request: Request, output: Output) -> None:
        """Adds the time of plain decoding for the same page to the result."""
        self._context.observer.stage(state.number, "baseline")
        plain, stats = self._context.engine.baseline(request)
        baseline = compared(output.tokens, state.result.timings, plain.tokens, stats, state.encode_seconds)
        state.result = replace(state.result, baseline=baseline)


@dataclass(slots=True)
class RegionOutputs:
    """The target's text for each region of a page's draft (``""`` where nothing was verified), and the counts."""

    texts: list[str]
    stats: StageStats


def verify_regions(
    engine: Decoder,
    target: TargetModel,
    dialect: Dialect,
    pages: Sequence[tuple[PageImage, PageDraft]],
    on_step: OnStep | None = None,
    max_tokens: int | None = None,
) -> list[RegionOutputs]:
    """Runs Stage 1 on the drafts of ``pages``, the regions of all pages in one batch. No region may write more than
    ``max_tokens``, the page's own budget if it has one.

    An output that was cut at its budget is kept.
    """
    limit = min(max_tokens or MAX_REGION_TOKENS, MAX_REGION_TOKENS)
    asked = [_requests(target, dialect, page, draft, limit) for page, draft in pages]
    decoded = decode_side_by_side(engine, [[job for _, job in jobs] for jobs in asked], on_step)
    found = []
    for (_, draft), jobs, (outputs, stats) in zip(pages, asked, decoded, strict=True):
        texts = [""] * len(draft.regions)
        for (index, _), output in zip(jobs, outputs, strict=True):
            if output.finish != "loop":
                texts[index] = target.detokenize(list(output.tokens))
        found.append(RegionOutputs(texts, stats))
    return found


def _requests(
    target: TargetModel, dialect: Dialect, page: PageImage, draft: PageDraft, limit: int
) -> list[tuple[int, Request]]:
    """The requests in reading order, each with the index of its region; no region may write more than ``limit``
    tokens."""
    found = []
    for index, asked in asked_of_regions(dialect, target.sight.factor, page, draft):
        drafts = tuple(tuple(target.tokenize(text)) for text in asked.drafts)
        longest = max(map(len, drafts), default=0)
        budget = min(longest + longest // 2 + SPARE_TOKENS, limit)
        assert asked.image is not None
        prompt = target.encode(asked.image, asked.prompt)
        found.append((index, Request(prompt, drafts, budget, stop=partial(LoopGuard, target.detokenize))))
    return found
