"""The state of a page while it is read, and its result from beginning to end."""

from __future__ import annotations

import json
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace

from docspec.core import (
    Baseline,
    Block,
    Cut,
    Event,
    Failure,
    PageDraft,
    PageError,
    PageImage,
    PageResult,
    PageTimings,
    StageStats,
)
from docspec.core.errors import ADVICE, is_device_lost, is_out_of_memory, release_memory
from docspec.core.safe_text import first_line
from docspec.dialects import Dialect
from docspec.dialects.locate import attach_boxes
from docspec.drafting.drafted_page import DraftedPage, DraftFuture
from docspec.drafting.straightening import as_seen, straightening
from docspec.engine.decoder import FRUGAL_TREE
from docspec.hierarchy.answers import Answered, PageAnswer

QUOTED = 60
"""Characters of a loop that a message quotes."""


def page_of(drafted: DraftedPage) -> PageImage:
    """The page as it is read: turned and straightened if its draft says how."""
    return as_seen(drafted.page, drafted.draft)


def failed(page: PageImage, error: Exception) -> PageResult:
    """The result of a page that failed with ``error``; with the traceback if the error was unexpected."""
    trace, failure = None, Failure.UNEXPECTED
    if isinstance(error, PageError):  # it may quote a server whose memory is out, or whose device is lost
        message, failure = str(error), error.failure
    elif is_out_of_memory(error):
        release_memory()
        message, failure = ADVICE, Failure.OUT_OF_MEMORY
    elif is_device_lost(error):
        message = f"the accelerator is lost to this process, start it anew ({first_line(error)})"
        failure = Failure.DEVICE_LOST
    else:
        message = f"{type(error).__name__}: {error}"
        trace = "".join(traceback.format_exception(error))
    return PageResult(
        source=page.source,
        number=page.number,
        status="failed",
        width=page.width,
        height=page.height,
        error=f"{page.source}, page {page.number}: {message}",
        failure=failure,
        trace=trace,
    )


@dataclass(slots=True, eq=False)
class PageState:
    """A page with its ``result`` so far. ``texts`` are the outputs of Stage 1, ``answers`` those that make up the
    page's text. ``future`` is the draft while it is still being made."""

    page: PageImage
    draft: PageDraft
    result: PageResult
    texts: list[str] | None = None
    encode_seconds: float = 0.0
    answers: tuple[PageAnswer, ...] = ()
    future: DraftFuture | None = None

    @classmethod
    def begun(cls, drafted: DraftedPage) -> PageState:
        """The initial state. The page is finished already if it could not be drawn or nothing is printed on it."""
        page, draft = page_of(drafted), drafted.draft
        if drafted.error is not None:
            return cls(page, draft, failed(page, drafted.error))
        made = page.render_seconds + draft.seconds
        hidden = 0.0 if drafted.waited is None else max(0.0, made - drafted.waited)  # made beside other work
        begun = PageResult(
            source=page.source,
            number=page.number,
            status="ok",
            width=page.width,
            height=page.height,
            drafter=draft.drafter,
            drafter_reason=draft.reason,
            layout=draft.laid_out_by,
            regions=len(draft.regions),
            events=(*page.events, *straightening(draft), *draft.events),
            image=page.image if page.is_drawn else None,
            seen=draft.seen,
            timings=PageTimings(render=page.render_seconds, draft=draft.seconds, hidden=hidden),
        )
        state = cls(page, draft, begun, future=drafted.future)
        if draft.blank and state.result.damage is not None:
            lost = PageError(f"nothing of it can be shown; {state.result.damage}")
            state.result = replace(failed(page, lost), events=state.result.events)
        elif draft.blank:
            state.happened("blank_page", "nothing is printed on the page; the model was not asked")
            state.result = replace(state.result, status="blank")
        return state

    @property
    def number(self) -> int:
        return self.page.number

    def arrived(self, draft: PageDraft, seconds: float, beside: float) -> None:
        """Takes the complete draft: ``seconds`` of drafting counted on the clock, ``beside`` passed while the page was
        read."""
        self.draft = draft
        self.result = replace(
            self.result,
            drafter=draft.drafter,
            drafter_reason=draft.reason,
            layout=draft.laid_out_by,
            regions=len(draft.regions),
            events=(*self.result.events, *draft.events),
            timings=replace(self.result.timings, draft=seconds, beside=beside),
        )

    def verified(self, texts: list[str], answered: Answered, seconds: float) -> None:
        """Takes the outputs of Stage 1, one text for each region."""
        self.texts = texts
        timings = replace(self.result.timings, stage1=seconds)
        events = (*self.result.events, *frugal(answered.answers))
        self.result = replace(self.result, stage1=answered.stats, timings=timings, events=events)

    def written(self, answer: PageAnswer, stats: StageStats, dialect: Dialect) -> None:
        """Takes the answer for the whole page, in ``dialect``."""
        self.answers, text = (answer,), answer.text
        blocks = attach_boxes(dialect.parse(text, self.page.width, self.page.height), self.draft)
        cut, result = cut_of(answer, stats.tokens), self.result
        prefill = self.encode_seconds + stats.prefill_seconds
        self.result = replace(
            result,
            text=text,
            token_ids=answer.tokens,
            blocks=tuple(blocks),
            stage2=stats,
            events=(*result.events, *ending(cut), *skipped(stats), *frugal([answer]), *unsaid(text, blocks)),
            cut=cut,
            timings=replace(result.timings, prefill=prefill, stage2=stats.decode_seconds),
        )

    def happened(self, kind: str, detail: str) -> None:
        """Adds an event to the result."""
        self.result = replace(self.result, events=(*self.result.events, Event(kind, detail)))


