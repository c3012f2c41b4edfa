"""Gives scripts, parts of fractions and bars to the base lines that they stand at."""

from __future__ import annotations

from collections.abc import Sequence

from docspec.mathematics.glyphs import Bar, Glyph
from docspec.mathematics.lines import Row, Span

FAR_AWAY = 1e6

FURTHEST = 2.7
"""How far from a row's base line that of a script or of a brace's label is at most, in sizes of type."""


LIMITED = 1.6
"""The same of limits over and under an operator within a line."""


def with_fractions(rows: Sequence[Row], bars: Sequence[Bar]) -> list[Row]:
    """``rows`` with numerators and denominators of full size, which are rows of their own, at the row of prose on whose
    axis their bar lies."""
    for row in (row for row in rows if row.prose):
        for bar in bars:
            off = abs(row.y - bar.y - 0.25 * row.size)
            if off > 0.16 * row.size or bar.x1 < row.x0 - 20 or bar.x0 > row.x1 + 20:
                continue
            for other in rows:
                if other.prose or abs(other.y - bar.y) > 1.3 * row.size:
                    continue
                own = [one for one in other.glyphs if bar.x0 - 1 < (one.x0 + one.x1) / 2 < bar.x1 + 1]
                row.extra += own
                other.glyphs = [one for one in other.glyphs if one not in own]
    return [row for row in rows if row.glyphs]


def with_matrices(
    rows: Sequence[Row], loose: Sequence[Glyph], bars: Sequence[Bar], spans: Sequence[Span]
) -> tuple[list[Row], list[Glyph], list[Bar]]:
    """``rows``, ``loose`` glyphs and ``bars`` with what stands between tall brackets at the row of prose on whose axis
    these are."""
    left, left_bars = list(loose), list(bars)
    for row in (row for row in rows if row.prose):
        for span in spans:
            off = abs(row.y - 0.25 * row.size - (span.top + span.bottom) / 2)
            if off > 0.35 * row.size or not row.x0 - 60 < span.x0 < row.x1 + 20 or span.x1 == float("inf"):
                continue
            row.spans.append(span)
            for other in (other for other in rows if other is not row):
                row.extra += [one for one in other.glyphs if span.holds(one)]
                other.glyphs = [one for one in other.glyphs if not span.holds(one)]
            row.extra += [one for one in left if span.holds(one)]
            left = [one for one in left if not span.holds(one)]
            inside = [
                one for one in left_bars if span.x0 < one.x0 and one.x1 < span.x1 and span.top < one.y < span.bottom
            ]
            row.bars += inside
            left_bars = [one for one in left_bars if one not in inside]
    return [row for row in rows if row.glyphs], left, left_bars


def attached(loose: Sequence[Glyph], rows: Sequence[Row]) -> list[Glyph]:
    """Gives ``loose`` glyphs, in runs of one base line, to the rows that they stand at; the others are returned. What
    is near comes first: scripts of scripts are near to what is near a row."""
    left = [(run, _within_reach(run, rows)) for run in _runs(loose)]
    for most, high in ((0.3, 0.6), (0.3, 0.6), (0.7, 0.6), (0.3, 2.0), (1.3, 2.0), (1.3, 2.0)):
        runs, left = left, []
        for run, near in runs:
            costs = [_cost(run, row, most, high) for row in near]
            least = min(costs, default=FAR_AWAY)
            if least >= FAR_AWAY:
                left.append((run, near))
            else:
                near[costs.index(least)].extra += run
    return [one for run, _ in left for one in run]


def _is_typed(one: Glyph) -> bool:
    """Whether the origin of a glyph tells its height."""
    return one.symbol.part == "ordinary" and one.font.kind != "ex"


def _within_reach(run: Sequence[Glyph], rows: Sequence[Row]) -> Sequence[Row]:
    """The ``rows`` that ``run`` may belong to by its height."""
    if run[0].symbol.part == "accent":
        return rows
    if not _is_typed(run[0]):
        middle = (min(one.y0 for one in run) + max(one.y1 for one in run)) / 2
        return [row for row in rows if abs(row.y - middle) <= FURTHEST * row.size]
    return [row for row in rows if abs(row.y - run[0].y) <= FURTHEST * row.size]


