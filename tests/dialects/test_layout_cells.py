from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import Category
from docspec.dialects.layout_cells import LayoutCell, is_layout_beginning, parse_cells, render_cell, render_cells

from ..patience import within

ANSWER = (
    '[{"bbox": [140, 141, 536, 175], "category": "Title", "text": "# The \\"Lamp\\" — past"}, '
    '{"bbox": [140, 197, 1004, 257], "category": "Text", "text": "Lamps were lit\\nat dusk."}, '
    '{"bbox": [176, 340, 1045, 538], "category": "List-item", "text": "* Oil.\\n* Gas: {\\"bbox\\": no}"}, '
    '{"bbox": [140, 600, 900, 800], "category": "Picture"}, '
    '{"bbox": [140, 820, 900, 990], "category": "Table", "text": "<table><tr><td>Year</td></tr></table>"}, '
    '{"bbox": [300, 1000, 700, 1040], "category": "Formula", "text": "$$\\\\frac{a}{b}$$"}]'
)

writable = st.text(st.characters(codec="utf-8", exclude_characters="\b\f\r\t"))  # see latex_escapes
boxes = st.tuples(*[st.integers(-9, 5000)] * 4)
cells = st.builds(
    LayoutCell,
    boxes | st.none(),
    st.sampled_from([c.value for c in Category]) | st.text(max_size=9),
    writable | st.none(),
)


@settings(deadline=None)
@given(st.lists(cells))
def test_what_was_rendered_is_parsed_back_equal(written: list[LayoutCell]) -> None:
    assert parse_cells(render_cells(written)) == tuple(written)


@settings(deadline=None)
@given(
    st.lists(
        st.builds(LayoutCell, boxes, st.sampled_from(list(Category)).map(str), writable),
        min_size=1,
        max_size=4,
        unique=True,
    )
)
def test_prose_around_the_list_changes_no_cell_and_is_kept(written: list[LayoutCell]) -> None:
    found = parse_cells(f"Here it is:\n```json\n{render_cells(written)}\n```\nDone.")
    assert found == (LayoutCell(None, "Text", "Here it is:"), *written, LayoutCell(None, "Text", "Done."))


def test_a_regular_answer_is_rendered_back_byte_for_byte() -> None:
    assert render_cells(parse_cells(ANSWER)) == ANSWER


def test_rendering_is_what_json_dumps_writes() -> None:
    cell = LayoutCell((1, 2, 3, 4), "Text", 'é "q" \\ \n\x01')
    fields = {"bbox": [1, 2, 3, 4], "category": "Text", "text": cell.text}
    assert render_cell(cell) == json.dumps(fields, ensure_ascii=False)
    assert render_cell(LayoutCell((1, 2, 3, 4), "Picture")) == '{"bbox": [1, 2, 3, 4], "category": "Picture"}'


@pytest.mark.parametrize("fence", ["", "```json\n"])
def test_cut_off_anywhere_keeps_complete_cells_and_what_the_last_one_says(fence: str) -> None:
    whole = parse_cells(ANSWER)
    ends = [len(render_cells(whole[: count + 1])) - 1 for count in range(len(whole))]
    for cut in range(len(ANSWER)):
        found = parse_cells(fence + ANSWER[:cut])
        complete = sum(end <= cut for end in ends)
        assert found[:complete] == whole[:complete]
        assert len(found) <= complete + 1
        if len(found) > complete:
            last, true = found[-1], whole[complete]
            assert (last.bbox, last.category) == (true.bbox, true.category)
            assert (true.text or "").startswith(last.text or "")
        if not found:
            assert is_layout_beginning(fence + ANSWER[:cut])


def test_a_partial_text_is_kept() -> None:
    cut = ANSWER[: ANSWER.index("dusk")]
    assert parse_cells(cut)[-1].text == "Lamps were lit\nat"


@settings(deadline=None)
@given(st.text() | st.text(st.sampled_from('[]{}",:\\bboxcategorytext 019.-`\n')))
def test_no_text_makes_the_parser_fail(text: str) -> None:
    parse_cells(text)


