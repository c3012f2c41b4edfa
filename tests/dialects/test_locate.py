from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import BBox, Block, Category, PageDraft, Region
from docspec.dialects.locate import _increasing, attach_boxes

from ..patience import within

FIRST = "The house stood at the end of the road, and they were all there in the morning."
SECOND = "A second paragraph speaks about ships, harbours and the long way home."
THIRD = "Finally nobody remembered the name of the lamp that burned on the quay."


def region(row: int, category: Category, *texts: str) -> Region:
    return Region(BBox(0, 100 * row, 500, 100 * row + 90), category, texts)


def draft(*regions: Region) -> PageDraft:
    return PageDraft(regions)


def rows(blocks: tuple[Block, ...]) -> list[int | None]:
    """The row of each block's box, as given to `region`."""
    return [None if block.bbox is None else round(block.bbox.y0 / 100) for block in blocks]


def text(content: str, category: Category = Category.TEXT) -> Block:
    return Block(category, content)


def test_blocks_get_the_box_of_the_region_with_their_text_though_misread() -> None:
    drafted = draft(
        region(0, Category.TEXT, FIRST.replace("e", "c").upper()),
        region(1, Category.TEXT, SECOND.replace("rr", "n").replace(" ", "\n")),
    )
    found = attach_boxes([text(FIRST), text(f"**{SECOND}**")], drafted)
    assert rows(found) == [0, 1]
    assert [block.bbox_from for block in found] == ["draft", "draft"]
    assert [block.text for block in found] == [FIRST, f"**{SECOND}**"]


def test_a_block_without_counterpart_stays_without_a_box() -> None:
    found = attach_boxes(
        [text(FIRST), text(THIRD)], draft(region(0, Category.TEXT, FIRST), region(1, Category.TEXT, SECOND))
    )
    assert rows(found) == [0, None]
    assert found[1] == text(THIRD)


def test_repeated_texts_are_told_apart_by_their_order() -> None:
    drafted = draft(
        *(region(row, Category.TEXT, t) for row, t in enumerate(["Total", FIRST, "Total", SECOND, "Total"]))
    )
    found = attach_boxes([text(FIRST), text("Total"), text(SECOND), text("Total")], drafted)
    assert rows(found) == [1, 2, 3, 4]


def test_no_region_serves_two_blocks_of_the_same_text() -> None:
    assert rows(attach_boxes([text(FIRST), text(FIRST)], draft(region(0, Category.TEXT, FIRST)))) == [0, None]


def test_another_reading_order_is_still_located() -> None:
    drafted = draft(*(region(row, Category.TEXT, t) for row, t in enumerate([FIRST, SECOND, THIRD])))
    assert rows(attach_boxes([text(THIRD), text(FIRST), text(SECOND)], drafted)) == [2, 0, 1]


def test_a_block_that_merges_regions_gets_the_box_around_them() -> None:
    drafted = draft(region(0, Category.TEXT, FIRST), region(1, Category.TEXT, SECOND), region(2, Category.TEXT, THIRD))
    found = attach_boxes([text(f"{FIRST} {SECOND}"), text(THIRD)], drafted)
    assert found[0].bbox == BBox(0, 0, 500, 190)
    assert rows(found) == [0, 2]


def test_the_items_of_one_drafted_list_share_its_box() -> None:
    items = ["- the first of the items", "- another item follows it", "- the last of these items"]
    drafted = draft(region(0, Category.TEXT, FIRST), region(1, Category.LIST_ITEM, "\n".join(items)))
    found = attach_boxes([text(FIRST), *(text(item, Category.LIST_ITEM) for item in items)], drafted)
    assert rows(found) == [0, 1, 1, 1]


def test_short_texts_must_agree_better_than_long_ones() -> None:
    assert rows(attach_boxes([text("13")], draft(region(0, Category.PAGE_FOOTER, "12")))) == [None]
    assert rows(attach_boxes([text("Table 4")], draft(region(0, Category.CAPTION, "Table 2")))) == [None]


