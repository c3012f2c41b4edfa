from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import Category
from docspec.dialects.markdown_blocks import join_blocks, parse_blocks, unpacked

from ..patience import within

PIECES = [
    *("# Title\n", "## Part\n", "text ", "two\nlines\n", "\n\n", "\n", "\r\n", "\t", "\u2028"),
    *("- item\n", "  * nested\n", "12. twelve\n", "(a) alpha\n", "---\n", "***\n"),
    *("| a | b |\n| --- | --- |\n", "| 1 | 2 |\n", "|x| < 3\n", "a | b\n", "--- | ---\n"),
    *("<table>", "<tr><td>x</td></tr>", "</table>", "</table", "<TABLE border=1>\n"),
    *("$$", "$$\nx\n$$\n", "\\[ x \\]\n", "\\begin{align}\n", "\\end{align}\n"),
    *("![cat](cat.png)\n", "![cat](", "<!-- image -->\n", "```python\n", "```\n", "~~~"),
]


def parsed(text: str) -> list[tuple[Category, str]]:
    return [(block.category, block.text) for block in parse_blocks(text)]


def without_space(text: str) -> str:
    return "".join(text.split())


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_parsing_what_was_joined_gives_the_same_text_again(text: str) -> None:
    once = join_blocks(parsed(text))
    assert without_space(join_blocks(parsed(once))) == without_space(unpacked(once))


def test_every_construct_becomes_its_category() -> None:
    text = (
        "# A title\n\n## A section\nA paragraph\nof two lines\n- first\n- second\n  - nested\n\n"
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n<table>\n<tr><td>x</td></tr>\n\n</table>\n\n"
        "$$\nx^2\n$$\n\n\\[y\\] (3)\n\n![fig](f.png)\n\n```python\n# no heading\n\n- no item\n```\nEnd"
    )
    assert parsed(text) == [
        (Category.TITLE, "# A title"),
        (Category.SECTION_HEADER, "## A section"),
        (Category.TEXT, "A paragraph\nof two lines"),
        (Category.LIST_ITEM, "- first"),
        (Category.LIST_ITEM, "- second"),
        (Category.LIST_ITEM, "  - nested"),
        (Category.TABLE, "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        (Category.TABLE, "<table>\n<tr><td>x</td></tr>\n\n</table>"),
        (Category.FORMULA, "$$\nx^2\n$$"),
        (Category.FORMULA, "\\[y\\] (3)"),
        (Category.PICTURE, "![fig](f.png)"),
        (Category.TEXT, "```python\n# no heading\n\n- no item\n```"),
        (Category.TEXT, "End"),
    ]


def test_list_items_join_by_single_line_breaks_and_blocks_by_blank_lines() -> None:
    pieces = [(Category.TEXT, "a"), (Category.LIST_ITEM, "- b"), (Category.LIST_ITEM, "- c"), (Category.TEXT, "d")]
    assert join_blocks(pieces) == "a\n\n- b\n- c\n\nd"
    assert parsed(join_blocks(pieces)) == pieces


def test_text_around_a_table_on_the_same_line_stands_apart() -> None:
    assert parsed("See <table><tr><td>1</td></tr></table> here") == [
        (Category.TEXT, "See"),
        (Category.TABLE, "<table><tr><td>1</td></tr></table>"),
        (Category.TEXT, "here"),
    ]


def test_a_nested_table_stays_inside_the_outer_one() -> None:
    text = "<table><tr><td><table><tr><td>1</td></tr></table></td></tr></table>"
    assert parsed(text + "\n\nafter") == [(Category.TABLE, text), (Category.TEXT, "after")]


def test_a_table_that_never_ends_does_not_swallow_the_page() -> None:
    assert parsed("<table><tr><td>1\n\nA paragraph")[1] == (Category.TEXT, "A paragraph")


@pytest.mark.parametrize("text", ["<table><tr><td>1", "| a | b |\n| --- | --- |\n| 1", "$$\nx +", "## Hea", "- it"])
def test_cut_off_constructs_keep_their_category(text: str) -> None:
    assert [block.text for block in parse_blocks(text)] == [text]
    assert parse_blocks(text)[0].category is not Category.TEXT


@pytest.mark.parametrize(
    "text",
    [
        "$$x$$ is a formula and this is text",
        "|x| is at most 3",
        "in the year\n2004. Then",
        "#hashtag",
        "*emphasis* first",
        "-5",
    ],
)
def test_what_only_looks_like_a_construct_is_a_paragraph(text: str) -> None:
    assert parsed(text) == [(Category.TEXT, text)]


def test_a_fence_around_the_whole_answer_is_packaging() -> None:
    assert parsed("```markdown\n# A\n\ntext\n```\n") == [(Category.TITLE, "# A"), (Category.TEXT, "text")]
    assert parsed("```markdown\n# A\n\ntex") == [(Category.TITLE, "# A"), (Category.TEXT, "tex")]


@pytest.mark.parametrize(
    "loop", ["\n", " ", "| ", "<table>", "$$", "- ", "*", "a|b\n", "```\n", "<td>", "\\[", "\\[ a\n"]
)
def test_a_repetition_loop_is_parsed_in_linear_time(loop: str) -> None:
    with within(2):
        parse_blocks("```markdown\n" + loop * 20_000 + "\n\nx")
