"""Underscores that are drawn as short rules, as TeX does where its fonts have none."""

from __future__ import annotations

import pymupdf
import pytest

from docspec.drafting.page_lines import page_lines

SIZE = 10.0


def lines(*pieces: str, rule: tuple[float, float] = (0.3, 0.0), gap: float = 0.36) -> list[str]:
    """What is told of ``pieces`` beside each other with a rule of so many sizes between each two, so far below their
    baseline."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        x = 60.0
        for number, piece in enumerate(pieces):
            if number:
                start = x + (gap - rule[0]) * SIZE
                y = 100 + rule[1] * SIZE
                page.draw_line((start, y), (start + rule[0] * SIZE, y), width=0.4)
                x += gap * SIZE
            page.insert_text((x, 100), piece, fontsize=SIZE)
            x += pymupdf.get_text_length(piece, fontsize=SIZE)
        page.insert_text((60, 130), "The commit is stored beside it.", fontsize=SIZE)
        return [line.text for line in page_lines(page)]


@pytest.mark.parametrize("below", [0.0, 0.06, 0.2])
def test_a_short_rule_between_two_words_is_an_underscore(below: float) -> None:
    assert lines("the base", "commit field", rule=(0.3, below))[0] == "the base_commit field"
    assert lines("created", "at", "day", rule=(0.3, below))[0] == "created_at_day"


@pytest.mark.parametrize(
    ("rule", "gap"),
    [
        ((0.3, -0.3), 0.36),  # a minus, a dash
        ((2.0, 0.1), 2.2),  # a place to fill in
        ((0.3, 0.1), 1.5),  # words far apart
        ((0.3, 0.6), 0.36),  # of another line
    ],
)
def test_other_rules_are_none(rule: tuple[float, float], gap: float) -> None:
    assert not any("_" in line for line in lines("the base", "commit field", rule=rule, gap=gap))


def test_the_first_piece_of_an_underline_is_none() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 100), "refer to", fontsize=SIZE)
        start = 60 + pymupdf.get_text_length("refer to", fontsize=SIZE)
        page.insert_text((start + 3, 100), "the assistance", fontsize=SIZE)
        page.draw_line((start, 101), (start + 3, 101), width=0.5)
        page.draw_line((start + 3, 101), (start + 80, 101), width=0.5)
        assert [line.text for line in page_lines(page)] == ["refer to the assistance"]
