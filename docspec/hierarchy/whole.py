"""Reads whole pages: Stage 1 on their regions if it pays, then Stage 2; several pages in one batch."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from docspec.drafting.drafted_page import DraftFuture
from docspec.engine.request import Request
from docspec.engine.row import Row
from docspec.hierarchy.arriving_draft import ArrivingDraft
from docspec.hierarchy.page_state import PageState
from docspec.hierarchy.reading_context import LocalContext
from docspec.hierarchy.stage1 import verify_regions
from docspec.hierarchy.stage2 import Stage2


class WholePages:
    """Reads pages whole with one context."""

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        self._stage2 = Stage2(context)

    def read(self, states: Sequence[PageState]) -> None:
        """Reads one or more pages; the rows of several pages are decoded in one batch."""
        if len(states) == 1:
            self._alone(states[0])
            return
        for state in states:
            self._plan(state)
        self._stage1([state for state in states if state.crops])
        self._stage2.decode_all(states)

    def requests(self, state: PageState) -> list[Request]:
        return [self._stage2.request(state)]

    def _alone(self, state: PageState) -> None:
        if state.future is not None:
            self._read_while_drafting(state, state.future)
            return
        self._plan(state)
        self._stage1([state] if state.crops else [])
        request = self._stage2.request(state)
        output = self._stage2.decode(state, request)
        if self._context.options.baseline:
            self._stage2.compare(state, request, output)

    def _read_while_drafting(self, state: PageState, future: DraftFuture) -> None:
        """Decodes the page while its draft is still being made."""
        context = self._context
        arriving = ArrivingDraft(context, state.page, future)
        request = self._stage2.request(state, arriving.drafts)
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
        self._stage2.written(state, output, stats)
        if context.options.baseline:
            self._stage2.compare(state, request, output)

    def _plan(self, state: PageState) -> None:
        """Decides whether the regions are verified: if the options say so or it pays. The reason against it becomes an
        event."""
        options, factor = self._context.options, self._context.sight.factor
        if options.stages not in ("auto", "both"):
            return
        drafted = any(region.texts for region in state.draft.regions)
        if options.stages == "both" and drafted:
            state.crops = True
            return
        plan = self._context.planner.crops_pay(state.draft, factor**2)
        state.crops = plan.yes
        if state.draft.regions and not plan.yes:
            state.happened("stage1_skipped", plan.why)

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
            state.texts = regions.texts
            timings = replace(state.result.timings, stage1=seconds * share)
            state.result = replace(state.result, stage1=regions.stats, timings=timings)
