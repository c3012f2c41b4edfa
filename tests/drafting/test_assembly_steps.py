"""The steps of assembling, each for itself, and why they stand in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from docspec.core import BBox, Category
from docspec.drafting.assembly import STEPS, Step
from docspec.drafting.assembly.claims import (
    Assembly,
    bullets_joined,
    lines_claimed,
    strays_placed,
    typewriting_unmarked,
)
from docspec.drafting.assembly.parts import (
    columns_parted,
    contents_itemised,
    covering_boxes_cut,
    listings_parted,
    tables_settled,
)
from docspec.drafting.layout import FoundTable, LayoutBox
from docspec.drafting.lines import TextLine


def line(text: str, x: float, y: float, width: float = 100, block: int = 0, even: int = 0) -> TextLine:
    return TextLine(BBox(x, y, x + width, y + 10), text, 10, block, even=even)


def box(category: Category, *lines: TextLine) -> LayoutBox:
    return LayoutBox.around(lines, category)


def told(page: Assembly) -> list[tuple[Category, str]]:
    """The category and the words of each box."""
    return [(one.category, " / ".join(line.text for line in one.lines)) for one in page.boxes]


PROSE = [line(f"line {row} of the text", 0, 14 * row, 300) for row in range(1, 6)]
HEAD = [line("400", 0, 0, 20), line("BRITISH HUSBANDRY.", 120, 0), line("[Ch. XIX.", 270, 1, 30)]


def test_typewriting_is_unmarked_only_where_the_whole_page_is_typewritten() -> None:
    typed, prose = line("typed words", 0, 0, even=10), line("prose in another type", 0, 20)
    assert [one.even for one in typewriting_unmarked(Assembly((), (typed,))).lines] == [0]
    assert [one.even for one in typewriting_unmarked(Assembly((), (typed, prose))).lines] == [10, 0]


def test_a_bullet_and_its_line_become_one() -> None:
    page = bullets_joined(Assembly((), (line("•", 0, 0, 5), line("item", 12, 0), line("next", 12, 14))))
    assert [one.text for one in page.lines] == ["• item", "next"]


def test_lines_go_into_the_boxes_that_claim_them_and_the_others_are_left() -> None:
    inside, outside = line("inside", 0, 0), line("outside", 0, 200)
    page = lines_claimed(Assembly((box(Category.TEXT, inside),), (inside, outside)))
    assert told(page) == [(Category.TEXT, "inside")]
    assert page.lines == (outside,)


def test_strays_are_placed_by_paragraphs() -> None:
    top, bottom = box(Category.TEXT, line("top", 0, 0)), box(Category.TEXT, line("bottom", 0, 100))
    lost = line("lost", 0, 40, block=1), line("words", 0, 52, block=1), line("end", 0, 140, block=2)
    page = strays_placed(Assembly((top, bottom), lost))
    assert [words for _, words in told(page)] == ["top", "lost / words", "bottom", "end"]
    assert page.lines == ()


def test_columns_are_parted_and_all_boxes_ordered_anew() -> None:
    columns = [line(f"{side} {y}", x, y) for y in (10, 22, 34) for side, x in (("left", 0), ("right", 110))]
    below = box(Category.TEXT, line("left below", 0, 60))
    page = columns_parted(Assembly((box(Category.TEXT, *columns), below)))
    words = [words for _, words in told(page)]
    assert words[0] == "left 10 / left 22 / left 34"
    assert sorted(words[1:]) == ["left below", "right 10 / right 22 / right 34"]
    calm = Assembly((below, box(Category.TEXT, *PROSE)))
    assert columns_parted(calm) is calm, "nothing to part: the order stays the layout's"


def test_a_box_over_the_lines_of_another_one_is_cut_to_its_own() -> None:
    left = [line(f"left {row}", 0, 12 * row, 200) for row in range(4)]
    right = [line(f"right {row}", 220, 12 * row, 200) for row in range(4)]
    wide = replace(box(Category.TEXT, *left), bbox=BBox(0, 0, 430, 46))
    page = covering_boxes_cut(Assembly((wide, box(Category.TEXT, *right))))
    assert [round(one.bbox.x1) for one in page.boxes] == [200, 420]
    assert covering_boxes_cut(Assembly((wide,))).boxes == (wide,)


def test_program_text_between_the_lines_of_a_paragraph_is_parted() -> None:
    code = [line(text, 0, y, even=len(text)) for y, text in ((20, "x = 1"), (34, "y = x"))]
    page = listings_parted(Assembly((box(Category.TEXT, line("Then write", 0, 6), *code, line("and run.", 0, 48)),)))
    assert [words for _, words in told(page)] == ["Then write", "x = 1 / y = x", "and run."]


def test_contents_become_items() -> None:
    rows = [line(f"{n} Title . . . . . . {3 * n}", 0, 12 * n, 300) for n in range(1, 5)]
    for category in (Category.TABLE, Category.TEXT):
        assert [kind for kind, _ in told(contents_itemised(Assembly((box(category, *rows),))))] == [
            Category.LIST_ITEM
        ] * len(rows)


def unclaimed(*boxes: LayoutBox) -> Assembly:
    """A page whose ``boxes`` have not got their lines yet."""
    lines = tuple(line for box in boxes for line in box.lines)
    return Assembly(tuple(replace(one, lines=()) for one in boxes), lines)


def assembled(page: Assembly, steps: Sequence[Step] = STEPS) -> list[tuple[Category, str]]:
    for step in steps:
        page = step(page)
    return told(page)


def with_late(step: Step, after: Step) -> list[Step]:
    """The steps with ``step`` right after a later one."""
    rest = [one for one in STEPS if one is not step]
    rest.insert(rest.index(after) + 1, step)
    return rest


def column(side: str, x: float, rows: Sequence[int] = range(1, 6)) -> list[TextLine]:
    return [line(f"{side}{row}", x, 14 * row, 140) for row in rows]


TYPED = [line("Note", 0, 0), *(line("words " * 20, 0, 14 * row, even=100) for row in range(1, 4))]
CODE = [line("Write", 160, 14), *(line(f"x = {row}", 160, 14 * row, even=3) for row in range(2, 6))]
CONTENTS = [line(f"{n} Title . . . . . . {3 * n}", 0, 12 * n, 300) for n in range(1, 5)]
ENTRIES = [
    line(f"{name} . . . . . . {3 * n}", 0, 12 * n, 300) for n, name in enumerate(("Tides", "Moors", "Rain", "Ice"))
]
TOLD = FoundTable(BBox(0, 0, 300, 22), "<table><tr><td>Tides 0</td></tr><tr><td>Moors 3</td></tr></table>")
CHART = [line(str(number), 330, 14 + 40 * number, 12) for number in range(5)]
HEADED = box(
    Category.TEXT,
    *[replace(one, bbox=replace(one.bbox, x0=one.bbox.x0 + 310, x1=one.bbox.x1 + 310)) for one in HEAD + PROSE],
)


@pytest.mark.parametrize(
    ("step", "after", "page", "why"),
    [
        (
            typewriting_unmarked,
            lines_claimed,
            unclaimed(box(Category.TEXT, *TYPED)),
            "a typed letter is parted like program text",
        ),
        (
            bullets_joined,
            lines_claimed,
            unclaimed(box(Category.TEXT, line("item", 12, 0)), box(Category.TEXT, line("•", 0, 0, 5))),
            "a bullet is a paragraph of its own",
        ),
        (
            columns_parted,
            covering_boxes_cut,
            unclaimed(
                box(Category.TEXT, *column("l", 0, [1, 2, 4, 5]), *column("r", 160)),
                box(Category.SECTION_HEADER, line("Heading", 0, 42, 60)),
            ),
            "a paragraph beside a heading is cut into its lines",
        ),
        (
            columns_parted,
            listings_parted,
            unclaimed(box(Category.TEXT, *column("l", 0), *CODE)),
            "program text with a column beside it is not seen",
        ),
        (
            contents_itemised,
            tables_settled,
            unclaimed(replace(box(Category.TABLE, *ENTRIES), members=(ENTRIES[0].bbox, ENTRIES[3].bbox), table=TOLD)),
            "contents that are in no cell are text",
        ),
    ],
)
def test_a_step_that_came_later_would_do_harm(step: Step, after: Step, page: Assembly, why: str) -> None:
    assert assembled(page) != assembled(page, with_late(step, after)), why
