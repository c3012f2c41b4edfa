"""How much faster, and where: every way of decoding over the same pages in one run, interleaved.

Each page goes through all modes in turn, several times over, so that a busy machine slows all of them alike.
Ratios are taken between medians of the same page; drafting is inside every speculative time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from statistics import median
from typing import Protocol

from docspec.core import PageImage, PageResult, StageStats
from docspec.core.observer import NullObserver
from docspec.core.stats import AcceptanceRatios
from docspec.documents import PageFailure, Source, open_document
from docspec.drafting import SafeDrafter, make_drafter
from docspec.hierarchy.calibration import calibrate
from docspec.hierarchy.page import PageParser
from docspec.hierarchy.planner import Costs, Planner
from docspec.parser import Parser
from docspec.proposing.registry import proposer_names

PLAIN, GENERATE, HYBRID = "plain", "generate", "hybrid"

MODES: dict[str, dict[str, object]] = {
    PLAIN: {"stages": "none", "drafter": "none"},
    GENERATE: {"stages": "none", "drafter": "none"},
    "page": {"stages": "page"},
    "hierarchical": {"stages": "both"},
    "strict": {"stages": "page", "exact": "strict"},
    "tau 0.75": {"stages": "both", "tau": 0.75},
    "window": {"stages": "both", "align": "window"},
    "planned": {"stages": "auto"},
}
"""What differs from the given options: the paper's table 1 (page, hierarchical, tau), its own window policy, ours;
``generate`` is that of transformers, what a user has today; ``strict`` makes close choices of ``page`` again."""

WINDOWS: dict[str, dict[str, object]] = {
    f"window n={n}": {"stages": "page", "align": "window", "window": n} for n in range(1, 6)
}
"""The paper's window over whole pages, by its length; the paper has n = 3."""

NAMED: dict[str, dict[str, object]] = {**MODES, **WINDOWS, HYBRID: {"stages": "both", "words": "evidence"}}
"""All modes that are no proposers. The hybrid takes words of the file where they are sound, the model for the rest:
faster, and not the model's output, so that it is no row among the lossless ones unless it is asked for."""


def settings_of(mode: str) -> dict[str, object]:
    """What differs from the given options in ``mode``: one of :data:`NAMED`, or a proposer that decodes whole pages.

    Proposers made of models alone (``model:NAME``) get no drafts, so that they pay for none. Raises
    :class:`docspec.core.UsageError` for a name that is neither.
    """
    if mode in NAMED:
        return NAMED[mode]
    drafts = any(":" not in source for source in proposer_names(mode))
    return {"stages": "page", "align": mode, **({} if drafts else {"drafter": "none"})}


@dataclass(frozen=True, slots=True)
class Sample(AcceptanceRatios):
    """One mode on one page: counts of Stage 2 and seconds, medians over the repeats.

    ``low`` and ``high`` are the extremes of ``total``, ``decode_low`` and ``decode_high`` those of ``decode`` (draft +
    Stage 1 + Stage 2). ``stepping`` are the seconds of all verification steps of both stages, ``host`` the part of
    them that went into proposals, trees and masks, ``proposing`` the part of that which sources of tokens took.
    """

    mode: str
    tokens: int
    steps: int
    accepted: int
    total: float
    low: float
    high: float
    decode: float
    decode_low: float
    decode_high: float
    draft: float
    stage1: float
    prefill: float
    stage2: float
    stepping: float
    host: float
    proposing: float
    identical: bool
    status: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageTimes:
    """All modes on one page."""

    source: str
    page: int
    samples: tuple[Sample, ...]

    def sample(self, mode: str) -> Sample:
        return next(sample for sample in self.samples if sample.mode == mode)

    @property
    def kind(self) -> str:
        """The page's kind: its file's name without folder, suffix and number."""
        return re.sub(r"[-_ ]?\d+$", "", PurePath(self.source).stem) or self.source

    def sr_e2e(self, mode: str) -> float:
        """Equation 13: plain seconds over the mode's, rendering and draft included."""
        return _ratio(self.sample(PLAIN).total, self.sample(mode).total)

    def sr_decode(self, mode: str) -> float:
        """Equation 12: plain decoding seconds over the mode's draft, Stage 1 and Stage 2 decoding."""
        return _ratio(self.sample(PLAIN).decode, self.sample(mode).decode)


@dataclass(frozen=True, slots=True)
class Summary:
    """One mode over some pages together: ratios are those of sums of medians.

    ``sr_low`` and ``sr_high`` are SR_e2e with all of the mode's runs at their slowest and at their fastest; ``worst``
    is SR_e2e of the page that fares worst. ``host_share`` is the host's part (0..1) of the verification steps.
    """

    mode: str
    pages: int
    tokens: int
    aal: float
    tokens_per_step: float
    sr_decode: float
    sr_e2e: float
    sr_low: float
    sr_high: float
    worst: float
    draft: float
    stage1: float
    prefill: float
    stage2: float
    total: float
    proposing: float
    host_share: float
    identical: int


