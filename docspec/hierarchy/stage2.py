"""Stage 2: the whole page is written, drafting from the page's draft and from what Stage 1 wrote (section 3.3)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from docspec.core import Failure, PageDraft, PageError, StageStats
from docspec.dialects.locate import attach_boxes
from docspec.engine.request import GrowingDraft, Output, Request
from docspec.hierarchy import results
from docspec.hierarchy.page_state import PageState
from docspec.hierarchy.reading_context import ReadingContext


class Stage2:
    """Asks for whole pages, decodes them, and adds to their results what was written."""

    def __init__(self, setup: ReadingContext) -> None:
        self._setup = setup

    def request(self, state: PageState, growing: tuple[GrowingDraft, ...] = ()) -> Request:
        """The page as a request that may copy from its drafts (none with ``stages`` ``none``) and those ``growing``.

        Raises :class:`docspec.core.PageError` where the page leaves no room in the target's context.
        """
        setup = self._setup
        setup.observer.stage(state.number, "prefill")
        start = time.perf_counter()
        page, dialect, target, options = state.page, setup.dialect, setup.target, setup.options
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
            setup.tokenized(dialect.page_drafts(usable, page.width, page.height, state.texts)),
            min(options.max_tokens or setup.card.max_new_tokens, limit),
            grammar=lambda: dialect.grammar(usable, page.width, page.height, state.texts),
            growing=growing,
            plain=plain,
            stop=setup.stop,
            least_margin=setup.least_margin,
            traced=options.provenance,
        )
        state.encode_seconds = time.perf_counter() - start
        return request

    def decode(self, state: PageState, request: Request) -> Output:
        """Decodes the page with its drafts, or plainly where that is asked for or faster."""
        setup = self._setup
        plainly = request.plain
        if setup.options.stages == "auto" and not request.drafts:
            lookup = setup.planner.lookup_pays()
            plainly = not lookup.yes
            if plainly:
                state.happened("plain_decoding", lookup.why)
        progress = setup.progress([state], "stage2")
        if plainly:
            output, stats = setup.engine.baseline(request)
        else:
            [output], stats = setup.engine.speculate([request], progress)
        if stats.plain_tokens:
            detail = f"drafts did not pay for {stats.plain_tokens} of {stats.tokens} tokens"
            state.happened("plain_decoding", detail)
        self.written(state, output, stats)
        return output

    def decode_all(self, states: Sequence[PageState]) -> None:
        """Decodes several pages, their rows in one batch."""
        requests = [self.request(state) for state in states]
        engine = self._setup.engine
        progress = self._setup.progress(states, "stage2")
        found = engine.speculate_groups([[request] for request in requests], progress, engine.max_rows(requests))
        for state, ([output], stats) in zip(states, found, strict=True):
            self.written(state, output, stats)

    def written(self, state: PageState, output: Output, stats: StageStats) -> None:
        """Adds to the result what the page's row wrote, its counts and its times."""
        setup, page = self._setup, state.page
        state.outputs = (output,)
        text = setup.target.detokenize(list(output.tokens))
        if state.future is None:  # else it was not the draft alone that told what was wrong
            setup.planner.observe(state.draft.drafter, text, stats)
        blocks = attach_boxes(setup.dialect.parse(text, page.width, page.height), state.draft)
        state.result = results.whole(state.result, output, text, blocks, stats, state.encode_seconds)

    def compare(self, state: PageState, request: Request, output: Output) -> None:
        """Adds to the result what plain decoding takes for the same page."""
        self._setup.observer.stage(state.number, "baseline")
        plain, stats = self._setup.engine.baseline(request)
        baseline = results.compared(output.tokens, state.result.timings, plain.tokens, stats, state.encode_seconds)
        state.result = replace(state.result, baseline=baseline)
