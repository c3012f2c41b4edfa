"""What each benchmark draws: its figures as rows, marks and axes of :mod:`docspec.bench.plots`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from docspec.bench.plots import SIMULATED, Axis, Dot, dots

if TYPE_CHECKING:
    from docspec.bench.speed import PageTimes
    from docspec.bench.transcripts import PageReplay


def plot_speed(path: Path, pages: Sequence[PageTimes], note: str, simulated: bool) -> None:
    """SR_e2e of every mode by page, with its slowest and fastest run."""
    from docspec.bench.speed import PLAIN

    modes = [sample.mode for sample in pages[0].samples if sample.mode != PLAIN]
    series: dict[str, dict[str, Dot]] = {mode: {} for mode in modes}
    for name, page in zip(page_names([(page.source, page.page) for page in pages]), pages, strict=True):
        plain = page.sample(PLAIN).total
        for mode in modes:
            own = page.sample(mode)
            series[mode][name] = Dot(page.sr_e2e(mode), plain / own.high, plain / own.low)
    axis = Axis("Speed-up end to end, draft included (times plain decoding)", True, 1.0, "plain decoding")
    dots(path, "How much faster each page is read" + SIMULATED * simulated, note, series, axis)


def plot_transcripts(path: Path, pages: Sequence[PageReplay], note: str) -> None:
    """Tokens per step of every policy by page, with the copy bound."""
    series: dict[str, dict[str, Dot]] = {one.align: {} for one in pages[0].replays}
    bound: dict[str, Dot] = {}
    for page in pages:
        bound[page.name] = Dot(page.bound_tokens_per_step)
        for one in page.replays:
            series[one.align][page.name] = Dot(one.tokens_per_step)
    axis = Axis("Tokens per verification step", True, 1.0, "plain decoding")
    dots(
        path,
        "What drafts are worth on outputs written earlier (replayed)",
        note,
        {**series, "copy bound": bound},
        axis,
    )


def page_names(pages: Sequence[tuple[str, int]]) -> list[str]:
    """Pages in a few characters: the file's stem, the whole path where stems repeat, the number after page 1."""
    paths: dict[str, set[str]] = {}
    for source, _ in pages:
        paths.setdefault(PurePath(source).stem, set()).add(source)
    return [
        (stem if len(paths[stem := PurePath(source).stem]) == 1 else source)
        + ("" if page == 1 else f", page {page}")
        for source, page in pages
    ]