@settings(deadline=None)
@given(st.data())
def test_no_damage_makes_the_parser_fail(data: st.DataObject) -> None:
    text = ANSWER
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text)))
        end = min(len(text), at + data.draw(st.integers(0, 30)))
        text = text[:at] + data.draw(st.text(st.sampled_from('[]{}",:\\ux9'), max_size=3)) + text[end:]
    parse_cells(text)


TEXTS = [
    *("@ @ @", "## @ @", 'He said @ and "@", @', "$\\\\alpha @ + \\\\frac{@}{@}$", "@\n@", "- @\n- @"),
    *("@, {@: @}", '[@] @, "@": @', "<table><tr><td>@</td><td>@</td></tr></table>"),
]


@settings(deadline=None, max_examples=80, derandomize=True)
@given(st.data())
def test_no_damage_to_the_punctuation_loses_a_word(data: st.DataObject) -> None:
    names = iter(range(99))
    kinds = st.tuples(st.sampled_from(list(Category)), st.sampled_from(TEXTS))
    written = data.draw(st.lists(kinds, min_size=1, max_size=5))
    text = render_cells(
        LayoutCell((10, row, 90, row + 40), category, "".join(f"word{next(names)}x" if c == "@" else c for c in text))
        for row, (category, text) in enumerate(written)
    )
    if data.draw(st.booleans()):
        text = text.replace('\\"', '"').replace("\\\\", "\\")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.sampled_from([i for i, char in enumerate(text) if not char.isalnum()]))
        text = text[:at] + data.draw(st.sampled_from(["", *"\"{}]\\,:`'"])) + text[at + 1 :]
    found = "\n".join(cell.text or "" for cell in parse_cells(text)) or text  # without a cell all of it is Markdown
    assert [word for word in re.findall(r"word\d+x", text) if word not in found] == []


def single(text: str) -> LayoutCell:
    (cell,) = parse_cells(text)
    return cell


def test_quotes_that_were_not_escaped_stay_in_the_text() -> None:
    text = '[{"bbox": [1, 2, 3, 4], "category": "Text", "text": "he said "no", and "yes" too"}]'
    assert single(text).text == 'he said "no", and "yes" too'


def test_a_missing_closing_quote_costs_no_other_cell() -> None:
    text = (
        '[{"bbox": [1, 2, 3, 4], "category": "Text", "text": "first}, '
        '{"bbox": [5, 6, 7, 8], "category": "Text", "text": "second"}]'
    )
    assert [cell.text for cell in parse_cells(text)] == ["first", "second"]


def test_missing_commas_are_accepted() -> None:
    text = (
        '[{"bbox": [1, 2, 3, 4] "category": "Text" "text": "a"} '
        '{"bbox": [5, 6, 7, 8], "category": "Title", "text": "b"}'
    )
    assert parse_cells(text) == (LayoutCell((1, 2, 3, 4), "Text", "a"), LayoutCell((5, 6, 7, 8), "Title", "b"))


def test_missing_braces_between_cells_are_accepted() -> None:
    text = (
        '[{"bbox": [1, 2, 3, 4], "category": "Text", "text": "a", '
        '{"bbox": [5, 6, 7, 8], "category": "Text", "text": "b"}]'
    )
    assert [cell.text for cell in parse_cells(text)] == ["a", "b"]


@pytest.mark.parametrize("tail", ["}]", "}"])
def test_texts_of_a_repeated_key_are_joined(tail: str) -> None:
    text = '[{"bbox": [1, 2, 3, 4], "category": "Text", "text": "a", "text": "b"' + tail
    assert single(text).text == "a\nb"


def test_unescaped_latex_and_line_breaks_stay_text() -> None:
    text = '[{"bbox": [1, 2, 3, 4], "category": "Formula", "text": "$$\\alpha +\n\\sum$$"}]'
    assert single(text).text == "$$\\alpha +\n\\sum$$"


