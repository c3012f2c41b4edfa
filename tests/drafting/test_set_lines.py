"""Lines that end where they are meant to stay lines; running text is joined."""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf
import pytest

from docspec import ParseOptions, Parser
from docspec.drafting.lines import page_lines, printed_lines
from docspec.drafting.set_lines import set_lines

PROSE = (
    "The board met on the third of May in the town hall. All nine members were",
    "there, and two guests from the ministry. First the minutes of the last meeting",
    "were read and approved. Then the plans for the new bridge were shown.",
)
ADDRESS = ("Jane Doe", "12 Long Meadow Street", "CB1 2AB Cambridge", "United Kingdom")
RECEIPT = ("Coffee 2.40", "Sandwich with cheese 5.10", "Apple 0.90", "Total 8.40")
PAIRS = ("Name: Jane Doe", "Date of birth: 3 May 1970", "Sex: F", "Nationality: British")
STEPS = ("1. Open the box", "2. Take out the parts", "3. Put them together with the screws", "4. Close it")


def grouped(*lines: str, reach: float = 0.0) -> list[str]:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for number, line in enumerate(lines):
            page.insert_text((60, 100 + 14 * number), line)
        rows = printed_lines(page_lines(page))
    return [" ".join(row[0].text for row in group) for group in set_lines(rows, reach)]


@pytest.mark.parametrize("lines", [RECEIPT, PAIRS, STEPS])
def test_lines_with_room_for_the_next_word_are_lines_of_their_own(lines: Sequence[str]) -> None:
    assert grouped(*lines) == list(lines)


def test_the_width_of_the_column_tells_more() -> None:
    assert grouped(*ADDRESS, reach=500) == list(ADDRESS)


@pytest.mark.parametrize(
    "lines",
    [
        PROSE,
        ("A short line is followed", "by others of the sentence", "that begin in lower case, as", "most of them do."),
        ("Figure 2. Sales by region in the year, in thousand", "Euros."),
        ("The guests came from Cambridge and", "Oxford, the others from", "London."),
    ],
)
def test_running_text_is_one(lines: Sequence[str]) -> None:
    assert grouped(*lines) == [" ".join(lines)]


def test_a_letter_is_written_with_the_lines_of_its_address() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for number, line in enumerate(ADDRESS):
            page.insert_text((60, 100 + 14 * number), line)
        for number, line in enumerate(PROSE):
            page.insert_text((60, 190 + 14 * number), line)
        data = pdf.tobytes()
    with Parser(ParseOptions()) as parser:
        written = parser.parse(data).to_markdown()
    assert "\n\n".join(ADDRESS) in written
    assert " ".join(PROSE) in written
