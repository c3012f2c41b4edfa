"""Parts of one table below each other: a group of rows that the network takes for a table of its own."""

from __future__ import annotations

import numpy as np
import pytest

from docspec.drafting.structure.going_on import goes_on
from docspec.drafting.structure.grid import Cell, Grid
from docspec.drafting.structure.tokens import PageTokens, Token

RULES = [(40, 300, 90), (40, 300, 135), (40, 300, 180)]


def table(texts: list[list[str]], top: float, left: float = 50, pitch: float = 14) -> list[Token]:
    return [
        Token(
            text, (left + 100 * column, top + pitch * row, left + 100 * column + 60, top + pitch * row + 9), 9, top + 8
        )
        for row, line in enumerate(texts)
        for column, text in enumerate(line)
    ]


def grid(first: int, count: int, top: float, bottom: float, heads: int = 1) -> Grid:
    cells = tuple(Cell((first + at,), at // 2, at % 2) for at in range(count))
    return Grid(cells, heads, (50, top, 210, bottom), 0.99)


UPPER = [["Model", "Score"], ["a", "1"], ["b", "2"]]
LOWER = [["Others", "Rank"], ["c", "3"], ["d", "4"]]


@pytest.mark.parametrize(
    ("rules", "lower", "top", "left", "one"),
    [
        (RULES, LOWER, 137, 50, True),
        (RULES, UPPER, 137, 50, False),
        (RULES, LOWER, 170, 50, False),
        (RULES, LOWER, 137, 120, False),
        ([], LOWER, 137, 50, False),
        ([(40, 300, 90), (60, 220, 135), (40, 250, 180)], LOWER, 137, 50, False),
    ],
    ids=["goes on", "same heads", "far below", "other columns", "no rules", "other rules"],
)
def test_a_table_goes_on_in_the_one_below(
    rules: list[tuple[float, float, float]], lower: list[list[str]], top: float, left: float, one: bool
) -> None:
    tokens = (*table(UPPER, 95), *table(lower, top, left))
    none = np.zeros((0, 4), np.float32)
    page = PageTokens(tokens, np.array(rules, np.float32).reshape(-1, 3), none[:, :3], none, none, 600, 800)
    first, second = grid(0, 6, 95, 132), grid(6, 6, top, top + 37)
    assert goes_on(first, second, page) is one
