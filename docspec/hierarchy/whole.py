"""Whole pages: Stage 1 on their regions where it pays, then Stage 2, or both together; several pages side by side."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from docspec.drafting.coming import ComingDraft
from docspec.engine.request import Output, Request
from docspec.engine.row import Row
from docspec.hierarchy.meanwhile import Arriving
from docspec.hierarchy.setup import Setup
from docspec.hierarchy.stage1 import region_jobs, verify_regions
from docspec.hierarchy.stage2 import Stage2
from docspec.hierarchy.together import places_for, verify_together
from docspec.hierarchy.work import Work


class WholePages:
    """Reads pages whole with one setup."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._stage2 = Stage2(setup)

    def read(self, works: Sequence[Work]) -> None:
        """Reads ``works``, one or more; the rows of several are decoded in one batch."""
        if len(works) == 1:
            self._alone(works[0])
            return
        for work in works:
            self._plan(work)
        self._stage1([work for work in works if work.crops])
        self._stage2.decode_all(works)

    def requests(self, work: Work) -> list[Request]:
        """What the engine is asked for the page."""
        return [self._stage2.request(work)]

    def _alone(self, work: Work) -> None:
        if work.coming is not None:
            self._meanwhile(work, work.coming)
            return
        self._plan(work)
        together = self._setup.options.schedule == "together"
        if not together:
            self._stage1([work] if work.crops else [])
        request = self._stage2.request(work)
        decode = self._together if work.crops and together else self._stage2.decode
        output = decode(work, request)
        if self._setup.options.baseline:
            self._stage2.compare(work, request, output)

    def _meanwhile(self, work: Work, coming: ComingDraft) -> None:
        """Decodes the page while its draft is still being made."""
        setup = self._setup
        arriving = Arriving(setup, work.page, coming)
        request = self._stage2.request(work, arriving.drafts)
        progress = setup.progress([work], "stage2")
        start = time.perf_counter()

        def on_step(rows: Sequence[Row]) -> None:
            progress(rows)
            arriving.take(rows)

        arriving.take()
        [output], stats = setup.engine.speculate([request], on_step)
        arriving.note("first token", 1, start + stats.prefill_seconds)
        drafted = arriving.finish(len(output.tokens))
        work.arrived(drafted, arriving.seconds, arriving.beside)
        timeline = tuple(sorted(arriving.timeline, key=lambda moment: moment.at))
        work.result = replace(work.result, timeline=timeline)
        self._stage2.written(work, output, stats)
        if setup.options.baseline:
            self._stage2.compare(work, request, output)

    def _plan(self, work: Work) -> None:
        """Whether the regions are verified: where that is asked for or pays. The reason against it is an event."""
        options, factor = self._setup.options, self._setup.target.processing.factor
        if options.stages not in ("auto", "both"):
            return
        drafted = any(region.texts for region in work.draft.regions)
        if options.stages == "both" and drafted:
            work.crops = True
            return
        plan = self._setup.planner.crops_pay(work.draft, factor**2, options.schedule == "together")
        work.crops = plan.yes
        if work.draft.regions and not plan.yes:
            work.happened("stage1_skipped", plan.why)

    def _stage1(self, works: Sequence[Work]) -> None:
        """Verifies the regions of pages, all in one batch, and keeps what the target wrote for each."""
        if not works:
            return
        setup = self._setup
        progress = setup.progress(works, "stage1")
        start = time.perf_counter()
        found = verify_regions(
            setup.engine,
            setup.target,
            setup.dialect,
            [(work.page, work.draft) for work in works],
            progress,
            setup.options.max_tokens,
        )
        seconds = time.perf_counter() - start
        if len(works) == 1:
            setup.planner.observe_crops(seconds)
        spent = [regions.stats.prefill_seconds + regions.stats.decode_seconds for regions in found]
        for work, regions, part in zip(works, found, spent, strict=True):
            share = part / sum(spent) if sum(spent) else 1 / len(works)
            work.texts = regions.texts
            timings = replace(work.result.timings, stage1=seconds * share)
            work.result = replace(work.result, stage1=regions.stats, timings=timings)

    def _together(self, work: Work, request: Request) -> Output:
        """Decodes page and regions in one batch; one after the other where that would take too much memory."""
        setup = self._setup
        start = time.perf_counter()
        crops = region_jobs(setup.target, setup.dialect, work.page, work.draft, setup.options.max_tokens)
        regions = [crop for _, crop in crops]
        crop_seconds = time.perf_counter() - start
        if not regions:
            return self._stage2.decode(work, request)
        places = places_for(setup.engine, request, regions)
        if places < 2:
            work.happened("together_skipped", "no row for a region fits beside the page's in the KV memory")
            self._stage1([work])
            return self._stage2.decode(work, self._stage2.request(work))
        progress = setup.progress([work], "stage2")
        found = verify_together(setup.engine, request, regions, places, setup.respelled, progress)
        crop_seconds += found.regions.prefill_seconds
        waited = found.page.decode_seconds - found.page.steps * setup.planner.costs.step_seconds(16)
        setup.planner.observe_crops(crop_seconds + max(0.0, waited))
        timings = replace(work.result.timings, stage1=crop_seconds)
        work.result = replace(work.result, stage1=found.regions, timings=timings)
        self._stage2.written(work, found.output, found.page)
        return found.output