def _runs(loose: Sequence[Glyph]) -> list[list[Glyph]]:
    runs: list[list[Glyph]] = []
    for one in sorted(loose, key=lambda one: (round(one.y), one.x0)):
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and abs(last.y - one.y) < 0.6
            and abs(last.size - one.size) < 0.3
            and one.x0 - last.x1 < 0.3 * one.size
            and (one.symbol.part == "ordinary") == (last.symbol.part == "ordinary")
        ):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _cost(run: Sequence[Glyph], row: Row, most: float, highest: float) -> float:
    """How far ``run`` is from where scripts and parts of fractions stand at ``row``, in points."""
    first = run[0]
    is_typed = _is_typed(first)
    x0, x1 = min(one.x0 for one in run), max(one.x1 for one in run)
    braced = any(
        one.symbol.part == "brace" and one.x0 - row.size < (x0 + x1) / 2 < one.x1 + row.size for one in row.extra
    )
    limits = row.prose and any(
        one.symbol.part == "operator" and one.x0 - 0.5 * row.size < (x0 + x1) / 2 < one.x1 + 0.5 * row.size
        for one in row.extra
    )
    reach = (LIMITED if limits else 1.05) if row.prose and not braced else 2.4
    if first.symbol.part == "accent" and (off := _over_letter(run, row)) is not None:
        return off
    if is_typed:
        up = (row.y - first.y) / row.size
        lowest = -2.6 if braced else -LIMITED if limits else -0.72 * (1 if row.prose else reach)
        if not lowest < up < reach:
            return FAR_AWAY
        high = abs(up - 0.1)
    else:
        high = abs(row.y / row.size - 0.25 - (min(one.y0 for one in run) + max(one.y1 for one in run)) / 2 / row.size)
        if high > (0.9 if row.prose and run[0].symbol.part != "brace" else 2.0):
            return FAR_AWAY
    if high > highest and not braced and not limits:
        return FAR_AWAY
    gap = min(max(other.x0 - x1, x0 - other.x1, 0.0) for other in (*row.glyphs, *row.extra))
    if gap > most * row.size:
        return FAR_AWAY
    return high * row.size + gap


def _over_letter(run: Sequence[Glyph], row: Row) -> float | None:
    """How far an accent is from the letter of ``row`` that it stands over, in points."""
    accent = run[-1]
    middle, size = (run[0].x0 + accent.x1) / 2, accent.size
    near, top, bottom = 0.35 * size, accent.y0 - 0.1 * size, accent.y1
    offs = [
        abs(one.y0 - bottom)
        for one in (*row.glyphs, *row.extra)
        if one.x0 - near < middle < one.x1 + near and top < one.y0
    ]
    off = min(offs, default=size)
    return off if off < near else None


def bars_attached(bars: Sequence[Bar], rows: Sequence[Row]) -> list[Bar]:
    """Gives bars to the rows of prose whose glyphs they are over, under or between; returns the others."""
    left = []
    for bar in bars:
        near = [row for row in rows if -0.5 * row.size < row.y - bar.y < 1.3 * row.size and _holds(row, bar)]
        near = near or [row for row in rows if any(_is_tip_of(one, bar) for one in row.extra)]
        row = min(near, key=lambda row: abs(row.y - bar.y - 0.3 * row.size), default=None)
        if row is not None and row.prose:
            row.bars.append(bar)
        else:
            left.append(bar)
    return left


def _is_tip_of(glyph: Glyph, bar: Bar) -> bool:
    """Whether ``bar`` is a piece of the brace that ``glyph`` is a tip of."""
    touches = min(abs(glyph.x1 - bar.x0), abs(glyph.x0 - bar.x1)) < 1
    return glyph.symbol.part == "brace" and touches and glyph.y0 - 1 <= bar.y <= glyph.y1 + 1


def _holds(row: Row, bar: Bar) -> bool:
    room = 0.9 * row.size
    return any(
        bar.x0 - 1 < (one.x0 + one.x1) / 2 < bar.x1 + 1 and one.y0 - room < bar.y < one.y1 + room
        for one in (*row.glyphs, *row.extra)
    )
