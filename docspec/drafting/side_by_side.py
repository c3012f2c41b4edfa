"""Tables without lines that stand beside each other: seen as one, they share their rows. Everything is in points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from docspec.drafting.figure_columns import Cell, CellRow, Columns, is_figure

CLEARLY = 1.5
"""How much wider the white between two tables is than that between the columns of either."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the tables that stand beside each other, or the only one, and its title where each has one."""

    columns: Columns
    title: Cell | None = None


def sides_of(columns: Columns, above: Sequence[CellRow] = ()) -> list[Side]:
    """The tables that ``columns`` are, from left to right; ``above`` are the rows over the table, nearest first.

    They are several where a gutter is clearly wider than others, with the same heads on both sides of it or a title
    over each, and labels behind it. Otherwise the gutter parts panels of one table.
    """
    gaps = [right[0] - left[1] for left, right in pairwise(columns.edges)]
    gutter = max(range(len(gaps)), key=gaps.__getitem__)
    if not 0 < gutter < len(gaps) - 1:  # a label and a figure on both sides
        return [Side(columns)]
    cut = gutter + 1
    if gaps[gutter] < CLEARLY * max(gap for number, gap in enumerate(gaps) if number != gutter):
        return [Side(columns)]
    titles, whole = _titles(columns, cut, above)
    heads = whole.texts[0]
    labels = [row[cut] for row in whole.texts[whole.headed :] if row[cut]]
    same = whole.headed and heads[:cut] == heads[cut:] and all(heads)
    if 2 * sum(map(is_figure, labels)) >= len(labels) or not (same or titles):
        return [Side(columns)]
    return [Side(*side) for side in zip(_divided(whole, cut), titles or (None, None), strict=True)]


def _titles(columns: Columns, cut: int, above: Sequence[CellRow]) -> tuple[tuple[Cell, ...], Columns]:
    """The titles at the left of each side, alone in the first row or in the row over it, and ``columns`` without
    them."""
    if [number for number, text in enumerate(columns.texts[0]) if text] == [0, cut] and len(columns.rows[0]) == 2:
        first = columns.texts[1]
        headed = bool(first[cut - 1] and first[-1]) and not any(map(is_figure, first))
        return columns.rows[0], replace(columns, rows=columns.rows[1:], texts=columns.texts[1:], headed=headed)
    row = above[0] if above else ()
    starts = columns.edges[0][0], columns.edges[cut][0]
    level = len(row) == 2 and all(abs(c.bbox.x0 - x0) <= c.bbox.height for c, x0 in zip(row, starts, strict=True))
    return (tuple(row) if level else ()), columns


def _divided(columns: Columns, cut: int) -> Iterator[Columns]:
    """The columns before ``cut`` and those behind it, each with the rows that have words there."""
    middle = (columns.edges[cut - 1][1] + columns.edges[cut][0]) / 2
    for first, last in ((0, cut), (cut, len(columns.edges))):
        rows = (
            (tuple(cell for cell in row if (cell.bbox.center_x < middle) is (first == 0)), texts[first:last])
            for row, texts in zip(columns.rows, columns.texts, strict=True)
        )
        kept = [(row, texts) for row, texts in rows if row]
        yield replace(
            columns,
            rows=tuple(row for row, _ in kept),
            texts=tuple(texts for _, texts in kept),
            edges=columns.edges[first:last],
        )
