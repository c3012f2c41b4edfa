"""Reads a formula as a tree, from its smallest parts outwards, and writes it as LaTeX.

The order is that of certainty: bars say most (fractions, roots, lines over a term), the shortest first, since a bar
within a fraction is shorter than the fraction's. Then accents, limits of operators, what stands between tall brackets
(matrices, cases, binomials), rows, and at last the base line of each row with its scripts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import inf

from docspec.mathematics.certainty import Strains
from docspec.mathematics.fences import with_fences
from docspec.mathematics.glyphs import Bar
from docspec.mathematics.items import AXIS, Item, base_of, box_of, main_size
from docspec.mathematics.limits import with_limits
from docspec.mathematics.pieces import Brace, braces_in, with_accents, with_whole_signs
from docspec.mathematics.rows import read_row
from docspec.mathematics.stacks import aligned, rows_of

APART = 0.12
"""Least white between a denominator and a numerator below it, in sizes of type: an accent is nearer to its letter."""


def read_formula(items: Sequence[Item], bars: Sequence[Bar], strains: Strains, display: bool = False) -> str:
    """The LaTeX of a formula's ``items`` and ``bars``, whose ``strains`` are told."""
    items, bars, braces = braces_in(with_whole_signs(items, strains), bars)
    parts: list[Bar | Brace] = [*bars, *braces]
    parts.sort(key=lambda one: one.x1 - one.x0)
    for at, one in enumerate(parts):
        left = [other for other in parts[at + 1 :] if isinstance(other, Bar)]
        items = _with_brace(items, one, strains) if isinstance(one, Brace) else _with_bar(items, one, left, strains)
    return read_block(items, strains, display)


def read_block(items: Sequence[Item], strains: Strains, display: bool = False) -> str:
    """The LaTeX of items without bars: one row, or several below each other."""
    if not items:
        return ""
    read = partial(read_block, strains=strains)
    items = with_fences(with_limits(with_accents(items, strains), read, strains), read, strains)
    rows = rows_of(items)
    if len(rows) > 1:
        strains.add("rows within", 0 if display else 1)
        return aligned(rows, strains)
    return read_row(items, strains)


def _with_bar(items: list[Item], bar: Bar, bars: Sequence[Bar], strains: Strains) -> list[Item]:
    """``items`` with the root, the fraction or the overlined term of ``bar`` as one; ``bars`` are still to be read."""
    radical = next((one for one in items if one.part == "radical" and _belongs(one, bar)), None)
    if radical is not None:
        return _with_root(items, bar, radical, strains)
    inside = [one for one in items if bar.x0 - 0.1 * one.size <= one.center_x <= bar.x1 + 0.1 * one.size]
    size = _size_near(inside, bar)
    above = [one for one in inside if one.center_y < bar.y and one.y1 < bar.y + 0.15 * size]
    below = [one for one in inside if one.center_y > bar.y and one.y0 > bar.y - 0.15 * size]
    above = _connected(_up_to_next(above, bar, bars, size, -1), bar.y, size, -1)
    below = _connected(_up_to_next(below, bar, bars, size, 1), bar.y, size, 1)
    if above and below and not _is_centred(above, bar, size):
        above = []
    if above and below:
        above, below = _of_one_size(above, below)
        _weigh_fraction(above, below, bar, size, strains)
        latex = f"\\frac{{{read_block(above, strains)}}}{{{read_block(below, strains)}}}"
        made = _made(latex, [*above, *below], bar, "fraction", bar.y, max(main_size(above), main_size(below)))
        return [one for one in items if one not in above and one not in below] + [made]
    if own := below or above:
        latex = f"\\{'overline' if below else 'underline'}{{{read_block(own, strains)}}}"
        made = _made(latex, own, bar, "made", base_of(own), main_size(own))
        return [one for one in items if one not in own] + [made]
    strains.add("left over", 1)
    return items


def _with_brace(items: list[Item], brace: Brace, strains: Strains) -> list[Item]:
    """``items`` with the term of a brace that lies over or under it, and its label, as one."""
    size, direction = brace.size, 1 if brace.over else -1
    spanned = [one for one in items if brace.x0 - 0.1 * size <= one.center_x <= brace.x1 + 0.1 * size]
    lower = _connected([one for one in spanned if one.y0 > brace.y0], brace.y1, size, 1)
    upper = _connected([one for one in spanned if one.y1 < brace.y1], brace.y0, size, -1)
    inside = lower if brace.over else upper
    largest = main_size(inside)
    middle = (brace.x0 + brace.x1) / 2
    beyond = [one for one in items if one not in inside and one.size < 0.88 * largest]
    label: list[Item] = []
    seeds = [one for one in beyond if one in (upper if brace.over else lower)]
    if seeds:
        x0, y0, x1, y1 = box_of(seeds)
        reach = max(middle - x0, x1 - middle, (brace.x1 - brace.x0) / 2) + 0.2 * size
        label = [
            one
            for one in beyond
            if abs(one.center_x - middle) < reach and y0 - 0.3 * size < one.center_y < y1 + 0.3 * size
        ]
    if not inside:
        strains.add("left over", 1)
        return items
    name, script = ("overbrace", "^") if direction > 0 else ("underbrace", "_")
    latex = f"\\{name}{{{read_block(inside, strains)}}}" + (
        f"{script}{{{read_block(label, strains)}}}" if label else ""
    )
    x0, y0, x1, y1 = box_of([*inside, *label])
    made = Item(latex, min(x0, brace.x0), min(y0, brace.y0), max(x1, brace.x1), max(y1, brace.y1), _root_base(inside),
                largest, inside[0].sign, "", "made")  # fmt: skip
    return [one for one in items if one not in inside and one not in label] + [made]


