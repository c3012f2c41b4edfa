"""Reads whole pages with any engine: Stage 1 on their regions if it pays, then Stage 2 (section 3.3 of the paper).

In Stage 1 every drafted region is verified on its own crop. Crops are small, so their prompts are short and their
outputs are local. In Stage 2 the page is decoded with its draft and the outputs of Stage 1 as drafts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PIL import Image

from docspec.core import BBox, Failure, PageDraft, PageError, PageImage
from docspec.core.page import smart_resize
from docspec.drafting.drafted_page import DraftFuture
from docspec.generation.interface import GenerationRequest, Progress
from docspec.hierarchy.answers import Answered, OnProgress, ask
from docspec.hierarchy.arriving_draft import ArrivingDraft
from docspec.hierarchy.page_state import PageState, compared
from docspec.hierarchy.reading_context import ReadingContext
from docspec.targets.family import image_tokens

MAX_REGION_TOKENS = 1536
"""Most output tokens of a region."""

SPARE_TOKENS = 48
"""Output tokens of a region beyond one and a half times its longest draft."""

MARGIN = 4
"""Pixels added around a region."""

MAX_ASPECT = 30.0
"""Longer side over shorter side beyond which the shorter one is padded."""


def asked_of_regions(context: ReadingContext, page: PageImage, draft: PageDraft) -> list[tuple[int, GenerationRequest]]:
    """The requests of Stage 1 in reading order, each with the index of its region. Regions without pixels or without
    text to verify are skipped. No region may write more than the page's own budget, if it has one."""
    dialect, most = context.dialect, min(context.options.max_tokens or MAX_REGION_TOKENS, MAX_REGION_TOKENS)
    requests = []
    for index, region in enumerate(draft.regions):
        image = crop(page.image, region.bbox, context.sight.factor) if region.texts else None
        if image is not None:
            asked = GenerationRequest(
                image,
                dialect.crop_prompt(region),
                most,
                tuple(dialect.region_drafts(region)),
                special_tokens=context.card.writes_special_tokens,
                spare=SPARE_TOKENS,
            )
            requests.append((index, asked))
    return requests


def asked_of_page(
    context: ReadingContext, page: PageImage, draft: PageDraft, texts: Sequence[str] | None
) -> GenerationRequest:
    """The request of Stage 2. Its drafts are those of ``draft`` and the ``texts`` that Stage 1 wrote for the
    regions; none with ``stages`` ``none``."""
    dialect, options = context.dialect, context.options
    plain = options.stages == "none"
    usable, known = PageDraft() if plain else draft, None if texts is None else list(texts)
    return GenerationRequest(
        page.image,
        dialect.page_prompt,
        options.max_tokens or context.card.max_new_tokens,
        tuple(dialect.page_drafts(usable, page.width, page.height, known)),
        "page",
        context.card.writes_special_tokens,
        grammar=partial(dialect.grammar, usable, page.width, page.height, known),
        plain=plain,
        traced=options.traces,
    )


