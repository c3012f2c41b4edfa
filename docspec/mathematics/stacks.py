"""Rows below each other: lines of a derivation, matrices, cases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from docspec.mathematics.certainty import Strains
from docspec.mathematics.items import Item, main_size
from docspec.mathematics.rows import joined, tokens_of
from docspec.mathematics.spelling import RELATIONS

LEAST_GAP = 0.02
"""Least white between two rows, in sizes of type."""

COLUMN = 0.62
"""Least white between two columns of a matrix, in sizes of type."""


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
        (one.has_type and one.size >= 0.88 * size and one.height > 0.25 * size) or one.part == "fraction" for one in row
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


def environment(name: str, lines: Sequence[str]) -> str:
    """``lines`` in the LaTeX environment called ``name``."""
    return f"\\begin{{{name}}}" + "\\\\".join(lines) + f"\\end{{{name}}}"


def columns_of(rows: Sequence[Sequence[Item]]) -> list[list[list[Item]]]:
    """Rows of a matrix, each as its cells: parted where white runs through all of them."""
    items = [one for row in rows for one in row]
    size = main_size(items)
    edges: list[float] = []
    right = None
    for one in sorted(items, key=lambda one: one.x0):
        if right is not None and one.x0 - right > COLUMN * size:
            edges.append((right + one.x0) / 2)
        right = max(right if right is not None else one.x1, one.x1)
    bounds = [float("-inf"), *edges, float("inf")]
    return [[[one for one in row if a < one.center_x <= b] for a, b in pairwise(bounds)] for row in rows]
