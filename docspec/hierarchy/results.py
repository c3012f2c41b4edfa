"""A page's result from its beginning to its end: what is known before the target is asked, and how it ended."""

from __future__ import annotations

from docspec.core import (
    Baseline,
    Event,
    PageDraft,
    PageError,
    PageImage,
    PageResult,
    PageTimings,
    StageStats,
)
from docspec.hierarchy.memory import is_out_of_memory, release_memory
from docspec.hierarchy.rows import RowOutput


def begun(
    page: PageImage, draft: PageDraft, events: tuple[Event, ...], waited: float | None = None
) -> PageResult:
    """The result of a page that was drafted and not verified yet.

    ``waited`` are the seconds that nothing was done but wait for it, where it was made beside other work.
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
        regions=len(draft.regions),
        events=events,
        image=page.image,
        timings=PageTimings(render=page.render_seconds, draft=draft.seconds, hidden=hidden),
    )


def failed(page: PageImage, error: Exception) -> PageResult:
    """The result of a page that ``error`` kept from being read."""
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


def ending(output: RowOutput) -> tuple[Event, ...]:
    """What to report about a page that did not end by itself."""
    if output.finish == "loop":
        detail = f"the output began to repeat itself after {len(output.tokens)} tokens and was cut there"
        return (Event("loop_stopped", detail),)
    if output.finish == "budget":
        detail = f"stopped at the page's budget of {len(output.tokens)} tokens; raise --max-tokens"
        return (Event("budget_reached", detail),)
    return ()


def compared(
    output: RowOutput, timings: PageTimings, plain: RowOutput, stats: StageStats, encode_seconds: float
) -> Baseline:
    """``plain`` decoding beside the page's own: equations 12 and 13, draft and Stage 1 on the speculative side."""
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
