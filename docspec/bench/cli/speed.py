"""``docspec bench speed``: plain decoding against every way of speculating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from docspec.bench.cli.common import (
    InputPaths,
    JsonFile,
    Modes,
    Proposers,
    Repeats,
    console,
    page_names,
    sources_of,
    table,
    target_fields,
    target_line,
    write_json,
)
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions, UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from docspec.bench.speed import PageTimes
    from docspec.targets.protocol import TargetModel


@takes_options("model", "read", "device", "dtype", "pages", "dpi", "drafter", "max_tokens", words="model")
def speed(
    *,
    inputs: InputPaths,
    options: ParseOptions,
    mode: Modes = None,
    proposer: Proposers = None,
    repeats: Repeats = 3,
    json_file: JsonFile = None,
) -> int:
    """Plain decoding against every way of speculating: one run, interleaved, medians."""
    from docspec.bench.speed import MODES, NAMED, PLAIN, by_kind, measure, settings_of, summarise
    from docspec.console.terminal import say
    from docspec.parser import Parser

    chosen = mode or ([] if proposer else list(MODES))
    for name in chosen:
        if name not in NAMED:
            raise UsageError(f"--mode {name}: unknown; choose among {', '.join(NAMED)}")
    for name in proposer or ():
        settings_of(name)
    chosen += proposer or []

    def show(page: PageTimes) -> None:
        ratios = ", ".join(f"{m} {page.sr_e2e(m):.2f}x" for m in chosen if m != PLAIN)
        say(f"{page.source} page {page.page}: {ratios}")

    with Parser(options) as parser:
        measured = measure(parser, sources_of(inputs), chosen, repeats, show)
        info = parser.loaded.info
        drafters = figures_of_drafters(chosen, parser.loaded.target)
    if not measured:
        raise UsageError("no page could be measured")
    print_speed(measured, target_line(info), repeats)
    print_drafters(measured, drafters)
    modes = [sample.mode for sample in measured[0].samples]
    write_json(
        json_file,
        "docspec.bench.speed/1",
        options.model,
        [asdict(page) for page in measured],
        **target_fields(info),
        repeats=repeats,
        modes=[asdict(summarise(measured, mode)) for mode in modes],
        drafters=drafters,
        kinds=[
            {"kind": kind, **asdict(summarise(group, mode))}
            for kind, group in by_kind(measured).items()
            for mode in modes
        ],
    )
    return 0


def print_speed(pages: Sequence[PageTimes], target: str, repeats: int) -> None:
    """Each mode's end-to-end ratio by page, all ratios by kind where kinds have several pages, then everything."""
    from docspec.bench.speed import HYBRID, PLAIN, by_kind, summarise

    modes = [sample.mode for sample in pages[0].samples if sample.mode != PLAIN]
    columns = ["tokens", "plain s", *modes]
    each = table("SR_e2e by page: plain seconds over the mode's", ["page"], columns, dense=True)
    for name, page in zip(page_names([(one.source, one.page) for one in pages]), pages, strict=True):
        plain = page.sample(PLAIN)
        faster = [f"{page.sr_e2e(mode):.2f}" for mode in modes]
        each.add_row(name, str(plain.tokens), f"{plain.total:.2f}", *faster)
    console().print(each)
    kinds = by_kind(pages)
    if 1 < len(kinds) < len(pages):
        console().print(_speed_by_kind(kinds, [PLAIN, *modes]))
    ratios = table(
        f"All pages together: plain over the mode's, medians of {repeats} interleaved runs",
        ["mode"],
        ["AAL", "tok/step", "SR_decode", "SR_e2e", "range", "worst", "identical"],
        dense=True,
    )
    shares = table(
        "Seconds, sums of medians; propose: sources alone, host: with trees and masks, share of all steps",
        ["mode"],
        ["draft", "stage 1", "prefill", "stage 2", "total", "propose", "host"],
        dense=True,
    )
    shares.caption = target
    for mode in [PLAIN, *modes]:
        one = summarise(pages, mode)
        ratios.add_row(
            mode,
            f"{one.aal:.2f}",
            f"{one.tokens_per_step:.2f}",
            f"{one.sr_decode:.2f}",
            f"{one.sr_e2e:.2f}",
            f"{one.sr_low:.2f}-{one.sr_high:.2f}",
            f"{one.worst:.2f}",
            f"{one.identical} of {one.pages}",
        )
        parts = (one.draft, one.stage1, one.prefill, one.stage2, one.total, one.proposing)
        shares.add_row(mode, *(f"{part:.2f}" for part in parts), f"{100 * one.host_share:.1f} %")
    if HYBRID in modes:
        ratios.caption = (
            f"{HYBRID} (--words evidence): sound words of the file, the model for the rest; not the model's output"
        )
    console().print(ratios)
    console().print(shares)


def figures_of_drafters(modes: Sequence[str], target: TargetModel) -> dict[str, dict[str, float]]:
    """The figures that the models which draft in ``modes`` have measured of themselves, by mode."""
    from docspec.bench.speed import NAMED
    from docspec.proposing.proposer import measured
    from docspec.proposing.registry import proposer_names

    named = ((mode, name) for mode in modes if mode not in NAMED for name in proposer_names(mode))
    return {mode: figures for mode, name in named if (figures := measured(name, target)) is not None}


def print_drafters(pages: Sequence[PageTimes], drafters: Mapping[str, Mapping[str, float]]) -> None:
    """What models that draft measured of themselves, and beside it the speed by the clock: a line each."""
    from docspec.bench.speed import summarise

    for mode, figures in drafters.items():
        told = ", ".join(f"{name} {value:.3g}" for name, value in figures.items())
        console().print(f"{mode}: {told}; over plain decoding by the clock {summarise(pages, mode).sr_decode:.2f}")


def _speed_by_kind(kinds: dict[str, list[PageTimes]], modes: Sequence[str]) -> Table:
    from docspec.bench.speed import summarise

    columns = ["mode", "AAL", "tok/step", "SR_decode", "SR_e2e", "identical"]
    grid = table("By kind of page", ["kind"], columns, dense=True)
    for kind, group in kinds.items():
        for mode in modes:
            one = summarise(group, mode)
            ratios = (one.aal, one.tokens_per_step, one.sr_decode, one.sr_e2e)
            identical = f"{one.identical} of {one.pages}"
            grid.add_row(kind if mode == modes[0] else "", mode, *(f"{ratio:.2f}" for ratio in ratios), identical)
        grid.add_section()
    return grid
