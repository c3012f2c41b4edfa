"""Stage 2: the whole page is decoded with the page's draft and the outputs of Stage 1 as drafts (section 3.3)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from docspec.core import Failure, PageDraft, PageError, StageStats
from docspec.dialects.locate import attach_boxes
from docspec.engine.request import GrowingDraft, Output, Request
from docspec.hierarchy import results
from docspec.hierarchy.page_state import PageState
from docspec.hierarchy.reading_context import LocalContext


class Stage2:
    """Encodes whole pages, decodes them, and adds the outputs to their results."""

    def __init__(self, context: LocalContext) -> None:
        self._context = context

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

    def decode(self, state: PageState, request: Request) -> Output:
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
        self.written(state, output, stats)
        return output

    def decode_all(self, states: Sequence[PageState]) -> None:
        """Decodes several pages as rows of one batch."""
        requests = [self.request(state) for state in states]
        engine = self._context.engine
        progress = self._context.progress(states, "stage2")
        found = engine.speculate_groups([[request] for request in requests], progress, engine.max_rows(requests))
        for state, ([output], stats) in zip(states, found, strict=True):
            self.written(state, output, stats)

    def written(self, state: PageState, output: Output, stats: StageStats) -> None:
        """Adds the output of the page's row, its counts and its times to the result."""
        context, page = self._context, state.page
        state.outputs = (output,)
        text = context.target.detokenize(list(output.tokens))
        if state.future is None:  # an arriving draft was incomplete at first: its errors tell nothing
            context.planner.observe(state.draft.drafter, text, stats)
        blocks = attach_boxes(context.dialect.parse(text, page.width, page.height), state.draft)
        state.result = results.whole(state.result, output, text, blocks, stats, state.encode_seconds)

    def compare(self, state: PageState, request: Request, output: Output) -> None:
        """Adds the time of plain decoding for the same page to the result."""
        self._context.observer.stage(state.number, "baseline")
        plain, stats = self._context.engine.baseline(request)
        baseline = results.compared(output.tokens, state.result.timings, plain.tokens, stats, state.encode_seconds)
        state.result = replace(state.result, baseline=baseline)
