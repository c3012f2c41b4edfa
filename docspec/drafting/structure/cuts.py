"""Cells that are cut at a space of the file, although nothing shows a column there.

The network decides word by word, and where a name is long it may cut one. Programs seldom write two cells as one string
with a space; where they do, other lines of the table have white in front of what stands in that column.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docspec.core.geometry import runs_of
from docspec.drafting.structure.tokens import Token, rows_of

SPACE, WHITE = 0.45, 0.5
"""Most white of an ordinary space, and least white between two columns, in sizes of the type."""

TIGHT, FEW = 3, 0.2
"""Cuts at mere spaces in one line from which on they are by chance, as of a title over many columns, and the greatest
share of such lines of a table: in a typed one each line may have them."""

ALIGNED = 0.5
"""Most difference of the edges, or the middles, of what stands in one column, in sizes of the type."""


def with_whole_words(cells: Sequence[Sequence[int]], tokens: Sequence[Token]) -> list[list[int]]:
    """The ``cells`` (numbers of ``tokens``, all of one table), of which those are one that only a space parts: fewer
    lines have something that begins, ends or has its middle there than have words which lie over it. Figures behind
    words end at one edge, however long they are."""
    owner = {token: number for number, cell in enumerate(cells) for token in cell}
    lines = [runs_of(row, lambda a, b: owner[a] == owner[b]) for row in rows_of(tokens)]
    runs = [(number, run) for number, line in enumerate(lines) for run in line]
    spans = np.array([(tokens[run[0]].box[0], tokens[run[-1]].box[2]) for _, run in runs])
    places = np.column_stack([spans, spans.mean(axis=1)])  # where each run begins, ends, and has its middle
    line_of = np.array([number for number, _ in runs])
    size = np.array([tokens[run[0]].size for _, run in runs])
    white = np.full(len(runs), -1.0)  # in front of each
    white[1:] = np.where(line_of[1:] == line_of[:-1], spans[1:, 0] - spans[:-1, 1], -1.0)
    spaced = np.array([tokens[run[0]].spaced for _, run in runs])
    tight = spaced & (white >= 0) & (white <= SPACE * size)
    often = {line for line in set(line_of.tolist()) if tight[line_of == line].sum() >= TIGHT}
    whole = often if len(often) <= FEW * len(lines) else set()
    joined = {number: list(cell) for number, cell in enumerate(cells)}

    def words_of(at: int) -> str:
        return "".join(tokens[token].text for token in runs[at][1])

    for at in np.nonzero(tight)[0].tolist():
        one, other = owner[runs[at - 1][1][-1]], owner[runs[at][1][0]]
        if one == other:
            continue
        aligned = np.abs(places - places[at]).min(axis=1) < ALIGNED * size
        speak_for = aligned & (line_of != line_of[at]) & (white > WHITE * size)
        cut = spans[at, 0] - white[at] / 2
        crossed = (spans[:, 0] < cut - size) & (spans[:, 1] > cut + size) & (line_of != line_of[at])
        against = 0 if _is_figure_behind(words_of(at - 1), words_of(at)) else int(crossed.sum())
        if line_of[at] not in whole and speak_for.sum() > against:
            continue
        joined[one] += joined.pop(other)
        owner |= dict.fromkeys(joined[one], one)
    return [sorted(cell) for cell in joined.values()]


def _is_figure_behind(left: str, right: str) -> bool:
    """Whether ``right`` has figures and ``left`` has none."""
    return any(map(str.isdigit, right)) and not any(map(str.isdigit, left))
