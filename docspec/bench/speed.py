"""How much faster, and where: every way of decoding over the same pages in one run, interleaved.

Each page goes through all modes in turn, several times over, so that a busy machine slows all of them alike.
Ratios are taken between medians of the same page; drafting is inside every speculative time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from docspec.core import PageImage, PageResult, ParseOptions
from docspec.core.observer import NullObserver
from docspec.documents import PageFailure, Source
from docspec.drafting import make_drafter
from docspec.hierarchy.calibration import calibrate
from docspec.hierarchy.costs import Costs
from docspec.hierarchy.page import PageParser
from docspec.hierarchy.planner import Planner
from docspec.parser import Parser

PLAIN = "plain"

MODES: dict[str, dict[str, object]] = {
    PLAIN: {"stages": "none", "drafter": "none"},
    "page": {"stages": "page"},
    "hierarchical": {"stages": "both"},
    "tau 0.75": {"stages": "both", "tau": 0.75},
    "window": {"stages": "both", "align": "window"},
    "planned": {"stages": "auto", "drafter": "auto"},
}
"""What differs from the given options: the paper's table 1 (page, hierarchical, tau), its own window policy, ours."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One mode on one page: medians over the repeats, ``low`` and ``high`` the extremes of the total seconds."""

    mode: str
    tokens: int
    steps: int
    accepted: int
    total: float
    low: float
    high: float
    decode: float
    draft: float
    stage1: float
    prefill: float
    stage2: float
    identical: bool
    status: str
    reasons: tuple[str, ...]

    @property
    def aal(self) -> float:
        """Accepted drafted tokens per verification step of Stage 2."""
        return self.accepted / self.steps if self.steps else 0.0

    @property
    def tokens_per_step(self) -> float:
        return (self.accepted + self.steps) / self.steps if self.steps else 0.0


@dataclass(frozen=True, slots=True)
class PageSpeed:
    """All modes on one page."""

    source: str
    page: int
    samples: tuple[Sample, ...]

    def sample(self, mode: str) -> Sample:
        return next(sample for sample in self.samples if sample.mode == mode)

    def sr_e2e(self, mode: str) -> float:
        """Equation 13: plain seconds over the mode's, rendering and draft included."""
        return self.sample(PLAIN).total / self.sample(mode).total

    def sr_decode(self, mode: str) -> float:
        """Equation 12: plain decoding seconds over the mode's draft, Stage 1 and Stage 2 decoding."""
        return self.sample(PLAIN).decode / self.sample(mode).decode


def measure(
    sources: Sequence[Source],
    options: ParseOptions,
    modes: Sequence[str] = tuple(MODES),
    repeats: int = 3,
    on_page: Callable[[PageSpeed], None] | None = None,
) -> list[PageSpeed]:
    """Times every selected page of ``sources`` in every mode; a first untimed page warms everything up."""
    pages: list[PageSpeed] = []
    with Parser(options) as parser:
        parsers = {mode: _page_parser(parser, mode) for mode in (PLAIN, *(m for m in modes if m != PLAIN))}
        warm = False
        for source in sources:
            with parser.open(source) as document:
                for page in document.pages(options.pages, options.dpi):
                    if isinstance(page, PageFailure):
                        continue
                    if not warm:
                        _run_all(parsers, page, 0)
                        warm = True
                    results = [_run_all(parsers, page, turn) for turn in range(repeats)]
                    pages.append(_summarise(page, list(parsers), results))
                    if on_page is not None:
                        on_page(pages[-1])
    return pages


def overall(pages: Sequence[PageSpeed], mode: str, decode: bool = False) -> float:
    """Plain seconds of all pages together over the mode's (decoding only, or end to end)."""
    field = "decode" if decode else "total"
    plain = sum(getattr(page.sample(PLAIN), field) for page in pages)
    return plain / sum(getattr(page.sample(mode), field) for page in pages)


def _page_parser(parser: Parser, mode: str) -> PageParser:
    options = replace(parser.options, **MODES[mode])  # type: ignore[arg-type]
    planner = Planner(Costs())
    if options.stages == "auto":
        calibrate(parser.loaded.target, planner.costs, kv_limit=options.kv_limit)
    drafter = make_drafter(options, planner if options.stages == "auto" else None)
    return PageParser(parser.loaded, parser.dialect, drafter, options, NullObserver(), planner)


def _run_all(parsers: dict[str, PageParser], page: PageImage, turn: int) -> dict[str, PageResult]:
    """Every mode once, starting with another one each turn."""
    modes = list(parsers)
    shift = turn % len(modes)
    return {mode: parsers[mode].parse(page) for mode in modes[shift:] + modes[:shift]}


def _summarise(page: PageImage, modes: Sequence[str], results: list[dict[str, PageResult]]) -> PageSpeed:
    expected = results[0][PLAIN].token_ids
    samples = []
    for mode in modes:
        runs = [result[mode] for result in results]
        times = [run.timings for run in runs]
        stats = runs[0].stage2
        samples.append(
            Sample(
                mode=mode,
                tokens=len(runs[0].token_ids),
                steps=stats.steps if stats else 0,
                accepted=stats.accepted if stats else 0,
                total=median(t.total for t in times),
                low=min(t.total for t in times),
                high=max(t.total for t in times),
                decode=median(t.draft + t.stage1 + t.stage2 for t in times),
                draft=median(t.draft for t in times),
                stage1=median(t.stage1 for t in times),
                prefill=median(t.prefill for t in times),
                stage2=median(t.stage2 for t in times),
                identical=all(run.token_ids == expected for run in runs),
                status=runs[0].status,
                reasons=(runs[0].drafter_reason, *(event.detail for event in runs[0].events)),
            )
        )
    return PageSpeed(page.source, page.number, tuple(samples))