def _of_one_size(above: list[Item], below: list[Item]) -> tuple[list[Item], list[Item]]:
    """Numerator and denominator without larger type: it is of a script that stands over or under the fraction."""
    size = 1.12 * min(main_size(above), main_size(below))
    small = [[one for one in own if one.size <= size] for own in (above, below)]
    return small[0] or above, small[1] or below


def _weigh_fraction(above: Sequence[Item], below: Sequence[Item], bar: Bar, size: float, strains: Strains) -> None:
    """The strains of a fraction: its parts in the middle of its bar, which covers the wider one, and no more."""
    parts = [box_of(above), box_of(below)]
    for x0, _, x1, _ in parts:
        strains.add("part off centre", ((x0 + x1) - (bar.x0 + bar.x1)) / 2 / size)
    strains.add("unequal parts", main_size(above) / main_size(below) - 1)
    strains.add("bar too long", (bar.x1 - bar.x0 - max(x1 - x0 for x0, _, x1, _ in parts)) / size)


def _is_centred(items: Sequence[Item], bar: Bar, size: float) -> bool:
    """Whether ``items`` stand over the middle of ``bar``, as numerators do, rather than in the row above."""
    x0, _, x1, _ = box_of(items)
    return abs(x0 + x1 - bar.x0 - bar.x1) < 0.5 * size


def _made(latex: str, items: Sequence[Item], bar: Bar, part: str, base: float, size: float) -> Item:
    x0, y0, x1, y1 = box_of(items)
    box = min(x0, bar.x0), min(y0, bar.y), max(x1, bar.x1), max(y1, bar.y)
    return Item(latex, *box, base, size, items[0].sign if part == "made" else "", "", part)


def _size_near(items: Sequence[Item], bar: Bar) -> float:
    near = sorted(items, key=lambda one: min(abs(one.y0 - bar.y), abs(one.y1 - bar.y)))[:4]
    return main_size(near) or 10.0


def _up_to_next(items: list[Item], bar: Bar, bars: Sequence[Bar], size: float, direction: int) -> list[Item]:
    """``items`` on one side of ``bar`` without those of the next fraction there, as in a matrix of fractions, whose bar
    is one of ``bars`` or is read: of that are what stands behind white in front of its bar, and all behind it."""
    places = [other.y for other in bars if min(bar.x1, other.x1) > max(bar.x0, other.x0)]
    places += [one.base for one in items if one.part == "fraction"]
    beyond = min((direction * (y - bar.y) for y in places if direction * (y - bar.y) > 0), default=0.0)
    over = [other.y for other in bars if other.x0 < bar.x0 + 1 and bar.x1 - 1 < other.x1]
    covered = min((direction * (y - bar.y) for y in over if direction * (y - bar.y) > 0), default=inf)
    ordered = sorted(items, key=lambda one: direction * (one.y0 if direction > 0 else one.y1))
    edge = 0.0
    for at, one in enumerate(ordered):
        near, far = sorted((direction * (one.y0 - bar.y), direction * (one.y1 - bar.y)))
        if at and near - edge > APART * size and (near < beyond or near > covered):
            return ordered[:at]
        edge = max(edge, far)
    return items


def _connected(items: Sequence[Item], y: float, size: float, direction: int) -> list[Item]:
    """Those of ``items`` on one side of a bar that follow each other without much white."""
    ordered = sorted(items, key=lambda one: direction * (one.y0 if direction > 0 else one.y1))
    own: list[Item] = []
    edge, room = y, (0.72 if direction > 0 else 0.6) * size  # low letters stand far below their bar
    for one in ordered:
        near = one.y0 if direction > 0 else one.y1
        if direction * (near - edge) > room:
            break
        own.append(one)
        far = one.y1 if direction > 0 else one.y0
        edge = max(edge, far) if direction > 0 else min(edge, far)
        room = 0.2 * size
    return own


def _belongs(radical: Item, bar: Bar) -> bool:
    near = 0.15 * radical.size
    return abs(bar.x0 - radical.x1) < near + 0.8 and abs(bar.y - radical.y0) < near + 0.4


def _with_root(items: list[Item], bar: Bar, radical: Item, strains: Strains) -> list[Item]:
    near = 0.12 * radical.size
    inside = [
        one
        for one in items
        if one is not radical
        and bar.x0 - near <= one.center_x <= bar.x1 + near
        and bar.y - near <= one.center_y <= radical.y1 + 2 * near
    ]
    if not inside:
        strains.add("left over", 1)
        return items
    size = main_size(inside)
    degree = [
        one
        for one in items
        if one not in inside
        and one is not radical
        and one.size < 0.75 * size
        and radical.x0 - 0.35 * size < one.center_x < radical.x0 + 0.65 * (radical.x1 - radical.x0)
        and one.x1 > radical.x0
        and radical.y0 - 0.3 * size < one.center_y < radical.y0 + 0.65 * radical.height
    ]
    root = f"[{read_row(degree, strains)}]" if degree else ""
    latex = f"\\sqrt{root}{{{read_block(inside, strains)}}}"
    own = [*inside, *degree, radical]
    fractions = [one for one in inside if one.part == "fraction"]
    if fractions and not any(one.has_type for one in inside):  # whose type may be smaller than that around the root
        made = _made(latex, own, bar, "fraction", fractions[0].base, size)
    else:
        made = _made(latex, own, bar, "made", _root_base(inside), size)
    return [one for one in items if one not in own] + [replace(made, sign="√")]


def _root_base(items: Sequence[Item]) -> float:
    fractions = [one for one in items if one.part == "fraction"]
    size = main_size(items)
    typed = [one for one in items if one.has_type and one.size >= 0.88 * size]
    if fractions and not typed:
        return fractions[0].base + AXIS * size * 1.2
    return base_of(items)
