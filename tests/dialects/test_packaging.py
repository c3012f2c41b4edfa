from __future__ import annotations

import pytest

from docspec.dialects.markdown_blocks import unpacked, without_fence

from ..patience import within

PAGE = "# A\n\ntext\n"


@pytest.mark.parametrize("language", ["", "markdown", "md", "html", "HTML", "latex", " json ", "text"])
@pytest.mark.parametrize("end", ["```", "```\n\n", ""])
def test_a_fence_around_the_whole_answer_is_dropped(language: str, end: str) -> None:
    assert unpacked(f"\n```{language}\n{PAGE}{end}") == PAGE
    assert unpacked(f"~~~~{language}\r\n{PAGE}{end and '~~~~'}") == PAGE


@pytest.mark.parametrize(
    "page",
    [
        PAGE,
        "```python\nx\n```\n",
        "```\nx\n```\nand more",
        "```html\n<p>\n```\nbetween\n```html\n<p>\n```\n",
        "``` two words\nx\n```",
        "`code`",
        "text\n```markdown\nx\n```",
        "````markdown",
    ],
)
def test_a_fence_that_is_part_of_the_page_is_kept(page: str) -> None:
    assert unpacked(page) == page


@pytest.mark.parametrize("inner", ["```python\nx\n```\n", "```\nx\n```\n", "```python\nx\n```\ny\n```\nz\n```\n"])
@pytest.mark.parametrize("end", ["", "```\n"])
def test_fences_inside_the_outer_one_stay(inner: str, end: str) -> None:
    assert unpacked(f"```markdown\na\n{inner}{end}") == f"a\n{inner}"


def test_an_answer_cut_off_inside_an_inner_fence_is_whole() -> None:
    assert unpacked("```markdown\na\n```python\nx = 1") == "a\n```python\nx = 1"


@pytest.mark.parametrize("fence", ["", "```markdown\n"])
def test_thoughts_are_dropped(fence: str) -> None:
    assert unpacked(f"<think>\nIt says ```x\n</think>\n\n{fence}{PAGE}").strip() == PAGE.strip()
    assert unpacked(f"It says so.\n</think>\n\n{fence}{PAGE}").strip() == PAGE.strip()
    assert unpacked("<think>\nIt is a letter that") == ""


@pytest.mark.parametrize(
    "page", ["Write `</think>` at the end.", "The tags <think>...</think>\nare special.", "a </think> b"]
)
def test_a_page_about_thoughts_is_kept(page: str) -> None:
    assert unpacked(page) == page


@pytest.mark.parametrize("loop", ["```\n", "```html\n", "```html\nx\n```\n", "<think>", "</think>", " "])
def test_a_repetition_loop_is_unpacked_in_linear_time(loop: str) -> None:
    with within(2):
        unpacked(loop * 30_000 + "x")
        without_fence(loop * 30_000)


def test_front_matter_of_olmocr_is_not_part_of_the_page() -> None:
    front = "---\nprimary_language: en\nis_rotation_valid: True\nrotation_correction: 0\nis_table: False\n---\n"
    assert unpacked(front + "The page.\n") == "The page.\n"
    assert unpacked(front.rstrip("\n")) == ""
    for page in ("---\ntitle: x\n---\nA page", "---\nprimary_language: en\nand so on", f"Text\n\n{front}"):
        assert unpacked(page) == page