def test_pictures_and_formulas_are_located_by_their_place_among_neighbours() -> None:
    drafted = draft(
        region(0, Category.TEXT, FIRST),
        region(1, Category.PICTURE),
        region(2, Category.FORMULA, "∑ xᵢ"),
        region(3, Category.TEXT, SECOND),
        region(4, Category.PICTURE),
    )
    blocks = [
        text(FIRST),
        text("![](a.png)", Category.PICTURE),
        text("$$\\sum_i x_i$$", Category.FORMULA),
        text(SECOND),
    ]
    assert rows(attach_boxes(blocks, drafted)) == [0, 1, 2, 3]


def test_tables_match_across_spellings() -> None:
    html = "<table><tr><td>Year</td><td>Oil lamps</td></tr><tr><td>1850</td><td>4000</td></tr></table>"
    found = attach_boxes(
        [text("| Year | Oil lamps |\n| --- | --- |\n| 1850 | 4000 |", Category.TABLE)],
        draft(region(3, Category.TABLE, html)),
    )
    assert rows(found) == [3]


def test_a_block_that_has_a_box_keeps_it_and_its_region() -> None:
    boxed = Block(Category.TEXT, "other words", BBox(0, 0, 500, 90), "model")
    found = attach_boxes([boxed, text(FIRST)], draft(region(0, Category.TEXT, FIRST)))
    assert found == (boxed, text(FIRST))


def test_without_regions_nothing_changes() -> None:
    assert attach_boxes([text(FIRST)], PageDraft()) == (text(FIRST),)
    assert attach_boxes([], draft(region(0, Category.TEXT, FIRST))) == ()


regions = st.builds(
    Region,
    st.tuples(st.integers(0, 90), st.integers(0, 90)).map(lambda p: BBox(p[0], p[1], p[0] + 9, p[1] + 9)),
    st.sampled_from(list(Category)),
    st.lists(st.sampled_from([FIRST, SECOND, FIRST + SECOND, "12", ""]) | st.text(max_size=30), max_size=2).map(tuple),
)
blocks = st.builds(
    Block, st.sampled_from(list(Category)), st.sampled_from([FIRST, SECOND, "12"]) | st.text(max_size=30)
)


@settings(deadline=None)
@given(st.lists(blocks, max_size=8), st.lists(regions, max_size=8))
def test_nothing_but_boxes_is_taken_from_the_draft(written: list[Block], drafted: list[Region]) -> None:
    found = attach_boxes(written, PageDraft(tuple(drafted)))
    assert [(b.category, b.text, b.gap) for b in found] == [(b.category, b.text, b.gap) for b in written]
    assert all((block.bbox is None) == (block.bbox_from == "none") for block in found)


def test_a_crowded_page_is_located_in_well_under_a_second() -> None:
    texts = [f"{FIRST} {row * 7919 % 1000} {SECOND[row % 40 :]}" * 3 for row in range(120)]
    drafted = draft(*(region(row, Category.TEXT, t) for row, t in enumerate(texts)))
    with within(2):
        found = attach_boxes([text(t) for t in texts], drafted)
    assert rows(found) == list(range(120))


def test_a_map_of_thousands_of_names_is_located_in_seconds() -> None:
    names = [f"{number * 7919 % 9973} Rue de la {SECOND[number % 50 : number % 50 + 9]}" for number in range(4000)]
    drafted = draft(*(region(row, Category.TEXT, t) for row, t in enumerate(names)))
    with within(2):
        found = attach_boxes([text(t) for t in names[:2000] + ["a name that is nowhere"] * 300 + names[2000:]], drafted)
    assert rows(found) == [*range(2000), *[None] * 300, *range(2000, 4000)]


@given(st.lists(st.integers(0, 30), unique=True, max_size=12))
def test_the_longest_rising_run_is_found(seconds: list[int]) -> None:
    pairs = list(enumerate(seconds))
    found = _increasing(pairs)
    assert set(found) <= set(pairs) and found == sorted(found) == sorted(found, key=lambda pair: pair[1])
    longest = [0] * len(seconds)
    for at, value in enumerate(seconds):
        longest[at] = 1 + max((longest[b] for b in range(at) if seconds[b] < value), default=0)
    assert len(found) == max(longest, default=0)
