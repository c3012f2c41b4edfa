"""Runs of text become printed lines."""

from __future__ import annotations

from dataclasses import replace

from docspec.core import BBox
from docspec.drafting.lines import TextLine, in_groups, join_lines, printed_lines, with_drop_caps


def line(text: str, x: float, y: float, width: float = 50, size: float = 10) -> TextLine:
    return TextLine(BBox(x, y, x + width, y + size), text, size)


def printed(*lines: TextLine) -> str:
    return join_lines(printed_lines(lines))


def test_runs_at_one_height_are_one_printed_line() -> None:
    assert printed(line("text of it", 30, 0), line("•", 0, 1, 5), line("next", 30, 14)) == "• text of it\nnext"


def test_tight_lines_stay_apart() -> None:
    assert printed(line("first", 0, 0), line("second", 0, 7), line("third", 0, 14)) == "first\nsecond\nthird"


def test_a_drop_cap_belongs_to_the_first_word_beside_it() -> None:
    cap = line("O", 0, 0, 25, size=24)
    assert printed(cap, line("ver the past", 30, 0), line("decades, pressure", 30, 12)) == (
        "Over the past\ndecades, pressure"
    )


def test_the_words_of_each_box_of_a_diagram_stand_together() -> None:
    """Two boxes beside each other, with names and lines with bullets in them, and a scale below."""
    left = [line("Event", 20, 0), line("-", 0, 15, 4, size=2), line("nid: char", 15, 14), line("Author: me", 15, 28)]
    right = [line("Ports", 220, 4), line("+", 200, 18, 4), line("open", 215, 18)]
    scale = [line(str(at), 100 * at, 80, 8) for at in range(3)]
    groups = in_groups([*scale, *right, *left], lambda one: one.bbox)
    assert [sorted(one.text for one in group) for group in groups] == [
        sorted(one.text for one in group) for group in (left, right, *([one] for one in scale))
    ]
    assert in_groups([], lambda one: one.bbox) == []


def test_a_drop_cap_is_the_first_letter_of_the_first_line_beside_it() -> None:
    """In a picture of its own it stands far from the line, and in the middle of several."""
    words = [
        "obert is sitting by",
        "the window in his",
        "suite of a hotel,",
        "overlooking the park.",
        "Sipping green tea",
    ]
    beside = [line(text, 110 if at < 4 else 10, 14 * at, 90) for at, text in enumerate(words)]
    cap = TextLine(BBox(50, 6, 80, 50), "R", 44.0)
    texts = [one.text for one in with_drop_caps([cap, *beside])]
    assert texts == ["Robert is sitting by", *words[1:]]
    for other in (replace(cap, text="7"), replace(cap, bbox=BBox(72, 6, 80, 16), size=10.0), cap):
        lines = [other, *(beside if other is not cap else [replace(one, text=one.text.title()) for one in beside])]
        assert with_drop_caps(lines) == lines