def measure(
    parser: Parser,
    sources: Sequence[Source],
    modes: Sequence[str] = tuple(MODES),
    repeats: int = 3,
    on_page: Callable[[PageTimes], None] | None = None,
) -> list[PageTimes]:
    """Times every selected page of ``sources`` in every mode; a first untimed page warms everything up."""
    pages: list[PageTimes] = []
    options = parser.options
    parsers = {mode: reader_of(parser, mode) for mode in (PLAIN, *(m for m in modes if m != PLAIN))}
    warm = False
    for source in sources:
        with open_document(source, parser.options.password) as document:
            for page in parser.page_images(document, options.pages):
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


def summarise(pages: Sequence[PageTimes], mode: str) -> Summary:
    """``mode`` over all of ``pages`` (not empty) together."""
    samples = [page.sample(mode) for page in pages]

    def total(field: str, of: Iterable[Sample] = samples) -> float:
        return float(sum(getattr(sample, field) for sample in of))

    plain = [page.sample(PLAIN) for page in pages]
    plain_total = total("total", plain)
    steps = total("steps") or 1.0
    return Summary(
        mode=mode,
        pages=len(pages),
        tokens=int(total("tokens")),
        aal=total("accepted") / steps,
        tokens_per_step=(total("accepted") + steps) / steps,
        sr_decode=_ratio(total("decode", plain), total("decode")),
        sr_e2e=_ratio(plain_total, total("total")),
        sr_low=_ratio(plain_total, total("high")),
        sr_high=_ratio(plain_total, total("low")),
        worst=min(page.sr_e2e(mode) for page in pages),
        draft=total("draft"),
        stage1=total("stage1"),
        prefill=total("prefill"),
        stage2=total("stage2"),
        total=total("total"),
        proposing=total("proposing"),
        host_share=_ratio(total("host"), total("stepping"), empty=0.0),
        identical=int(total("identical")),
    )


def by_kind(pages: Sequence[PageTimes]) -> dict[str, list[PageTimes]]:
    """Pages grouped by their kind, in the order of the first of each."""
    groups: dict[str, list[PageTimes]] = {}
    for page in pages:
        groups.setdefault(page.kind, []).append(page)
    return groups


def _ratio(plain: float, own: float, empty: float = 1.0) -> float:
    """``plain / own``; ``empty`` where nothing was done (a blank page)."""
    return plain / own if own else empty


class TimedReader(Protocol):
    """Reads one page at a time: what a mode of ``bench speed`` is timed by."""

    def parse(self, page: PageImage) -> PageResult: ...


def reader_of(
    parser: Parser, mode: str, drafter: SafeDrafter | None = None, layout: SafeDrafter | None = None
) -> TimedReader:
    """A reader of pages in ``mode`` (see :func:`settings_of`); ``drafter`` replaces the mode's own, ``layout`` the one
    that all modes share where layout is part of the reading."""
    options = replace(parser.options, **settings_of(mode))  # type: ignore[arg-type]
    planner = Planner(Costs())
    if options.stages != "none":
        calibrate(parser.loaded.target, planner.costs, kv_limit=options.kv_limit)
    drafter = drafter or make_drafter(options, planner if options.stages == "auto" else None)
    layout = layout or make_drafter(parser.options)
    pages = PageParser(parser.loaded, parser.dialect, drafter, options, NullObserver(), planner, layout)
    if mode != GENERATE:
        return pages
    from docspec.bench.generate import GenerateReader

    return GenerateReader(parser.loaded.target, pages)


def _run_all(parsers: dict[str, TimedReader], page: PageImage, turn: int) -> dict[str, PageResult]:
    """Every mode once, starting with another one each turn."""
    modes = list(parsers)
    shift = turn % len(modes)
    return {mode: parsers[mode].parse(page) for mode in modes[shift:] + modes[:shift]}


def _summarise(page: PageImage, modes: Sequence[str], results: list[dict[str, PageResult]]) -> PageTimes:
    expected = results[0][PLAIN].token_ids
    samples = []
    for mode in modes:
        runs = [result[mode] for result in results]
        times = [run.timings for run in runs]
        stats = runs[0].stage2
        stages = [(run.stage1 or StageStats()) + (run.stage2 or StageStats()) for run in runs]
        decodes = [t.draft + t.stage1 + t.stage2 for t in times]
        samples.append(
            Sample(
                mode=mode,
                tokens=len(runs[0].token_ids),
                steps=stats.steps if stats else 0,
                accepted=stats.accepted if stats else 0,
                total=median(t.total for t in times),
                low=min(t.total for t in times),
                high=max(t.total for t in times),
                decode=median(decodes),
                decode_low=min(decodes),
                decode_high=max(decodes),
                draft=median(t.draft for t in times),
                stage1=median(t.stage1 for t in times),
                prefill=median(t.prefill for t in times),
                stage2=median(t.stage2 for t in times),
                stepping=median(stage.decode_seconds for stage in stages),
                host=median(stage.host_seconds for stage in stages),
                proposing=median(sum(stage.source_seconds.values()) for stage in stages),
                identical=all(run.token_ids == expected and run.status != "failed" for run in runs),
                status=runs[0].status,
                reasons=(runs[0].drafter_reason, *(event.detail for event in runs[0].events)),
            )
        )
    return PageTimes(page.source, page.number, tuple(samples))
