"""Stage 2: the whole page is written, drafting from the page's draft and from what Stage 1 wrote (section 3.3)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from docspec.core import Failure, PageDraft, PageError, StageStats
from docspec.dialects.locate import attach_boxes
from docspec.engine.request import GrowingDraft, Output, Request
from docspec.hierarchy import results
from docspec.hierarchy.setup import Setup
from docspec.hierarchy.work import Work


class Stage2:
    """Asks for whole pages, decodes them, and adds to their results what was written."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup

    def request(self, work: Work, growing: tuple[GrowingDraft, ...] = ()) -> Request:
        """The page as a request. Its drafts, but with ``stages`` ``none``, may be copied from, and those ``growing``.

        Raises :class:`docspec.core.PageError` where the page leaves no room in the target's context.
        """
        setup = self._setup
        setup.observer.stage(work.number, "prefill")
        start = time.perf_counter()
        page, dialect, target, options = work.page, setup.dialect, setup.target, setup.options
        plain = options.stages == "none"
        usable = PageDraft() if plain else work.draft
        prompt = target.encode(page.image, dialect.page_prompt)
        limit = target.max_length - prompt.length - options.max_tree - 1
        if limit < 1:
            raise PageError(
                f"the page takes {prompt.length} of the model's {target.max_length} tokens; lower --dpi",
                Failure.TOO_LARGE,
            )
        request = Request(
            prompt,
            setup.tokenized(dialect.page_drafts(usable, page.width, page.height, work.texts)),
            min(options.max_tokens or setup.card.max_new_tokens, limit),
            scaffold=lambda: dialect.scaffold(usable, page.width, page.height, work.texts),
            growing=growing,
            plain=plain,
            stop=setup.stop,
            doubt=setup.doubt,
            traced=options.provenance,
        )
        work.encode_seconds = time.perf_counter() - start
        return request

    def decode(self, work: Work, request: Request) -> Output:
        """Decodes the page with its drafts, or plainly where that is asked for or faster."""
        setup = self._setup
        plainly = request.plain
        if setup.options.stages == "auto" and not request.drafts:
            lookup = setup.planner.lookup_pays()
            plainly = not lookup.yes
            if plainly:
                work.happened("plain_decoding", lookup.why)
        progress = setup.progress([work], "stage2")
        if plainly:
            output, stats = setup.engine.baseline(request)
        else:
            [output], stats = setup.engine.speculate([request], progress)
        if stats.plain_tokens:
            detail = f"drafts did not pay for {stats.plain_tokens} of {stats.tokens} tokens"
            work.happened("plain_decoding", detail)
        self.written(work, output, stats)
        return output

    def decode_all(self, works: Sequence[Work]) -> None:
        """Decodes several pages, their rows in one batch."""
        requests = [self.request(work) for work in works]
        engine = self._setup.engine
        progress = self._setup.progress(works, "stage2")
        found = engine.speculate_groups(
            [[request] for request in requests], progress, engine.places(requests)
        )
        for work, ([output], stats) in zip(works, found, strict=True):
            self.written(work, output, stats)

    def written(self, work: Work, output: Output, stats: StageStats) -> None:
        """Adds to the result what the page's row wrote, its counts and its times."""
        setup, page, result = self._setup, work.page, work.result
        work.outputs = (output,)
        text = setup.target.detokenize(list(output.tokens))
        if work.coming is None:  # else it was not the draft alone that told what was wrong
            setup.planner.observe(work.draft.drafter, text, stats)
        cut = results.cut_of(output)
        blocks = setup.dialect.parse(text, page.width, page.height)
        timings = replace(
            result.timings, prefill=work.encode_seconds + stats.prefill_seconds, stage2=stats.decode_seconds
        )
        work.result = replace(
            result,
            text=text,
            token_ids=output.tokens,
            blocks=attach_boxes(blocks, work.draft),
            stage2=stats,
            events=(*result.events, *results.ending(cut), *results.skipped(stats), *results.unsaid(text, blocks)),
            cut=cut,
            timings=timings,
        )

    def compare(self, work: Work, request: Request, output: Output) -> None:
        """Adds to the result what plain decoding takes for the same page."""
        self._setup.observer.stage(work.number, "baseline")
        plain, stats = self._setup.engine.baseline(request)
        baseline = results.compared(
            output.tokens, work.result.timings, plain.tokens, stats, work.encode_seconds
        )
        work.result = replace(work.result, baseline=baseline)