def cut_of(answer: PageAnswer, tokens: int) -> Cut | None:
    """Where the page's answer was cut; ``None`` if it ended by itself. ``tokens`` is the engine's count, which is used
    if the engine returns no tokens."""
    if answer.loop is not None:
        return Cut("loop", len(answer.tokens) or answer.loop.keep, answer.loop.dropped, answer.loop.text)
    return Cut("budget", len(answer.tokens) or tokens) if answer.finish == "length" else None


def ending(cut: Cut | None) -> tuple[Event, ...]:
    """The event about a page that was cut."""
    if cut is None:
        return ()
    if cut.reason == "budget":
        kept = f" of {cut.kept} tokens" if cut.kept else ""  # a server may not count them
        detail = f"cut at the page's budget{kept}; raise --max-tokens"
        return (Event("budget_reached", detail),)
    said = json.dumps(shorten(cut.repeated, QUOTED), ensure_ascii=False)
    detail = f"cut after {cut.kept} tokens, where {cut.dropped} more only repeated {said}; --on-loop keep writes them"
    return (Event("loop_stopped", detail),)


def skipped(stats: StageStats) -> tuple[Event, ...]:
    """The event about tokens that were not verified."""
    if not stats.unverified:
        return ()
    detail = f"{stats.unverified} of {stats.tokens} tokens were taken from drafts without verification"
    return (Event("verification_skipped", detail),)


def frugal(answers: Sequence[PageAnswer]) -> tuple[Event, ...]:
    """The event about answers for which memory was short."""
    if not any(answer.is_frugal for answer in answers):
        return ()
    return (Event("memory_short", f"memory ran out; read with trees of {FRUGAL_TREE} tokens, steps as they come"),)


def unsaid(text: str, blocks: Sequence[Block]) -> tuple[Event, ...]:
    """The event about an answer without content of the page: nothing, thoughts that were cut off, an empty layout."""
    if not text.strip():
        return (Event("empty_answer", "the model wrote nothing, and the page is not blank"),)
    if blocks:
        return ()
    said = json.dumps(shorten(text.strip(), QUOTED), ensure_ascii=False)
    return (Event("nothing_said", f"the model wrote {said} and nothing of the page; --set raw=true writes that"),)


def shorten(text: str, most: int) -> str:
    """``text`` in at most ``most`` characters, shortened in the middle."""
    half = most // 2
    return text if len(text) <= most else f"{text[: most - half - 1]}…{text[-half:]}"


def compared(
    tokens: Sequence[int],
    timings: PageTimings,
    plain: Sequence[int],
    stats: StageStats,
    encode_seconds: float,
    layout_seconds: float = 0.0,
) -> Baseline:
    """``plain`` decoding compared with the page's own (equations 12 and 13); draft and Stage 1 count on the speculative
    side.

    Both sides need ``layout_seconds``: without a layout no page can be read by regions.
    """
    plain_prefill = encode_seconds + stats.prefill_seconds
    plain_decode = layout_seconds + stats.decode_seconds
    speculative = timings.draft + timings.stage1 + timings.stage2
    return Baseline(
        tokens=len(plain),
        prefill_seconds=plain_prefill,
        decode_seconds=stats.decode_seconds,
        sr_decode=plain_decode / speculative if speculative else 0.0,
        sr_e2e=(timings.render + plain_prefill + plain_decode) / timings.total,
        identical=tuple(plain) == tuple(tokens),
        layout_seconds=layout_seconds,
    )
