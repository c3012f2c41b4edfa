"""Cells that are cut where the print shows no column: words of one line with an ordinary space between them, where no
other line of the table has white; and words between two of one cell."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from docspec.drafting.structure.tokens import Token

SPACE = 0.36
"""Most white of an ordinary space, in sizes of the type."""

WHITE = 0.5
"""Least white between two columns in some line, in sizes of the type."""


def with_whole_words(cells: Sequence[Sequence[int]], tokens: Sequence[Token]) -> list[list[int]]:
    """The ``cells`` (numbers of ``tokens``, all of one table), of which those are one that only a space parts."""
    lines: dict[int, list[int]] = {}
    for number, token in enumerate(tokens):
        lines.setdefault(token.line, []).append(number)
    whites: list[tuple[float, float]] = []
    for line in lines.values():
        line.sort(key=lambda number: tokens[number].box[0])
        whites += [
            (tokens[a].box[2], tokens[b].box[0])
            for a, b in pairwise(line)
            if tokens[b].box[0] - tokens[a].box[2] > WHITE * tokens[a].size
        ]
    owner = {token: number for number, cell in enumerate(cells) for token in cell}
    joined = {number: list(cell) for number, cell in enumerate(cells)}
    for line in lines.values():
        for a, b in pairwise(line):
            one, other = owner[a], owner[b]
            start, end = tokens[a].box[2], tokens[b].box[0]
            if one == other or end - start > SPACE * max(tokens[a].size, tokens[b].size):
                continue
            middle = (start + end) / 2
            if any(left < middle < right for left, right in whites):
                continue
            joined[one] += joined.pop(other)
            owner |= dict.fromkeys(joined[one], one)
    return [sorted(cell) for cell in joined.values()]
