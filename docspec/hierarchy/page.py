"""One page through the hierarchy: draft, Stage 1 on its regions, Stage 2 on the whole page, blocks out.

A page fails alone: whatever goes wrong becomes a result with status ``failed`` and a message, and the run goes on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from docspec.core import (
    Baseline,
    Event,
    PageDraft,
    PageError,
    PageImage,
    PageResult,
    PageTimings,
    ParseOptions,
    StageStats,
)
from docspec.core.observer import Observer
from docspec.dialects import Dialect
from docspec.dialects.locate import attach_boxes
from docspec.drafting import SafeDrafter
from docspec.drafting.blank import is_blank
from docspec.drafting.economy import Decision
from docspec.hierarchy.costs import Costs
from docspec.hierarchy.memory import is_out_of_memory, release_memory
from docspec.hierarchy.planner import Planner
from docspec.hierarchy.rows import Engine, OnStep, RowJob, RowOutput
from docspec.hierarchy.stage1 import region_jobs, verify_regions
from docspec.hierarchy.together import places_for, verify_together
from docspec.speculation.decode import Row
from docspec.targets.registry import LoadedTarget


@dataclass(frozen=True, slots=True, eq=False)
class DraftedPage:
    """A page with its draft, ready to be verified; ``error`` is what drafting it raised (an error of ours)."""

    page: PageImage
    draft: PageDraft = field(default_factory=PageDraft)
    events: tuple[Event, ...] = ()
    blank: bool = False
    error: Exception | None = None


PROGRESS_SECONDS = 0.1
"""Least time between two progress calls to the observer."""


class PageParser:
    """Parses pages one at a time with one target, one drafter and one set of options."""

    def __init__(
        self,
        loaded: LoadedTarget,
        dialect: Dialect,
        drafter: SafeDrafter,
        options: ParseOptions,
        observer: Observer,
        planner: Planner | None = None,
    ) -> None:
        self._target = loaded.target
        self._card = loaded.card
        self._dialect = dialect
        self._drafter = drafter
        self._options = options
        self._observer = observer
        self._engine = Engine(loaded.target, options)
        self._planner = planner or Planner(Costs())
        self._engine.node_price = self._planner.costs.node_price()
        if options.stages == "auto":
            self._engine.plain_seconds = self._planner.costs.step_seconds(1)

    def parse(self, page: PageImage) -> PageResult:
        """The page's result; never raises but for interrupts and programming errors outside the page."""
        self._observer.stage(page.number, "draft")
        return self.verify(self.draft(page))

    def draft(self, page: PageImage) -> DraftedPage:
        """The page with its draft. It does not touch the target and may run in a thread beside :meth:`verify`."""
        try:
            draft, events = self._drafter.draft_with_events(page)
            return DraftedPage(page, draft, events, is_blank(page, draft))
        except Exception as error:
            return DraftedPage(page, error=error)

    def verify(self, drafted: DraftedPage, waited: float | None = None) -> PageResult:
        """The result of a drafted page; raises no more than :meth:`parse`. ``waited`` are the seconds that nothing
        was done but wait for the page, where it was made beside the one before it."""
        try:
            if drafted.error is not None:
                raise drafted.error
            return self._verify(drafted, waited)
        except Exception as error:
            self._engine.release()
            return self._failed(drafted.page, error)

    def _verify(self, drafted: DraftedPage, waited: float | None) -> PageResult:
        page, draft, events = drafted.page, drafted.draft, drafted.events
        made = page.render_seconds + draft.seconds
        hidden = 0.0 if waited is None else max(0.0, made - waited)
        result = PageResult(
            source=page.source,
            number=page.number,
            status="ok",
            width=page.width,
            height=page.height,
            drafter=draft.drafter,
            drafter_reason=draft.reason,
            regions=len(draft.regions),
            events=events,
            image=page.image,
            timings=PageTimings(render=page.render_seconds, draft=draft.seconds, hidden=hidden),
        )
        if drafted.blank:
            event = Event("blank_page", "nothing is printed on the page; the model was not asked")
            return replace(result, status="blank", events=(*events, event))
        return self._verified(page, draft, result)

    def _verified(self, page: PageImage, draft: PageDraft, result: PageResult) -> PageResult:
        result, crops = self._with_plan(draft, result)
        outputs = None
        if crops and self._options.schedule == "sequential":
            result, outputs = self._stage1(page, draft, result)
        self._observer.stage(page.number, "prefill")
        start = time.perf_counter()
        usable = PageDraft() if self._options.stages == "none" else draft
        job = self._page_job(page, usable, draft, outputs)
        encode_seconds = time.perf_counter() - start
        if crops and self._options.schedule == "together":
            result, output = self._both_stages(page, draft, job, encode_seconds, result)
        else:
            result, output = self._stage2(page, draft, job, encode_seconds, result)
        if self._options.baseline:
            self._observer.stage(page.number, "baseline")
            result = replace(result, baseline=self._compare(job, encode_seconds, output, result.timings))
        return result

    def _with_plan(self, draft: PageDraft, result: PageResult) -> tuple[PageResult, bool]:
        """Whether the regions are verified: where that is asked for or pays. The reason against it is an event."""
        if self._options.stages not in ("auto", "both"):
            return result, False
        plan = self._plan_crops(draft)
        skipped = (Event("stage1_skipped", plan.why),) if draft.regions and not plan.yes else ()
        return replace(result, events=(*result.events, *skipped)), plan.yes

    def _stage1(self, page: PageImage, draft: PageDraft, result: PageResult) -> tuple[PageResult, list[str]]:
        """Verifies the regions; what the target wrote for each."""
        self._observer.stage(page.number, "stage1")
        start = time.perf_counter()
        progress = self._progress(page, "stage1")
        regions = verify_regions(
            self._engine, self._target, self._dialect, page, draft, progress, self._options.max_tokens
        )
        seconds = time.perf_counter() - start
        self._planner.observe_crops(seconds)
        timings = replace(result.timings, stage1=seconds)
        return replace(result, stage1=regions.stats, timings=timings), regions.texts

    def _both_stages(
        self, page: PageImage, draft: PageDraft, job: RowJob, encode_seconds: float, result: PageResult
    ) -> tuple[PageResult, RowOutput]:
        """Decodes page and regions in one batch; one after the other where that would take too much memory."""
        self._observer.stage(page.number, "stage2")
        start = time.perf_counter()
        crops = region_jobs(self._target, self._dialect, page, draft, self._options.max_tokens)
        regions = [crop for _, crop in crops]
        crop_seconds = time.perf_counter() - start
        if not regions:
            return self._stage2(page, draft, job, encode_seconds, result)
        places = places_for(self._engine, job, regions)
        if places < 2:
            event = Event("together_skipped", "no row for a region fits beside the page's in the KV memory")
            result, outputs = self._stage1(page, draft, replace(result, events=(*result.events, event)))
            job = self._page_job(page, draft, draft, outputs)
            return self._stage2(page, draft, job, encode_seconds, result)
        found = verify_together(
            self._engine, job, regions, places, self._respelled, self._progress(page, "stage2")
        )
        crop_seconds += found.regions.prefill_seconds
        waited = found.page.decode_seconds - found.page.steps * self._planner.costs.step_seconds(16)
        self._planner.observe_crops(crop_seconds + max(0.0, waited))
        result = replace(result, stage1=found.regions, timings=replace(result.timings, stage1=crop_seconds))
        return self._written(page, draft, encode_seconds, result, found.output, found.page), found.output

    def _respelled(self, tokens: list[int]) -> Sequence[int]:
        """Tokens of a crop's output as the page would spell them."""
        text = self._target.detokenize(tokens)
        spelled = self._dialect.output_draft(text)
        return tokens if spelled == text else self._target.tokenize(spelled)

    def _stage2(
        self, page: PageImage, draft: PageDraft, job: RowJob, encode_seconds: float, result: PageResult
    ) -> tuple[PageResult, RowOutput]:
        """Decodes the page with its drafts, or plainly where that is asked for or faster."""
        plainly = self._options.stages == "none"
        events = result.events
        if self._options.stages == "auto" and not job.drafts:
            lookup = self._planner.lookup_pays()
            plainly = not lookup.yes
            events += (Event("plain_decoding", lookup.why),) if plainly else ()
        self._observer.stage(page.number, "stage2")
        if plainly:
            output, stats = self._engine.baseline(job)
        else:
            [output], stats = self._engine.speculate([job], self._progress(page, "stage2"))
        if stats.plain_tokens:
            detail = f"drafts did not pay for {stats.plain_tokens} of {stats.tokens} tokens"
            events += (Event("plain_decoding", detail),)
        result = replace(result, events=events)
        return self._written(page, draft, encode_seconds, result, output, stats), output

    def _written(
        self,
        page: PageImage,
        draft: PageDraft,
        encode_seconds: float,
        result: PageResult,
        output: RowOutput,
        stats: StageStats,
    ) -> PageResult:
        """The result with what the page's row wrote, its counts and its times."""
        text = self._target.detokenize(list(output.tokens))
        self._planner.observe(draft.drafter, text, stats)
        return replace(
            result,
            text=text,
            token_ids=output.tokens,
            blocks=attach_boxes(self._dialect.parse(text, page.width, page.height), draft),
            stage2=stats,
            events=(*result.events, *_ending(output)),
            timings=replace(
                result.timings,
                prefill=encode_seconds + stats.prefill_seconds,
                stage2=stats.decode_seconds,
            ),
        )

    def _plan_crops(self, draft: PageDraft) -> Decision:
        """Whether Stage 1 is run: always with ``both``, where it pays with ``auto``."""
        regions = [region for region in draft.regions if region.texts]
        if self._options.stages == "both" and regions:
            return Decision(True, "asked for")
        pixels_per_token = self._target.processing.factor**2
        return self._planner.crops_pay(
            draft,
            lengths=[len(region.texts[0]) for region in regions],
            prompts=[int(region.bbox.area / pixels_per_token) for region in regions],
            together=self._options.schedule == "together",
        )

    def _page_job(
        self, page: PageImage, usable: PageDraft, known: PageDraft, outputs: list[str] | None
    ) -> RowJob:
        """The page as a row: ``usable`` may be copied from, ``known`` only tells which repetitions are no loops."""
        prompt = self._target.encode(page.image, self._dialect.page_prompt)
        limit = self._target.max_length - prompt.length - self._options.max_tree - 1
        if limit < 1:
            raise PageError(
                f"the page takes {prompt.length} of the model's {self._target.max_length} tokens; lower --dpi"
            )
        budget = min(self._options.max_tokens or self._card.max_new_tokens, limit)
        return RowJob(
            prompt,
            self._tokenized(self._dialect.page_drafts(usable, page.width, page.height, outputs)),
            budget,
            held=self._tokenized(self._dialect.page_drafts(known, page.width, page.height)),
            scaffold=lambda: self._dialect.scaffold(usable, page.width, page.height, outputs),
        )

    def _tokenized(self, texts: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(self._target.tokenize(text)) for text in texts)

    def _compare(
        self, job: RowJob, encode_seconds: float, output: RowOutput, timings: PageTimings
    ) -> Baseline:
        """The same page decoded plainly: equations 12 and 13, with draft and Stage 1 on the speculative side."""
        plain, stats = self._engine.baseline(job)
        plain_prefill = encode_seconds + stats.prefill_seconds
        speculative = timings.draft + timings.stage1 + timings.stage2
        return Baseline(
            tokens=len(plain.tokens),
            prefill_seconds=plain_prefill,
            decode_seconds=stats.decode_seconds,
            sr_decode=stats.decode_seconds / speculative if speculative else 0.0,
            sr_e2e=(timings.render + plain_prefill + stats.decode_seconds) / timings.total,
            identical=plain.tokens == output.tokens,
        )

    def _progress(self, page: PageImage, stage: str) -> OnStep:
        last = 0.0

        def on_step(rows: Sequence[Row]) -> None:
            nonlocal last
            now = time.perf_counter()
            if now - last < PROGRESS_SECONDS:
                return
            last = now
            steps = sum(row.steps for row in rows)
            accepted = sum(row.accepted for row in rows)
            self._observer.decoding(
                page.number, stage, sum(len(row.output) for row in rows), (accepted + steps) / max(1, steps)
            )

        return on_step

    def _failed(self, page: PageImage, error: Exception) -> PageResult:
        if is_out_of_memory(error):
            release_memory()
            message = "out of memory; lower --dpi or --max-tokens, or choose a smaller model"
        elif isinstance(error, PageError):
            message = str(error)
        else:
            message = f"{type(error).__name__}: {error}"
        return PageResult(
            source=page.source,
            number=page.number,
            status="failed",
            width=page.width,
            height=page.height,
            error=f"{page.source}, page {page.number}: {message}",
        )


def _ending(output: RowOutput) -> tuple[Event, ...]:
    """What to report about a page that did not end by itself."""
    if output.finish == "loop":
        detail = f"the output began to repeat itself after {len(output.tokens)} tokens and was cut there"
        return (Event("loop_stopped", detail),)
    if output.finish == "budget":
        detail = f"stopped at the page's budget of {len(output.tokens)} tokens; raise --max-tokens"
        return (Event("budget_reached", detail),)
    return ()
