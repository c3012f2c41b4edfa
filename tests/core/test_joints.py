"""A paragraph goes on in the next column or page only where its two parts are set alike and stand so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import BBox, Block, Category
from docspec.core.joints import continues, part_before

LEFT, RIGHT = BBox(40, 600, 290, 700), BBox(310, 80, 560, 140)
FIRST = Block(Category.TEXT, "The board met to look at the plans for the", LEFT, "draft", points=10.0)
REST = Block(Category.TEXT, "new quay wall, and went home.", RIGHT, "draft", points=10.0)
NOTE = Block(Category.TEXT, "* Letters go to the office at the", BBox(40, 720, 250, 735), "draft", points=8.0)


def joined(*blocks: Block) -> bool:
    """Whether the last of ``blocks`` goes on from the first one."""
    return part_before(blocks[:-1], blocks[-1]) == 0


def test_a_paragraph_goes_on_at_the_head_of_the_next_column_and_behind_a_picture() -> None:
    assert joined(FIRST, REST)
    picture = Block(Category.PICTURE, "", BBox(40, 710, 290, 800), "draft")
    below = replace(REST, bbox=BBox(40, 810, 290, 840))
    assert joined(FIRST, picture, below)
    assert joined(FIRST, picture, Block(Category.CAPTION, "Fig. 1. Of the", BBox(40, 800, 290, 808)), REST)


def test_text_right_below_goes_on_only_as_close_as_lines_of_a_paragraph_are() -> None:
    fax = Block(Category.TEXT, "phone (555) 23 78", BBox(40, 600, 150, 610), "draft", points=8.0)
    assert joined(fax, replace(fax, text="fax (555) 23 79", bbox=BBox(40, 611, 150, 621)))
    assert not joined(fax, replace(fax, text="fax (555) 23 79", bbox=BBox(40, 617, 150, 627)))


def test_a_sentence_does_not_go_on_over_a_line_of_program_text_that_it_speaks_of() -> None:
    code = replace(NOTE, text="set height", bbox=BBox(40, 712, 250, 722), points=9.0)
    below = replace(REST, bbox=BBox(40, 734, 290, 760))
    assert not joined(FIRST, code, below)
    assert joined(FIRST, replace(code, bbox=BBox(120, 712, 200, 722)), below), "a label of a chart"


def test_a_long_paragraph_goes_on_below_what_its_lines_go_around_and_a_short_line_does_not() -> None:
    first = replace(FIRST, text="of the board that met " * 6, bbox=BBox(40, 600, 190, 700))
    below = replace(REST, bbox=BBox(40, 702, 290, 712))
    assert part_before([first], below) == 0
    assert part_before([replace(first, text="Of the board")], below) is None


BETWEEN = [
    NOTE,
    replace(NOTE, text="Letters go to the office at the"),
    replace(NOTE, text="Percentage of time flow exceeded", points=0.0, words="recognition"),
    replace(NOTE, text="Tuesday, 3 May", points=10.0, running=False),
    replace(NOTE, text="Fig. 3. Flow of the", points=10.0),
    Block(Category.FOOTNOTE, "1 See the", NOTE.bbox, "draft", points=8.0),
]


@pytest.mark.parametrize("other", BETWEEN, ids=lambda block: block.text)
def test_nothing_goes_on_from_a_note_a_label_a_date_or_a_caption_and_over_them_a_paragraph_does(other: Block) -> None:
    first = replace(FIRST, words="text layer")
    rest = replace(REST, words="text layer")
    assert part_before([first, other], rest) == 0
    assert part_before([other], rest) is None


@pytest.mark.parametrize(
    "other",
    [
        Block(Category.SECTION_HEADER, "## Further", LEFT, "draft"),
        Block(Category.FORMULA, "$$a$$", LEFT, "draft"),
        replace(FIRST, text="A paragraph that is closed."),
    ],
    ids=lambda block: block.category.value,
)
def test_what_ends_the_text_before_ends_the_paragraph(other: Block) -> None:
    assert part_before([FIRST, other], REST) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (replace(FIRST, bbox=BBox(40, 600, 150, 610)), REST),  # a line that is not full: a name, a date, a label
        (FIRST, replace(REST, points=8.0)),
        (FIRST, replace(REST, text="New walls")),
        (FIRST, replace(REST, bbox=BBox(80, 720, 290, 760))),  # below it, indented
        (FIRST, replace(REST, category=Category.LIST_ITEM)),
        (FIRST, replace(REST, category=Category.CAPTION)),
        (replace(FIRST, text="1 Port Road\nEast"), REST),
        (FIRST, replace(REST, text="one\ntwo")),
        (replace(FIRST, text="```\nif a\n```"), REST),
        (replace(FIRST, bbox=BBox(310, 600, 560, 700)), replace(REST, bbox=BBox(310, 80, 560, 140))),  # above it
    ],
)
def test_parts_that_are_not_set_alike_or_do_not_follow_stay_apart(first: Block, second: Block) -> None:
    assert part_before([first], second) is None


def test_pages_of_two_sizes_are_compared_by_their_scale() -> None:
    small = replace(REST, bbox=BBox(100, 40, 500, 60))
    assert not continues(FIRST, small)
    assert continues(FIRST, small, 0.5)


@given(
    st.sampled_from(list(Category)),
    st.sampled_from(["open and", "closed.", "* note of", "Table 2: of", "a\nb"]),
    st.sampled_from([0.0, 8.0, 10.0]),
    st.sampled_from([LEFT, BBox(40, 600, 120, 700), RIGHT]),
    st.sampled_from([None, True, False]),
)
def test_only_open_body_text_of_one_size_is_gone_on_from(
    category: Category, text: str, points: float, box: BBox, running: bool | None
) -> None:
    first = Block(category, text, box, "draft", points=points, running=running)
    if part_before([first], REST) == 0:
        assert category.is_running_text and text == "open and" and points != 8.0 and box == LEFT
        assert running is not False