def crop(image: Image.Image, bbox: BBox, factor: int) -> Image.Image | None:
    """The part of ``image`` inside ``bbox``, slightly larger, on a white canvas whose sides are multiples of ``factor``
    pixels, at least two of them. It is padded, never stretched: resizing would change the aspect ratio of a thin line
    by a third. ``None`` where the box has no pixels on the page."""
    left, top, right, bottom = bbox.grown(MARGIN).clamped(image.width, image.height).rounded()
    width, height = right - left, bottom - top
    if width < 2 or height < 2:
        return None
    canvas_width = _padded(max(width, height / MAX_ASPECT), factor)
    canvas_height = _padded(max(height, width / MAX_ASPECT), factor)
    canvas = Image.new("RGB", (canvas_width, canvas_height), "white")
    canvas.paste(image.crop((left, top, right, bottom)), ((canvas_width - width) // 2, (canvas_height - height) // 2))
    return canvas


def _padded(size: float, factor: int) -> int:
    return max(2, -(-int(size) // factor)) * factor


PROMPT_TOKENS = 64
"""Most tokens that a chat template adds to a prompt."""


class WholePages:
    """Reads pages whole with one context. Threads may share it; each reads its own pages."""

    def __init__(self, context: ReadingContext) -> None:
        self._context = context

    def read(self, state: PageState) -> None:
        """Reads a page."""
        if state.future is not None:
            request = self._read_while_drafting(state, state.future)
        else:
            if self._crops_pay(state):
                self._stage1(state)
            request = self.request(state)
            self._decode(state, request)
        if self._context.options.baseline:
            self._compare(state, request)

    def request(self, state: PageState) -> GenerationRequest:
        """The request for the page. Raises :class:`docspec.core.PageError` if the page leaves no room in the context of
        a model in another process."""
        request = asked_of_page(self._context, state.page, state.draft, state.texts)
        if self._context.follows_fields:
            return request
        return replace(request, max_tokens=min(request.max_tokens, self._room(state.page)))

    def _read_while_drafting(self, state: PageState, future: DraftFuture) -> GenerationRequest:
        """Decodes the page while its draft is still being made."""
        context = self._context
        context.observer.stage(state.number, "prefill")
        arriving = ArrivingDraft(context, state.page, future)
        watch = context.progress(state.number, "stage2")

        def on_progress(progress: Progress) -> None:
            watch(0, progress)
            arriving.take(progress.tokens)

        arriving.take()
        request = replace(self.request(state), growing=arriving.drafts, on_progress=on_progress)
        start = time.perf_counter()
        answered = ask(context, [request])
        [answer], stats = answered.answers, answered.stats
        arriving.note("first token", 1, start + answered.encode_seconds + stats.prefill_seconds)
        drafted = arriving.finish(len(answer.tokens))
        state.arrived(drafted, arriving.seconds, arriving.beside)
        timeline = tuple(sorted(arriving.timeline, key=lambda moment: moment.at))
        state.result = replace(state.result, timeline=timeline)
        self._written(state, answered)
        return replace(request, on_progress=None)

    def _crops_pay(self, state: PageState) -> bool:
        """Whether the regions are verified: if the options say so or it pays. The reason against it becomes an
        event."""
        stages, planner = self._context.options.stages, self._context.planner
        if stages == "both" and any(region.texts for region in state.draft.regions):
            return True
        if stages not in ("auto", "both") or planner is None:
            return False
        sight, page = self._context.sight, state.page
        plan = planner.crops_pay(state.draft, sight.factor**2, image_tokens(sight, page.width * page.height))
        if state.draft.regions and not plan.yes:
            state.happened("stage1_skipped", plan.why)
        return plan.yes

    def _stage1(self, state: PageState) -> None:
        """Verifies the regions of the page and keeps what the target wrote for each."""
        start = time.perf_counter()
        progress = self._context.progress(state.number, "stage1")
        texts, answered = verify_regions(self._context, state.page, state.draft, progress)
        seconds = time.perf_counter() - start
        if self._context.planner is not None and self._context.pages_at_once == 1:
            self._context.planner.observe_crops(seconds)  # no time of other pages is in it
        state.verified(texts, answered, seconds)

    def _decode(self, state: PageState, request: GenerationRequest) -> None:
        """Decodes the page with its drafts; plainly if the options say so or drafts do not pay."""
        context = self._context
        if context.planner is not None and context.options.stages == "auto" and not request.drafts:
            lookup = context.planner.lookup_pays()
            if not lookup.yes:
                request = replace(request, plain=True)
                state.happened("plain_decoding", lookup.why)
        context.observer.stage(state.number, "prefill")
        progress = context.progress(state.number, "stage2")
        answered = ask(
            context, [replace(request, exclusive=request.plain and context.options.in_flight == 1)], progress
        )
        [answer], stats = answered.answers, answered.stats
        if answer.is_empty and not context.follows_fields and any(one.texts for one in state.draft.regions):
            raise PageError("the answer is empty, asked for twice, and the draft of the page is not", Failure.REFUSED)
        if stats.plain_tokens:
            detail = f"drafts did not pay for {stats.plain_tokens} of {stats.tokens} tokens"
            state.happened("plain_decoding", detail)
        self._written(state, answered)

    def _written(self, state: PageState, answered: Answered) -> None:
        """Adds the answer for the page, its counts and its times to the result."""
        context, [answer] = self._context, answered.answers
        state.encode_seconds = answered.encode_seconds
        if state.future is None and context.planner is not None:
            # the errors of an arriving draft tell nothing: it was incomplete at first
            context.planner.observe(state.draft.drafter, answer.text, answered.stats)
        state.written(answer, answered.stats, context.dialect)

    def _compare(self, state: PageState, request: GenerationRequest) -> None:
        """Adds the time of plain decoding for the same page to the result."""
        self._context.observer.stage(state.number, "baseline")
        answered = ask(self._context, [replace(request, plain=True, exclusive=True)])
        [plain], [answer] = answered.answers, state.answers
        baseline = compared(answer.tokens, state.result.timings, plain.tokens, answered.stats, state.encode_seconds)
        state.result = replace(state.result, baseline=baseline)

    def _room(self, page: PageImage) -> int:
        """Tokens that the page leaves for its answer; the picture's tokens are exact if the model's image sizes are
        known. Raises :class:`docspec.core.PageError` if there are none."""
        context, sight, width, height = self._context, self._context.sight, page.width, page.height
        if sight.most_pixels:
            height, width = smart_resize(height, width, sight.factor, sight.least_pixels, sight.most_pixels)
        picture = -(-width // sight.factor) * -(-height // sight.factor)
        taken = picture + len(context.dialect.page_prompt.encode()) // 2 + PROMPT_TOKENS
        if taken >= context.max_length:
            what = f"the page takes about {taken} of the model's {context.max_length} tokens"
            raise PageError(f"{what}; lower --dpi", Failure.TOO_LARGE)
        return context.max_length - taken


def verify_regions(
    context: ReadingContext, page: PageImage, draft: PageDraft, on_progress: OnProgress | None = None
) -> tuple[list[str], Answered]:
    """Runs Stage 1 on ``draft``: the target's text for each of its regions (``""`` where nothing was verified), and
    what was answered. An answer that was cut at its limit is kept."""
    asked = asked_of_regions(context, page, draft)
    answered = ask(context, [request for _, request in asked], on_progress)
    texts = [""] * len(draft.regions)
    for (index, _), answer in zip(asked, answered.answers, strict=True):
        if answer.finish != "loop":
            texts[index] = answer.text
    return texts, answered
