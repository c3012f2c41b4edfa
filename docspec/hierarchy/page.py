"""Pages through the hierarchy: draft, Stage 1 on their regions, Stage 2 on the whole pages, blocks out.

A page fails alone: whatever goes wrong becomes a result with status ``failed`` and a message, and the run goes on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from docspec.core import (
    Event,
    PageDraft,
    PageError,
    PageImage,
    PageResult,
    ParseOptions,
    StageStats,
)
from docspec.core.observer import Observer
from docspec.dialects import Dialect
from docspec.dialects.locate import attach_boxes
from docspec.drafting import SafeDrafter
from docspec.drafting.blank import is_blank
from docspec.drafting.economy import Decision
from docspec.hierarchy import results
from docspec.hierarchy.costs import Costs
from docspec.hierarchy.memory import is_out_of_memory, release_memory
from docspec.hierarchy.planner import Planner
from docspec.hierarchy.progress import progress_of
from docspec.hierarchy.rows import Engine, RowJob, RowOutput
from docspec.hierarchy.stage1 import region_jobs, verify_regions
from docspec.hierarchy.together import places_for, verify_together
from docspec.targets.registry import LoadedTarget


@dataclass(frozen=True, slots=True, eq=False)
class DraftedPage:
    """A page with its draft, ready to be verified; ``error`` is what drafting it raised (an error of ours).

    ``waited`` are the seconds that nothing was done but wait for it, where it was made beside other work.
    """

    page: PageImage
    draft: PageDraft = field(default_factory=PageDraft)
    events: tuple[Event, ...] = ()
    blank: bool = False
    error: Exception | None = None
    waited: float | None = None


@dataclass(slots=True, eq=False)
class _Work:
    """A page on its way: its result so far, whether its regions are verified, and what was written for them."""

    page: PageImage
    draft: PageDraft
    result: PageResult
    crops: bool = False
    texts: list[str] | None = None
    encode_seconds: float = 0.0

    def happened(self, kind: str, detail: str) -> None:
        """Adds an event to the result."""
        self.result = replace(self.result, events=(*self.result.events, Event(kind, detail)))


class PageParser:
    """Parses pages with one target, one drafter and one set of options, alone or several in flight."""

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

    def verify(self, drafted: DraftedPage) -> PageResult:
        """The result of a drafted page; raises no more than :meth:`parse`."""
        try:
            [result] = self._verify([drafted])
            return result
        except Exception as error:
            self._engine.release()
            return results.failed(drafted.page, error)

    def verify_all(self, drafted: Sequence[DraftedPage]) -> list[PageResult]:
        """The results of pages whose rows are decoded side by side; one after the other where that fails."""
        if len(drafted) == 1:
            return [self.verify(drafted[0])]
        try:
            return self._verify(drafted)
        except Exception as error:
            self._engine.release()
            if is_out_of_memory(error):
                release_memory()
            event = Event("pages_separated", f"{type(error).__name__} with {len(drafted)} pages in flight")
            return [self.verify(replace(one, events=(*one.events, event))) for one in drafted]

    def _verify(self, drafted: Sequence[DraftedPage]) -> list[PageResult]:
        works = [_begun(one) for one in drafted]
        asked = [work for work in works if work.result.status == "ok"]
        if len(asked) == 1:
            self._alone(asked[0])
        elif asked:
            self._in_flight(asked)
        return [work.result for work in works]

    def _alone(self, work: _Work) -> None:
        self._plan(work)
        together = self._options.schedule == "together"
        if work.crops and not together:
            self._stage1([work])
        job = self._page_job(work)
        output = (self._both_stages if work.crops and together else self._stage2)(work, job)
        if self._options.baseline:
            self._observer.stage(work.page.number, "baseline")
            plain, stats = self._engine.baseline(job)
            baseline = results.compared(output, work.result.timings, plain, stats, work.encode_seconds)
            work.result = replace(work.result, baseline=baseline)

    def _in_flight(self, works: Sequence[_Work]) -> None:
        """Both stages of several pages, the rows of all of them in one batch each."""
        for work in works:
            self._plan(work)
        cropped = [work for work in works if work.crops]
        if cropped:
            self._stage1(cropped)
        jobs = [self._page_job(work) for work in works]
        for work in works:
            self._observer.stage(work.page.number, "stage2")
        found = self._engine.speculate_groups(
            [[job] for job in jobs],
            progress_of(self._observer, works[0].page.number, "stage2"),
            self._engine.places(jobs),
        )
        for work, ([output], stats) in zip(works, found, strict=True):
            self._written(work, output, stats)

    def _plan(self, work: _Work) -> None:
        """Whether the regions are verified: where that is asked for or pays. The reason against it is an event."""
        if self._options.stages not in ("auto", "both"):
            return
        plan = self._plan_crops(work.draft)
        work.crops = plan.yes
        if work.draft.regions and not plan.yes:
            work.happened("stage1_skipped", plan.why)

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

    def _stage1(self, works: Sequence[_Work]) -> None:
        """Verifies the regions of pages, all in one batch, and keeps what the target wrote for each."""
        for work in works:
            self._observer.stage(work.page.number, "stage1")
        start = time.perf_counter()
        found = verify_regions(
            self._engine,
            self._target,
            self._dialect,
            [(work.page, work.draft) for work in works],
            progress_of(self._observer, works[0].page.number, "stage1"),
            self._options.max_tokens,
        )
        seconds = time.perf_counter() - start
        if len(works) == 1:
            self._planner.observe_crops(seconds)
        spent = [regions.stats.prefill_seconds + regions.stats.decode_seconds for regions in found]
        for work, regions, part in zip(works, found, spent, strict=True):
            share = part / sum(spent) if sum(spent) else 1 / len(works)
            work.texts = regions.texts
            timings = replace(work.result.timings, stage1=seconds * share)
            work.result = replace(work.result, stage1=regions.stats, timings=timings)

    def _both_stages(self, work: _Work, job: RowJob) -> RowOutput:
        """Decodes page and regions in one batch; one after the other where that would take too much memory."""
        number = work.page.number
        self._observer.stage(number, "stage2")
        start = time.perf_counter()
        crops = region_jobs(self._target, self._dialect, work.page, work.draft, self._options.max_tokens)
        regions = [crop for _, crop in crops]
        crop_seconds = time.perf_counter() - start
        if not regions:
            return self._stage2(work, job)
        places = places_for(self._engine, job, regions)
        if places < 2:
            work.happened("together_skipped", "no row for a region fits beside the page's in the KV memory")
            self._stage1([work])
            return self._stage2(work, self._page_job(work))
        progress = progress_of(self._observer, number, "stage2")
        found = verify_together(self._engine, job, regions, places, self._respelled, progress)
        crop_seconds += found.regions.prefill_seconds
        waited = found.page.decode_seconds - found.page.steps * self._planner.costs.step_seconds(16)
        self._planner.observe_crops(crop_seconds + max(0.0, waited))
        timings = replace(work.result.timings, stage1=crop_seconds)
        work.result = replace(work.result, stage1=found.regions, timings=timings)
        self._written(work, found.output, found.page)
        return found.output

    def _respelled(self, tokens: list[int]) -> Sequence[int]:
        """Tokens of a crop's output as the page would spell them."""
        text = self._target.detokenize(tokens)
        spelled = self._dialect.output_draft(text)
        return tokens if spelled == text else self._target.tokenize(spelled)

    def _stage2(self, work: _Work, job: RowJob) -> RowOutput:
        """Decodes the page with its drafts, or plainly where that is asked for or faster."""
        number = work.page.number
        plainly = job.plain
        if self._options.stages == "auto" and not job.drafts:
            lookup = self._planner.lookup_pays()
            plainly = not lookup.yes
            if plainly:
                work.happened("plain_decoding", lookup.why)
        self._observer.stage(number, "stage2")
        if plainly:
            output, stats = self._engine.baseline(job)
        else:
            [output], stats = self._engine.speculate([job], progress_of(self._observer, number, "stage2"))
        if stats.plain_tokens:
            detail = f"drafts did not pay for {stats.plain_tokens} of {stats.tokens} tokens"
            work.happened("plain_decoding", detail)
        self._written(work, output, stats)
        return output

    def _written(self, work: _Work, output: RowOutput, stats: StageStats) -> None:
        """Adds to the result what the page's row wrote, its counts and its times."""
        text = self._target.detokenize(list(output.tokens))
        self._planner.observe(work.draft.drafter, text, stats)
        result = work.result
        work.result = replace(
            result,
            text=text,
            token_ids=output.tokens,
            blocks=attach_boxes(self._dialect.parse(text, work.page.width, work.page.height), work.draft),
            stage2=stats,
            events=(*result.events, *results.ending(output)),
            timings=replace(
                result.timings,
                prefill=work.encode_seconds + stats.prefill_seconds,
                stage2=stats.decode_seconds,
            ),
        )

    def _page_job(self, work: _Work) -> RowJob:
        """The page as a row. Its drafts, but with ``stages`` ``none``, may be copied from; even then they tell which
        repetitions are no loops."""
        self._observer.stage(work.page.number, "prefill")
        start = time.perf_counter()
        page, dialect = work.page, self._dialect
        plain = self._options.stages == "none"
        usable = PageDraft() if plain else work.draft
        prompt = self._target.encode(page.image, dialect.page_prompt)
        limit = self._target.max_length - prompt.length - self._options.max_tree - 1
        if limit < 1:
            raise PageError(
                f"the page takes {prompt.length} of the model's {self._target.max_length} tokens; lower --dpi"
            )
        job = RowJob(
            prompt,
            self._tokenized(dialect.page_drafts(usable, page.width, page.height, work.texts)),
            min(self._options.max_tokens or self._card.max_new_tokens, limit),
            held=self._tokenized(dialect.page_drafts(work.draft, page.width, page.height)),
            scaffold=lambda: dialect.scaffold(usable, page.width, page.height, work.texts),
            plain=plain,
        )
        work.encode_seconds = time.perf_counter() - start
        return job

    def _tokenized(self, texts: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(self._target.tokenize(text)) for text in texts)


def _begun(drafted: DraftedPage) -> _Work:
    """The page's work as it begins: done already where drafting it failed or nothing is printed on it."""
    page, draft = drafted.page, drafted.draft
    if drafted.error is not None:
        return _Work(page, draft, results.failed(page, drafted.error))
    work = _Work(page, draft, results.begun(page, draft, drafted.events, drafted.waited))
    if drafted.blank:
        work.happened("blank_page", "nothing is printed on the page; the model was not asked")
        work.result = replace(work.result, status="blank")
    return work
