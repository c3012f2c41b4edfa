"""Tables that were typed: in type of one width, with lines of dashes, and with dots that lead to figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from docspec.reporting.tables import grids
from docspec.results import ParsedDocument

Parsed = Callable[..., ParsedDocument]

PROSE = [
    "The board met on the third of May in the town hall. All nine members of it were there",
    "and two guests from the ministry of transport. First the minutes of the last meeting were",
    "read and approved. Then the plans for the new bridge over the sound were shown to all.",
]


def lines_of(document: ParsedDocument) -> list[list[list[str]]]:
    return [grid.lines() for page in document.pages for block in page.blocks for grid in grids(block)]


def typed(text: str) -> Callable[[Any], None]:
    """A page with prose around ``text`` in type of one width."""

    def draw(page: Any) -> None:
        y = 60.0
        for line in PROSE:
            page.insert_text((60, y), line, fontsize=10)
            y += 13
        y += 14
        for line in text.strip("\n").split("\n"):
            page.insert_text((60, y), line, fontsize=9, fontname="cour")
            y += 11
        y += 14
        for line in PROSE:
            page.insert_text((60, y), line, fontsize=10)
            y += 13

    return draw


REGIONS = """
---------------------------------------------------------
Region             1990     1995     2000     2005
---------------------------------------------------------
North East          1.0      1.1      1.2      1.4
North West         10.3     11.0     11.9     12.2
Midlands            8.8      8.1      7.4      7.0
South              21.5     22.0     23.1     24.8
---------------------------------------------------------
All                41.6     42.2     43.6     45.4
"""
LANDINGS = """
     Year    Landings     Value    Price
             (tons)      ($1,000)  ($/lb)
     ----    --------    --------  ------
     1997       1,204       3,310    1.25
     1998       1,190       3,402    1.30
     1999         980       2,995    1.39
     2000       1,310       4,100    1.42
     ====    ========    ========  ======
     Mean       1,171       3,452    1.34
"""
PROPORTIONS = """
Proportion      1.0    1.1    1.2    1.3    1.4
-----------------------------------------------
Catch            0.0    2.4    4.9    7.1    9.6
Effort           1.0    1.1    1.2    1.3    1.4
Biomass         88.0   80.1   71.9   66.0   61.2
-----------------------------------------------
"""


def cells(text: str, head: list[str]) -> list[list[str]]:
    """``head``, and the rows of ``text`` below its first line of dashes below words."""
    lines = text.strip("\n").split("\n")
    rules = [number for number, line in enumerate(lines) if set(line.strip()) <= set("-= ")]
    first = next(rule for rule in rules if rule > 0) + 1
    rows = [line for number, line in enumerate(lines) if number >= first and number not in rules]
    return [head, *([cell.strip() for cell in line.replace("   ", "  ").split("  ") if cell.strip()] for line in rows)]


@pytest.mark.parametrize(
    ("text", "head"),
    [
        (REGIONS, ["Region", "1990", "1995", "2000", "2005"]),
        (LANDINGS, ["Year", "Landings (tons)", "Value ($1,000)", "Price ($/lb)"]),
        (PROPORTIONS, ["Proportion", "1.0", "1.1", "1.2", "1.3", "1.4"]),
    ],
    ids=["regions", "landings", "proportions"],
)
def test_a_typed_table_has_its_heads_and_no_lines_of_dashes(parsed: Parsed, text: str, head: list[str]) -> None:
    assert lines_of(parsed(typed(text))) == [cells(text, head)]


YEARS = """
--------------------------------------------------------
        Period       Exports       Imports       Balance
--------------------------------------------------------
                          2001
January               37,675       192,810       -95,617
February              75,005       633,747       -89,042
                          2002
January               26,263       312,889       -71,054
February              41,704       335,036       -17,084
--------------------------------------------------------
"""
STATEMENT = """
--------------------------------------------------------------
                                            2005          2004
--------------------------------------------------------------
Gross costs                          $ 1,826,225   $ 1,954,331
Less: Earned revenue                   (959,242)     (891,328)
Net program costs                      5,357,984     7,276,480
Costs not assigned to programs            94,353        70,540
Net cost of operations               $ 4,459,753   $ 5,300,261
--------------------------------------------------------------
"""
RECOMMENDATIONS = """
==================================================================
                        Recommendations            Percentage
Agency                             made  Completed  completed
==================================================================
Department of Commerce               12         14         74
Department of Defense             3,398        612         22
Department of Education              21         84         89
==================================================================
"""


@pytest.mark.parametrize(
    ("text", "rows", "expected"),
    [
        (
            YEARS,
            slice(0, 3),
            [
                ["Period", "Exports", "Imports", "Balance"],
                ["2001", "", "", ""],
                ["January", "37,675", "192,810", "-95,617"],
            ],
        ),
        (STATEMENT, slice(0, 2), [["", "2005", "2004"], ["Gross costs", "$ 1,826,225", "$ 1,954,331"]]),
        (RECOMMENDATIONS, slice(0, 1), [["Agency", "Recommendations made", "Completed", "Percentage completed"]]),
    ],
    ids=["years", "statement", "recommendations"],
)
def test_lines_of_dashes_join_no_cells(parsed: Parsed, text: str, rows: slice, expected: list[list[str]]) -> None:
    [table] = lines_of(parsed(typed(text)))
    assert table[rows] == expected and not any("--" in cell or "==" in cell for row in table for cell in row)


@pytest.mark.parametrize("leader", [".", " .", "…"])
def test_leaders_are_no_words_and_no_reason_to_recognise_the_page(parsed: Parsed, leader: str) -> None:
    rows = [
        ("Wheat", "12,040", "3,101"),
        ("Oats and rye", "310", "75"),
        ("Timber", "22,115", "9,460"),
        ("All", "1", "2"),
    ]
    size = pymupdf.get_text_length("." if leader == "…" else leader, "helv", 9)

    def draw(page: Any) -> None:
        for x, text in ((60, "Commodity"), (380, "Tons"), (470, "Value")):
            page.insert_text((x, 80), text, fontsize=9, fontname="hebo")
        for number, (label, *figures) in enumerate(rows):
            y = 96 + 12 * number
            count = int((320 - 60 - pymupdf.get_text_length(label, "helv", 9)) / size)
            if leader == "…":
                count //= 4
            page.insert_text((60, y), label + leader * count, fontsize=9)
            for right, text in zip((400, 492), figures, strict=True):
                page.insert_text((right - pymupdf.get_text_length(text, "helv", 9), y), text, fontsize=9)

    document = parsed(draw)
    assert lines_of(document) == [[["Commodity", "Tons", "Value"], *map(list, rows)]]
    assert {block.words for block in document.pages[0].blocks} == {"text layer"}
