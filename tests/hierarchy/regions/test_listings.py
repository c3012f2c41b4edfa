"""Program text is given as it stands on the page, and not a letter of it is lost."""

from __future__ import annotations

from pathlib import Path

import pymupdf
from hypothesis import given
from hypothesis import strategies as st

from docspec import ParseOptions, Parser
from docspec.core import BBox, Block, Category, PrintedLine, Region
from docspec.hierarchy.regions.joining import joined_blocks, listing_text, region_text
from docspec.hierarchy.regions.slices import SIDE, Slice

CODE = ["def height(tide):", "    # a keeper's", "    if tide.turns:", "        return table[tide]", "", "height(now)"]


PRINTED = [PrintedLine(BBox(50, 0, 200, 16), "def height(now)"), PrintedLine(BBox(50, 24, 140, 40), "# a while")]
"""Letters of ten pixels."""


def place(line: str, row: int, letter: float = 10.0) -> BBox:
    """Where ``line`` stands in the given row, rows of 24 pixels."""
    indent, text = len(line) - len(line.lstrip()), line.strip()
    return BBox(50 + letter * indent - SIDE, 24 * row, 50 + letter * (indent + len(text)) + SIDE, 24 * row + 16)


def test_lines_stand_where_they_stand_on_the_page() -> None:
    rows = [(line.strip(), place(line, row)) for row, line in enumerate(CODE) if line]
    assert listing_text(PRINTED, rows) == "\n".join(["```", *CODE, "```"])


def test_a_heading_in_a_listing_is_none_but_a_comment_is() -> None:
    lines = [("## if turned:", place("if turned:", 0)), ("wait()", place("wait()", 1))]
    assert listing_text(PRINTED[:1], lines) == "```\nif turned:\nwait()\n```"
    assert listing_text(PRINTED, [("# a while", place("# a while", 0))]) == "```\n# a while\n```"


def test_a_line_in_two_crops_is_one() -> None:
    left, right = place("return", 0), place(" " * 7 + "table[tide]", 0)
    pieces = [("return", Slice(left, 1.0)), ("table[tide]", Slice(right, 1.0, beside=True))]
    region = Region(BBox(0, 0, 300, 40), Category.TEXT, listing=True)
    assert region_text(region, pieces) == "```\nreturn table[tide]\n```"


def test_what_the_reader_calls_a_table_is_none() -> None:
    region = Region(BBox(0, 0, 300, 40), Category.TABLE, listing=True)
    assert region_text(region, [("| a |\n|---|\n| b |", Slice(region.bbox, 1.0))]) == "| a |\n|---|\n| b |"


def test_what_a_reader_of_several_lines_wrote_is_left_as_it_is() -> None:
    whole = BBox(0, 0, 400, 200)
    assert listing_text(PRINTED, [("\n".join(CODE), whole)]) == "\n".join(["```", *CODE, "```"])
    fenced = "```python\nprint()\n```"
    assert listing_text(PRINTED, [(fenced, whole)]) == fenced


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=30),
            st.tuples(*[st.floats(0, 2000)] * 4),
        ),
        max_size=8,
    ),
    st.sampled_from([PRINTED, []]),
)
def test_no_letter_is_lost_and_no_fence_ends_too_soon(
    rows: list[tuple[str, tuple[float, ...]]], printed: list[PrintedLine]
) -> None:
    lines = [(line, BBox(min(a, c), min(b, d), max(a, c), max(b, d))) for line, (a, b, c, d) in rows]
    text = listing_text(printed, lines)
    wanted = "".join("".join(line.split()) for line, _ in rows)
    if not wanted:
        assert text == ""
    elif not wanted.startswith("```"):
        fence, *inside, end = text.split("\n")
        assert set(fence) == {"`"} and end == fence and not any(fence in line for line in inside)
        assert "".join("".join(line.split()) for line in inside) == wanted


def test_text_does_not_go_on_behind_a_listing() -> None:
    blocks = [
        Block(Category.TEXT, "as follows:"),
        Block(Category.TEXT, "```\nturn()\n```"),
        Block(Category.TEXT, "where it"),
    ]
    assert joined_blocks(blocks) == blocks


def test_the_bundled_reader_keeps_the_lines_of_a_listing(tmp_path: Path) -> None:
    path = tmp_path / "tides.pdf"
    code = ["while waiting:", "    if turned:", "        write height", "    wait"]
    with pymupdf.open() as document:
        page = document.new_page()
        for at in range(5):
            page.insert_text(
                (72, 80 + 14 * at), "The keeper writes down the height of the tide when it turns", fontname="tiro"
            )
        for at, line in enumerate(code):
            page.insert_text((90, 170 + 12 * at), line, fontname="cour", fontsize=10)
        document.save(path)
    with Parser(ParseOptions(read="regions")) as parser:
        (result,) = parser.parse(path)
    assert "\n\n" + "\n".join(["```", *code, "```"]) in result.text
