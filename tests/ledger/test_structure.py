"""The account sees whether paragraphs, columns, lists and tables are those that are drawn."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.broken_structure import account_of, broken, made_page, measure
from benchmarks.structure_pages import TUNED, UNSEEN, Made, Part
from docspec.core.account import VisibleWord
from docspec.ledger.units import units_of

TEXT = """# Head

A paragraph
of two lines

- one
  - two
    goes on
- three

| A | B |
| --- | --- |
| 1 | 2 |

<table><tr><th>x</th></tr>
<tr><td>y</td></tr></table>

```
listing
```
"""


def test_units_are_the_parts_of_markdown() -> None:
    units = [(unit.kind, " ".join(TEXT[unit.start : unit.end].split()), unit.depth) for unit in units_of(TEXT)]
    assert units == [
        ("heading", "# Head", 0),
        ("paragraph", "A paragraph of two lines", 0),
        ("item", "- one", 0),
        ("item", "- two goes on", 2),
        ("item", "- three", 0),
        *(("cell", cell, 0) for cell in "AB12xy"),
        ("apart", "``` listing ```", 0),
    ]
    cells = [(unit.row, unit.column, unit.head) for unit in units_of(TEXT) if unit.kind == "cell"]
    assert cells == [(0, 0, True), (0, 1, True), (1, 0, False), (1, 1, False), (0, 0, True), (1, 0, False)]


@pytest.mark.parametrize("kind", [*TUNED, *UNSEEN])
def test_right_pages_raise_no_alarm_and_broken_ones_do(kind: str) -> None:
    """Few pages of what ``python -m benchmarks structure`` measures on many."""
    rows = list(measure([kind], 7, 3))
    (right,) = (row for row in rows if not row.way)
    assert (right.cases, right.noticed) == (3, 0)
    cases, noticed = sum(row.cases for row in rows if row.way), sum(row.noticed for row in rows if row.way)
    assert noticed >= 0.6 * cases > 3


def lines(*texts: str, x: float = 60, y: float = 100, size: float = 12, lead: float = 15) -> list[VisibleWord]:
    """The words of lines under each other."""
    words = []
    for number, text in enumerate(texts):
        left = x
        for word in text.split():
            wide = 0.5 * size * len(word)
            words.append(VisibleWord(word, left, y + number * lead, left + wide, y + number * lead + size))
            left += wide + 0.3 * size
    return words


def faults(words: list[VisibleWord], text: str) -> set[str]:
    return {one.fault for one in account_of(words, text).misplaced}


LEFT = ("the first line of it", "goes on to the second", "and ends with a third")
RIGHT = ("another column stands beside", "with words of its own", "down to the last line")
NOTE = ("a note in small type", "below all other text")


@pytest.mark.parametrize(
    ("words", "right", "wrong", "fault"),
    [
        (
            [*lines(*LEFT), *lines(*NOTE, y=500, size=8, lead=10)],
            f"{' '.join(LEFT)}\n\n{' '.join(NOTE)}",
            f"{' '.join(LEFT)} {' '.join(NOTE)}",
            "joined_over_jump",
        ),
        (
            [*lines(*LEFT), *lines(*RIGHT, y=300)],
            f"{' '.join(LEFT)}.\n\n{' '.join(RIGHT)}",
            f"{LEFT[0]} {' '.join(RIGHT)} {LEFT[1]} {LEFT[2]}",
            "joined_over_jump",
        ),
        (
            [*lines("First words here.", "Second line ends."), *lines("Third line begins", "a new one.", y=145)],
            "First words here. Second line ends.\n\nThird line begins a new one.",
            "First words here. Second line ends. Third line begins a new one.",
            "joined_over_jump",
        ),
        (
            [*lines(*LEFT), *lines(*RIGHT, x=300)],
            f"{' '.join(LEFT)} {' '.join(RIGHT)}",
            " ".join(f"{a} {b}" for a, b in zip(LEFT, RIGHT, strict=True)),
            "columns_alternate",
        ),
        (
            [*lines(*LEFT), *lines(*RIGHT, x=300, y=104)],
            f"{' '.join(LEFT)}\n\n{' '.join(RIGHT)}",
            "\n\n".join(f"{a}\n\n{b}" for a, b in zip(LEFT, RIGHT, strict=True)),
            "columns_alternate",
        ),
        (
            [*lines(*LEFT), *lines(*RIGHT, y=160)],
            f"{' '.join(LEFT)}\n\n{' '.join(RIGHT)}",
            f"{' '.join(RIGHT)}\n\n{' '.join(LEFT)}",
            "moves_up",
        ),
        (
            [*lines("A Danube", "C Rhone"), *lines("B Elbe", "D Ebro", x=300)],
            "A Danube\n\nB Elbe\n\nC Rhone\n\nD Ebro",
            "A Danube\n\nC Rhone\n\nB Elbe\n\nD Ebro",
            "moves_up",
        ),
        (
            [*lines("one thing", "two things"), *lines("under it", "beside that", x=90, y=130)],
            "- one thing\n- two things\n  - under it\n  - beside that",
            "- one thing\n- two things\n- under it\n- beside that",
            "levels_lost",
        ),
    ],
)
def test_each_fault_is_told_by_its_name(words: list[VisibleWord], right: str, wrong: str, fault: str) -> None:
    assert faults(words, right) == set()
    assert fault in faults(words, wrong)


def table() -> tuple[list[VisibleWord], list[tuple[str, ...]]]:
    rows = [("Item", "Sum", "Rest"), *((f"grain{n}", f"{n}1.50", f"{n}2.75") for n in range(1, 6))]
    words = [word for at, x in enumerate((60, 260, 400)) for word in lines(*(row[at] for row in rows), x=x, lead=20)]
    return words, rows


def test_rows_that_are_joined_and_tables_that_are_text_are_told() -> None:
    words, rows = table()
    assert faults(words, Made([Part("table", rows=tuple(rows))]).markdown) == set()
    both = [*rows[:2], tuple(f"{a} {b}" for a, b in zip(rows[2], rows[3], strict=True)), *rows[4:]]
    assert faults(words, Made([Part("table", rows=tuple(both))]).markdown) == {"rows_joined"}
    turned = [*rows[:2], rows[3], rows[2], *rows[4:]]
    assert faults(words, Made([Part("table", rows=tuple(turned))]).markdown) == {"moves_up"}
    assert "grid_as_text" in faults(words, "\n\n".join(map(" ".join, rows)))
    assert "grid_as_text" in faults(words, " ".join(map(" ".join, rows)))


def test_breaks_are_the_same_for_the_same_seed() -> None:
    made, _, page = made_page("report", 3)
    page.parent.close()
    assert list(broken(made, Random(1))) == list(broken(made, Random(1)))


def test_smaller_type_below_a_paragraph_does_not_tell_how_its_lines_are_led() -> None:
    large = ("a line that ends here.", "Another goes on", "below it")
    small = [f"line {number} of the small type" for number in range(8)]
    words = [*lines(*large, size=15, lead=19), *lines(*small, y=180, size=12, lead=14)]
    assert faults(words, f"{' '.join(large)}\n\n{' '.join(small)}") == set()


def test_words_of_a_picture_stand_as_they_like() -> None:
    words = [*lines("Record the trace", "Compile the trace", x=60), *lines("Monitor it well", x=400, y=130)]
    labels = "Monitor it well · Compile the trace · Record the trace"
    assert "joined_over_jump" in faults(words, labels)
    assert faults(words, f"![Figure](figure.png)\n\n> {labels}") == set()


def test_a_word_that_stands_twice_at_ends_of_lines_is_found_in_both_places() -> None:
    words = [
        *lines("we call it a Trace-", "Monkey. It runs"),
        *lines("activities of Trace-", "Monkey and", x=400, y=300),
    ]
    assert faults(words, "we call it a TraceMonkey. It runs\n\nactivities of TraceMonkey and") == set()


def test_the_first_of_two_equal_words_is_the_one_that_a_line_breaks() -> None:
    words = lines("no sea taki-", "mata sanctus est, and more of it", "then no sea takimata again")
    assert faults(words, "no sea takimata sanctus est, and more of it then no sea takimata again") == set()
