"""The speed panel of the page view: where a page's time went, and how many tokens each step wrote, as SVG.

Colours are classes of the style sheet; lengths are attributes, so that the page needs no inline style.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from docspec.core import Baseline, PageResult, PageTimings

PHASES = (
    ("render", "drawing the page"),
    ("draft", "draft and layout"),
    ("stage1", "regions (Stage 1)"),
    ("prefill", "page seen by the model"),
    ("stage2", "text written"),
)
"""Fields of :class:`docspec.core.PageTimings` in the order in which they pass, and what they are called."""

_WIDTH, _BAR, _ROW, _STEPS = 640.0, 14, 22, 44
MOST_BARS = 320


@dataclass(frozen=True, slots=True)
class PageSpeed:
    """What the speed of one page is drawn from: its timings, its baseline, and ``tokens`` in ``steps`` (the tokens of
    each verification step; empty without ``provenance``)."""

    number: int
    timings: PageTimings
    baseline: Baseline | None
    steps: tuple[int, ...]
    tokens: int

    @classmethod
    def of(cls, page: PageResult) -> PageSpeed:
        steps = () if page.provenance is None else page.provenance.steps
        tokens = 0 if page.stage2 is None else page.stage2.tokens
        return cls(page.number, page.timings, page.baseline, steps, tokens)


def panel(pages: Sequence[PageSpeed], simulated: bool = False) -> str:
    """The panel's HTML; ``simulated`` targets have random weights, which is said."""
    parts = []
    if simulated:
        parts.append(
            '<p class="warning">Simulated: this model has random weights. Times and steps show the machinery, '
            "not what a real model reaches.</p>"
        )
    parts.append(_summary(pages))
    if any(page.timings.total for page in pages):
        parts += ["<h3>Where the time went</h3>", _legend(), _timeline(pages)]
    compared = [page for page in pages if page.baseline is not None]
    if compared:
        parts += ["<h3>Plain decoding beside it</h3>", _comparison(compared)]
    if any(page.steps for page in pages):
        parts.append("<h3>Tokens written by each step, along the page</h3>")
        parts.append('<p class="note">Plain decoding writes one token a step: the line at the foot.</p>')
        parts += [_steps(page) for page in pages if page.steps]
    return "\n".join(parts)


def _summary(pages: Sequence[PageSpeed]) -> str:
    seconds = sum(page.timings.total for page in pages)
    tokens = sum(page.tokens for page in pages)
    steps = [step for page in pages for step in page.steps]
    facts = [("pages", f"{len(pages)}"), ("tokens", f"{tokens:,}"), ("seconds", f"{seconds:.2f}")]
    if steps:
        facts.append(("tokens per step", f"{sum(steps) / len(steps):.1f}"))
    compared = [page for page in pages if page.baseline is not None]
    plain = sum(_plain_seconds(page) for page in compared)
    if compared:
        facts.append(("times plain decoding", f"{plain / sum(page.timings.total for page in compared):.2f}"))
    cells = "".join(f"<div><dt>{escape(name)}</dt><dd>{value}</dd></div>" for name, value in facts)
    return f'<dl class="facts">{cells}</dl>'


def _legend() -> str:
    items = "".join(
        f'<li><svg width="12" height="12" aria-hidden="true"><rect class="phase-{key}" width="12" height="12"/></svg>'
        f"{escape(name)}</li>"
        for key, name in PHASES
    )
    return f'<ul class="key">{items}</ul>'


def _timeline(pages: Sequence[PageSpeed]) -> str:
    longest = max(page.timings.total for page in pages) or 1.0
    rows = []
    for row, page in enumerate(pages):
        x, y = 64.0, row * _ROW
        scale = (_WIDTH - x - 64) / longest
        rows.append(f'<text class="label" x="56" y="{y + 12}" text-anchor="end">page {page.number}</text>')
        for key, name in PHASES:
            width = getattr(page.timings, key) * scale
            if width > 0:
                title = f"page {page.number}, {name}: {getattr(page.timings, key):.3f} s"
                rows.append(
                    f'<rect class="phase-{key}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_BAR}">'
                    f"<title>{escape(title)}</title></rect>"
                )
                x += width
        rows.append(f'<text class="label" x="{x + 6:.1f}" y="{y + 12}">{page.timings.total:.2f} s</text>')
    title = f"Seconds of each phase for {len(pages)} pages"
    return _svg(title, len(pages) * _ROW, "".join(rows))


def _comparison(pages: Sequence[PageSpeed]) -> str:
    plain = sum(_plain_seconds(page) for page in pages)
    own = sum(page.timings.total for page in pages)
    scale = (_WIDTH - 230) / max(plain, own)
    same = all(page.baseline is not None and page.baseline.identical for page in pages)
    rows = []
    for row, (name, seconds, css) in enumerate((("plain", plain, "plain"), ("with drafts", own, "phase-stage2"))):
        y = row * _ROW
        rows.append(
            f'<text class="label" x="104" y="{y + 12}" text-anchor="end">{name}</text>'
            f'<rect class="{css}" x="112" y="{y}" width="{seconds * scale:.1f}" height="{_BAR}"/>'
            f'<text class="label" x="{118 + seconds * scale:.1f}" y="{y + 12}">{seconds:.2f} s</text>'
        )
    verdict = "the same tokens" if same else "not the same tokens on every page"
    note = f'<p class="note">Pixels to text, draft included; both wrote {verdict}.</p>'
    return _svg(f"Plain decoding {plain:.2f} seconds, with drafts {own:.2f} seconds", 2 * _ROW, "".join(rows)) + note


def _steps(page: PageSpeed) -> str:
    """One bar a step; of long pages several steps share a bar, as high as their mean."""
    share = -(-len(page.steps) // MOST_BARS)
    groups = [page.steps[at : at + share] for at in range(0, len(page.steps), share)]
    heights = [sum(group) / len(group) for group in groups]
    top = max(heights)
    width = (_WIDTH - 128) / len(groups)
    bars = "".join(
        f'<rect class="step" x="{64 + at * width:.2f}" y="{_STEPS - 2 - height / top * (_STEPS - 6):.1f}" '
        f'width="{max(width - 0.4, 0.4):.2f}" height="{height / top * (_STEPS - 6):.1f}"/>'
        for at, height in enumerate(heights)
    )
    one = _STEPS - 2 - (_STEPS - 6) / top
    mean = sum(page.steps) / len(page.steps)
    text = (
        f'<text class="label" x="56" y="{_STEPS - 6}" text-anchor="end">page {page.number}</text>'
        f'<line class="one" x1="64" x2="{_WIDTH - 64}" y1="{one:.1f}" y2="{one:.1f}"/>'
        f'<text class="label" x="{_WIDTH - 58}" y="{_STEPS - 6}">{mean:.1f} mean</text>'
    )
    title = f"Page {page.number}: {len(page.steps)} steps wrote {sum(page.steps)} tokens, at most {max(page.steps)}"
    return _svg(title, _STEPS, bars + text)


def _plain_seconds(page: PageSpeed) -> float:
    """Plain decoding of the page from pixels to text (equation 13's numerator)."""
    return 0.0 if page.baseline is None else page.baseline.sr_e2e * page.timings.total


def _svg(title: str, height: float, inside: str) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH:g} {height:g}" role="img" aria-label="{escape(title)}">{inside}</svg>'
    )