def test_single_quoted_keys_are_accepted() -> None:
    assert single("[{'bbox': [1, 2, 3, 4], 'category': 'Title', 'text': \"a\"}]") == LayoutCell(
        (1, 2, 3, 4), "Title", "a"
    )


@pytest.mark.parametrize("box", ["[1, 2, 3]", "[1, 2, 3, 4, 5]", "null", '"here"', "[1, 2, 3, 1e999]", "[]"])
def test_an_impossible_box_costs_the_box_only(box: str) -> None:
    for tail in ("}]", "}"):
        cell = single(f'[{{"bbox": {box}, "category": "Text", "text": "a"{tail}')
        assert cell == LayoutCell(None, "Text", "a")


def test_text_under_another_key_is_kept() -> None:
    for tail in ("}]", "}"):
        text = '[{"bbox": [1, 2, 3, 4], "category": "Table", "score": 0.9, "html": "<table>", "caption": "T"' + tail
        assert single(text) == LayoutCell((1, 2, 3, 4), "Table", "<table>\nT")


def test_cells_within_cells_and_strings_beside_them_are_kept() -> None:
    text = '["a", {"category": "Text", "text": ["b", "c"], "more": [{"category": "Title", "text": "d"}]}, "e"]'
    assert [cell.text for cell in parse_cells(text)] == ["a", "b\nc", "d", "e"]


def test_text_between_broken_cells_is_kept() -> None:
    text = '[{"category": "Text", "text": "a"}, stray words {"category": "Text", "text": "b"} 12, {"bbo'
    assert [cell.text for cell in parse_cells(text)] == ["a", "stray words", "b", "12"]


def test_cells_repeated_in_broken_json_are_read_once() -> None:
    cell = '{"bbox": [1, 2, 3, 4], "category": "Text", "text": "a"}'
    other = cell.replace("4]", "5]")
    assert [c.bbox for c in parse_cells(f"[{cell}, {other}, {cell}, {cell[:-2]}")] == [(1, 2, 3, 4), (1, 2, 3, 5)]
    assert len(parse_cells(f"[{cell}, {other}, {cell}]")) == 3


@pytest.mark.parametrize("broken", ["", "\\alpha "])
def test_latex_that_json_takes_for_controls_is_put_back(broken: str) -> None:
    text = f'[{{"category": "Formula", "text": "{broken}\\frac{{a}}{{b}} \\times \\beta \\rho \\nabla\\n x"}}]'
    assert single(text).text == f"{broken}\\frac{{a}}{{b}} \\times \\beta \\rho \\nabla\n x"
    text = '[{"category": "Text", "text": "a\\tau\\n$b \\theta$ \\fbox{c}"}]'
    assert single(text).text == "a\tau\n$b \\theta$ \\fbox{c}"


def test_unknown_keys_are_ignored() -> None:
    for tail in ("}]", "}"):
        text = '[{"bbox": [1, 2, 3, 4], "category": "Text", "score": 0.9, "text": "a", "lang": "en"' + tail
        assert single(text) == LayoutCell((1, 2, 3, 4), "Text", "a")


def test_a_wrapped_list_is_found() -> None:
    assert parse_cells(f'{{"layout": {ANSWER}}}') == parse_cells(ANSWER)


def test_a_surrogate_pair_is_one_character_even_in_broken_json() -> None:
    assert single('[{"bbox": [1, 2, 3, 4], "category": "Text", "text": "\\ud83d\\ude00 x').text == "😀 x"


@pytest.mark.parametrize(
    "loop", ["[", '{"text":', '{"bbox": [1', '{"text": "', "\\\\", '"', '{"category": "Text", ', " ", '" ', '"} ']
)
def test_a_repetition_loop_is_parsed_in_linear_time(loop: str) -> None:
    with within(2):
        parse_cells('[{"bbox": [1, 2, 3, 4], "category": "Text", "text": "' + loop * 10_000)
        parse_cells(loop * 10_000)


def test_prose_is_not_the_beginning_of_a_layout() -> None:
    assert not is_layout_beginning("[1] A. Author")
    assert not is_layout_beginning("A page.")
    assert is_layout_beginning("[]")
