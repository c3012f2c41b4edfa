"""Numbers that count the lines of a page are a column of their own; those of tables, lists and listings are not."""

from __future__ import annotations

import pytest

from docspec.core import BBox, Category
from docspec.drafting.line_numbers import line_numbers, numbers_region
from docspec.drafting.lines import TextLine

PROSE = [
    "the board met on Tuesday to look at",
    "the plans for the quay wall, which",
    "would replace the timber piles that",
    "were driven in the flood. Members",
    "heard from two engineers that the",
    "cost has fallen, and so the whole",
    "work could be done within the sum.",
    "A vote was put off until the tide",
    "tables for the season are known,",
    "because the dredger must leave",
    "before the fleet returns to port",
]


def line(text: str, x: float, y: float, width: float = 0.0, even: int = 0) -> TextLine:
    return TextLine(BBox(x, y, x + (width or 5.0 * len(text)), y + 10), text, 10.0, even=even)


def numbered(texts: list[str], step: int = 1, first: int = 1, x: float = 40.0, extra: int = 0) -> list[TextLine]:
    lines = [line(text, 70, 20 * row) for row, text in enumerate(texts)]
    count = len(texts) + extra
    return lines + [
        line(str(row + first), x - 5 * len(str(row + first)), 20 * row)
        for row in range(count)
        if (row + first) % step == 0
    ]


def printed_paper(pitch: float = 23.0) -> list[TextLine]:
    """Paper of a court, with numbers that have a ``pitch`` of their own, under text that is set 20 apart."""
    text = [line(text, 70, 20 * row) for row, text in enumerate([*PROSE, "ORDER", *PROSE])]
    return text + [line(str(n + 1), 40 - 5 * len(str(n + 1)), pitch * n + 2) for n in range(20)]


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (numbered(PROSE, extra=10), 21),  # a court paper, with empty lines below
        (numbered(PROSE * 3, step=5), 6),  # a manuscript
        (numbered(PROSE, first=301), 11),  # a poem or a later page
        (numbered(PROSE, x=420.0), 11),  # in the right margin
        (printed_paper(), 20),
    ],
)
def test_numbers_of_lines_of_prose_are_taken_out(lines: list[TextLine], count: int) -> None:
    numbers, text = line_numbers(lines)
    assert len(numbers) == count
    assert all(not one.text.isdigit() for one in text) and len(text) + count == len(lines)
    region = numbers_region(numbers, 1000)
    assert region.category is Category.PAGE_HEADER and region.running
    assert region.texts[0].split() == [one.text for one in numbers]


@pytest.mark.parametrize(
    "lines",
    [
        numbered(["Apples", "Pears", "Plums", "Cherries", "Figs", "Nuts", "Dates"]),  # a list
        [*numbered(PROSE), *(line("12.50", 400, 20 * row) for row in range(11))],  # a table
        [line(text, 70, 20 * row, even=30) for row, text in enumerate(PROSE)]
        + [line(str(row), 40, 20 * row) for row in range(1, 11)],  # a listing
        numbered(PROSE[:3]),
        # cells of one and of two lines, in rows of one height, with their numbers at the middle
        [line(str(n + 1), 40, 30 * n + 10) for n in range(9)]
        + [line("Plain tiles", 70, 30 * n + 10) for n in range(0, 9, 2)]
        + [
            line(text, 70, 30 * n + y)
            for n in range(1, 9, 2)
            for y, text in ((4, "Tiles of a large"), (16, "size, glazed"))
        ],
        [line(text, 70, 12 * row) for row, text in enumerate(PROSE * 2)]
        + [line(str(n + 1), 40, 12 * row) for n, row in enumerate((0, 2, 7, 9, 15, 20))],  # clauses
    ],
)
def test_numbers_of_tables_lists_listings_and_clauses_stay(lines: list[TextLine]) -> None:
    numbers, text = line_numbers(lines)
    assert not numbers and text == lines
