"""Rows below each other: lines of a derivation, matrices, cases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from docspec.mathematics.certainty import Strains
from docspec.mathematics.items import Item, main_size
from docspec.mathematics.rows import joined, tokens_of
from docspec.mathematics.spelling import RELATIONS

LEAST_GAP = 0.02
"""Least white between two rows, in sizes of type."""


def rows_of(items: Sequence[Item]) -> list[list[Item]]:
    """``items`` in rows that have white between them, from the top. What holds no type of the largest size (scripts
    that touch nothing) is no row of its own."""
    if len(items) < 2:
        return [list(items)]
    size = main_size(items)
    rows: list[list[Item]] = []
    bottom = 0.0
    for one in sorted(items, key=lambda one: one.y0):
        if rows and one.y0 < bottom + LEAST_GAP * size:
            rows[-1].append(one)
            bottom = max(bottom, one.y1)
        else:
            rows.append([one])
            bottom = one.y1
    merged: list[list[Item]] = []
    pending: list[Item] = []
    for row in rows:
        if not _stands(row, size):
            if merged and _gap(merged[-1], row) <= _gap_below(row, rows):
                merged[-1] += row
            else:
                pending += row
            continue
        merged.append([*pending, *row])
        pending = []
    if pending:
        if merged:
            merged[-1] += pending
        else:
            merged.append(pending)
    return merged


def _stands(row: Sequence[Item], size: float) -> bool:
    """Whether ``row`` has type of its own: more than signs that may belong to another row."""
    return any(
        (one.has_type and one.size >= 0.88 * size and one.height > 0.25 * size) or one.part in ("fraction", "fenced")
        for one in row
    ) or (any(one.has_type and one.size >= 0.88 * size for one in row) and len(row) > 2)


def _gap(above: Sequence[Item], below: Sequence[Item]) -> float:
    return min(one.y0 for one in below) - max(one.y1 for one in above)


def _gap_below(row: Sequence[Item], rows: Sequence[Sequence[Item]]) -> float:
    bottom = max(one.y1 for one in row)
    return min(
        (min(one.y0 for one in other) - bottom for other in rows if min(one.y0 for one in other) > bottom), default=1e9
    )


def aligned(rows: Sequence[Sequence[Item]], strains: Strains) -> str:
    """Rows as lines of one formula, with their relations below each other if they are printed so."""
    parsed, size = [tokens_of(row, strains) for row in rows], main_size([one for row in rows for one in row])
    places = [next((token.x0 for token in row if token.sign in RELATIONS and token.sign), None) for row in parsed]
    known = [place for place in places if place is not None]
    at = next((one for one in known if sum(abs(one - other) < 2 for other in known) > 1), None)
    if at is None:
        lefts = [row[0].x0 for row in parsed if row]
        name = "aligned" if len(rows) > 1 and max(lefts) - min(lefts) < 2 else "gathered"
        return environment(name, [joined(row, size) for row in parsed])
    lines = []
    for row in parsed:
        before = [token for token in row if token.x0 < at - 2]
        after = [token for token in row if token.x0 >= at - 2]
        lines.append(f"{joined(before, size)}&{joined(after, size)}")
    return environment("aligned", lines)


def environment(name: str, lines: Sequence[str], columns: str = "") -> str:
    """``lines`` in the LaTeX environment called ``name``, an array with these ``columns``."""
    return f"\\begin{{{name}}}" + (f"{{{columns}}}" if columns else "") + "\\\\".join(lines) + f"\\end{{{name}}}"


def grid_of(items: Sequence[Item], least: float) -> list[list[list[Item]]]:
    """The rows of what a bracket holds, each as its cells; ``least`` as in :func:`columns_of`. Rows that tall cells
    join are parted where two columns have them apart."""
    rows = rows_of(items)
    columns = [rows_of(column) for column in columns_of([items], least)[0] if column]
    finest = max(columns, key=len, default=[])
    if len(finest) > len(rows) and sum(len(column) == len(finest) for column in columns) > 1:
        ends = [(max(one.y1 for one in row), min(one.y0 for one in below)) for row, below in pairwise(finest)]
        bounds = [float("-inf"), *((y1 + y0) / 2 for y1, y0 in ends), float("inf")]
        rows = [[one for one in items if a < one.center_y <= b] for a, b in pairwise(bounds)]
    return columns_of(rows, least)


def columns_of(rows: Sequence[Sequence[Item]], least: float) -> list[list[list[Item]]]:
    """Rows of a matrix, each as its cells: parted where at least so much white, in sizes of type, runs through all of
    them."""
    items = sorted((one for row in rows for one in row), key=lambda one: one.x0)
    ends = accumulate((one.x1 for one in items), max)
    gaps = [(one.x0 - end, (one.x0 + end) / 2) for end, one in zip(ends, items[1:], strict=False)]
    bounds = [float("-inf"), *(middle for gap, middle in gaps if gap > least * main_size(items)), float("inf")]
    return [[[one for one in row if a < one.center_x <= b] for a, b in pairwise(bounds)] for row in rows]
