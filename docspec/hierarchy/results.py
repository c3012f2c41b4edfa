"""The result of a page from beginning to end: the facts before decoding, and how the page ended."""

from __future__ import annotations

import json
import traceback
from collections.abc import Sequence
from dataclasses import replace

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
from docspec.core.memory import is_device_lost, is_out_of_memory, release_memory
from docspec.core.safe_text import first_line
from docspec.engine.request import Output

QUOTED = 60
"""Characters of a loop that a message quotes."""


def begun(page: PageImage, draft: PageDraft, events: tuple[Event, ...], waited: float | None = None) -> PageResult:
    """The result of a page that is drafted and not verified yet.

    ``waited`` are the seconds spent only waiting for the draft, if it was made beside other work.
    """
    made = page.render_seconds + draft.seconds
    hidden = 0.0 if waited is None else max(0.0, made - waited)
    return PageResult(
        source=page.source,
        number=page.number,
        status="ok",
        width=page.width,
        height=page.height,
        drafter=draft.drafter,
        drafter_reason=draft.reason,
        layout=draft.laid_out_by,
        regions=len(draft.regions),
        events=events,
        image=page.image if page.is_drawn else None,
        turns=draft.turns,
        timings=PageTimings(render=page.render_seconds, draft=draft.seconds, hidden=hidden),
    )


def failed(page: PageImage, error: Exception) -> PageResult:
    """The result of a page that failed with ``error``; with the traceback if the error was unexpected."""
    trace, failure = None, Failure.UNEXPECTED
    if is_out_of_memory(error):
        release_memory()
        message = "out of memory; lower --dpi or --max-tokens, or choose a smaller model"
        failure = Failure.OUT_OF_MEMORY
    elif is_device_lost(error):
        message = f"the accelerator is lost to this process, start it anew ({first_line(error)})"
        failure = Failure.DEVICE_LOST
    elif isinstance(error, PageError):
        message, failure = str(error), error.failure
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


def whole(
    result: PageResult, output: Output, text: str, blocks: Sequence[Block], stats: StageStats, encode_seconds: float
) -> PageResult:
    """``result`` with the output for the whole page: its ``text``, parsed into ``blocks``."""
    cut = cut_of(output, stats.tokens)
    return replace(
        result,
        text=text,
        token_ids=output.tokens,
        blocks=tuple(blocks),
        stage2=stats,
        events=(*result.events, *ending(cut), *skipped(stats), *unsaid(text, blocks)),
        cut=cut,
        timings=replace(result.timings, prefill=encode_seconds + stats.prefill_seconds, stage2=stats.decode_seconds),
    )


def cut_of(output: Output, tokens: int) -> Cut | None:
    """Where the page's output was cut; ``None`` if it ended by itself. ``tokens`` is the engine's count, which is used
    if the engine returns no tokens."""
    if output.loop is not None:
        return Cut("loop", len(output.tokens) or output.loop.keep, output.loop.dropped, output.loop.text)
    return Cut("budget", len(output.tokens) or tokens) if output.finish == "budget" else None


def ending(cut: Cut | None) -> tuple[Event, ...]:
    """The event about a page that was cut."""
    if cut is None:
        return ()
    if cut.reason == "budget":
        detail = f"cut at the page's budget of {cut.kept} tokens; raise --max-tokens"
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


def unsaid(text: str, blocks: Sequence[Block]) -> tuple[Event, ...]:
    """The event about an answer without content of the page: thoughts that were cut off, an empty layout."""
    if blocks or not text.strip():
        return ()
    said = json.dumps(shorten(text.strip(), QUOTED), ensure_ascii=False)
    return (Event("nothing_said", f"the model wrote {said} and nothing of the page; --raw writes that"),)


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
