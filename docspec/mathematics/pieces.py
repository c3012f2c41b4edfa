"""Puts together what fonts and typesetters take apart: tall brackets, radical signs, struck-out relations, accents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from docspec.mathematics.certainty import Strains
from docspec.mathematics.glyphs import Bar
from docspec.mathematics.items import Item, box_of, main_size
from docspec.mathematics.rows import read_row
from docspec.mathematics.spelling import ACCENTS, NEGATED, sign_in_latex
from docspec.mathematics.symbols import FENCES, TIP


def with_whole_signs(items: Sequence[Item], strains: Strains) -> list[Item]:
    """``items`` with pieces of brackets and radicals that stand on each other as one, and negations joined."""
    return _negated(_stacked(items), strains)


def _stacked(items: Sequence[Item]) -> list[Item]:
    pieces = sorted((one for one in items if one.part == "piece"), key=lambda one: (one.x0, one.y0))
    stacks: list[list[Item]] = []
    for piece in pieces:
        stack = next((own for own in stacks if any(_continues(other, piece) for other in own)), None)
        if stack is None:
            stacks.append([piece])
        else:
            stack.append(piece)
    merged = []
    for stack in stacks:
        x0, y0, x1, y1 = box_of(stack)
        sign = stack[0].sign
        part = "radical" if sign == "√" else "delimiter"
        merged.append(Item("", x0, y0, x1, y1, y1, stack[0].size, sign, "", part))
    return [one for one in items if one.part != "piece"] + merged


class Brace(NamedTuple):
    """A brace that lies over or under a term, in points."""

    x0: float
    y0: float
    x1: float
    y1: float
    over: bool
    size: float


def braces_in(items: Sequence[Item], bars: Sequence[Bar]) -> tuple[list[Item], list[Bar], list[Brace]]:
    """``items`` and ``bars`` without what braces that lie are made of, and these braces. Fonts have them as one glyph,
    or as tips that touch or have bars between: the first one says which way the brace opens."""
    runs: list[list[Item]] = []
    for tip in sorted((one for one in items if one.part == "brace"), key=lambda one: one.x0):
        own = next((run for run in runs if _goes_on(run, tip)), None)
        if own is None:
            runs.append([tip])
        else:
            own.append(tip)
    braces = [Brace(*box_of(run), run[0].sign == "⏞", run[0].size) for run in runs]
    left = [bar for bar in bars if not any(_is_within(bar, one) for one in braces)]
    return [one for one in items if one.part != "brace"], left, braces


def _goes_on(run: Sequence[Item], tip: Item) -> bool:
    """Whether ``tip`` is the next one of a brace of four tips, or touches the last piece of ``run``."""
    last = run[-1]
    if abs(last.center_y - tip.center_y) > 0.5 * tip.size:
        return False
    if last.alphabet == tip.alphabet == TIP:
        return len(run) < 4
    return abs(tip.x0 - last.x1) < 0.2 * tip.size


def _is_within(bar: Bar, brace: Brace) -> bool:
    return brace.x0 <= bar.x0 + 1 and bar.x1 - 1 <= brace.x1 and brace.y0 - 1 <= bar.y <= brace.y1 + 1


def _continues(one: Item, other: Item) -> bool:
    """Whether ``other`` stands above or below ``one``, or on it."""
    shared = min(one.x1, other.x1) - max(one.x0, other.x0)
    apart = max(one.y0, other.y0) - min(one.y1, other.y1)
    return (
        one.sign == other.sign and shared > 0.3 * min(one.x1 - one.x0, other.x1 - other.x0) and apart < 0.35 * one.size
    )


def _negated(items: Sequence[Item], strains: Strains) -> list[Item]:
    strokes = [one for one in items if one.part == "not"]
    rest = [one for one in items if one.part != "not"]
    for stroke in strokes:
        near = [one for one in rest if abs(one.base - stroke.base) < 0.2 * stroke.size and one.part == "ordinary"]
        below = min(near, key=lambda one: abs(one.x0 - stroke.x0), default=None)
        if below is None or abs(below.x0 - stroke.x0) > 0.5 * stroke.size:
            strains.add("left over", 1)
            continue
        latex = NEGATED.get(below.sign, f"\\not{sign_in_latex(below.sign)}")
        rest[rest.index(below)] = replace(below, latex=latex + " " if latex[-1].isalpha() else latex, part="made")
    return rest


def with_accents(items: Sequence[Item], strains: Strains) -> list[Item]:
    """``items`` with accents over their letters."""
    rest = [one for one in items if one.part != "accent"]
    accents = sorted((one for one in items if one.part == "accent"), key=lambda one: (-one.y0, one.x1 - one.x0))
    for accent in accents:
        own = _under(accent, rest)
        if not own:
            strains.add("left over", 1)
            rest.append(replace(accent, part="ordinary", sign=accent.sign))
            continue
        single, several = ACCENTS[accent.sign]
        inner = read_row(own, strains)
        wide = accent.alphabet == "wide" or len(own) > 1
        x0, y0, x1, y1 = box_of([*own, accent])
        size, nucleus = main_size(own), min(own, key=lambda one: one.x0)
        latex = f"\\{several if wide and accent.sign in '^~' else single}{{{inner}}}"
        for one in own:
            rest.remove(one)
        rest.append(Item(latex, x0, y0, x1, y1, nucleus.base, size, nucleus.sign, nucleus.alphabet, "made"))
    return rest


def _under(accent: Item, items: Sequence[Item]) -> list[Item]:
    """What stands under ``accent``: the nearest letter, or all that a wide one spans."""
    size = accent.size
    near = [
        one
        for one in items
        if one.y0 > accent.y0 - 0.05 * size
        and one.y1 > accent.y1 + 0.1 * size
        and one.y0 < accent.y1 + 0.5 * size
        and one.x0 - 0.3 * size < accent.center_x < one.x1 + 0.3 * size
        and one.part in ("ordinary", "made", "word")
        and one.sign not in FENCES
    ]
    if accent.alphabet == "wide":
        spanned = [
            one for one in items
            if accent.x0 - 0.15 * size < one.center_x < accent.x1 + 0.15 * size
            and accent.y0 < one.center_y < accent.y1 + 1.1 * size
        ]  # fmt: skip
        if len(spanned) > 1:
            return spanned
    if not near:  # boxes of some fonts' accents are those of their letters
        near = [
            one
            for one in items
            if abs(one.base - accent.base) < 0.6 * size
            and one.part == "ordinary"
            and one.x0 - 0.1 * size < accent.center_x < one.x1 + 0.1 * size
        ]

    def distance(one: Item) -> tuple[bool, bool, bool, float]:
        off = abs(one.center_x - accent.center_x)
        return one.size < 0.88 * size, off > 0.35 * size, one.y0 > accent.y1 + 0.3 * size, off

    best = min(near, key=distance, default=None)
    return [best] if best is not None else []
