"""Numbers that tesseract read are read a second time; a number that is not sure is told."""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf
import pytest
from PIL import Image

from docspec.drafting.lines import TextLine
from docspec.drafting.number_check import LineRead, NumberWord, numbers_unsure, with_checked_numbers
from docspec.drafting.recogniser import Recogniser


def printed(*numbers: str) -> tuple[Image.Image, list[tuple[int, int]]]:
    """A line of print with the ``numbers`` in it, and where each stands from left to right, in pixels."""
    page = pymupdf.open().new_page(width=60 + 90 * len(numbers), height=28)
    for index, number in enumerate(numbers):
        page.insert_text((30 + 90 * index, 19), number, fontsize=12)
    boxes = [word[:4] for word in page.get_text("words")]
    ends = [(int(x0 * 200 / 72), int(x1 * 200 / 72) + 1) for x0, _, x1, _ in boxes]
    return page.get_pixmap(dpi=200, colorspace="gray").pil_image(), ends


def checked(
    recogniser: Recogniser, there: Sequence[str], read: Sequence[str], text: str | None = None
) -> tuple[str, tuple[str, ...], float]:
    """What a line, on which numbers are ``there`` and tesseract ``read`` others, has after the check."""
    picture, ends = printed(*there)
    words = tuple(NumberWord(word, *where) for word, where in zip(read, ends, strict=True))
    line = LineRead(text or " и ".join(read), 0.99, words)
    [found] = with_checked_numbers([picture], [line], recogniser.read_line)
    return found.text, found.unsure, found.sure


def test_numbers_that_both_read_alike_stay(recogniser: Recogniser) -> None:
    assert checked(recogniser, ["12480", "7,", "18:30."], ["12480", "7,", "18:30."]) == (
        "12480 и 7, и 18:30.",
        (),
        0.99,
    )


def test_a_number_that_the_other_reads_surely_is_taken_and_what_stands_around_it_stays(recogniser: Recogniser) -> None:
    text, unsure, _ = checked(recogniser, ["12480", "214", "1356"], ["42480।", "214", "6"], "a 42480। b 214 c 6 d")
    assert (text, unsure) == ("a 12480। b 214 c 1356 d", ())


def test_a_number_of_which_tesseract_lost_the_beginning_is_read_whole(recogniser: Recogniser) -> None:
    picture, [(left, right)] = printed("12480")
    word = NumberWord("2480", left + (right - left) // 5, right)
    [found] = with_checked_numbers([picture], [LineRead("2480", 0.99, (word,))], recogniser.read_line)
    assert (found.text, found.unsure) == ("12480", ())


@pytest.mark.parametrize(
    ("read", "unsure"),
    [
        (["๒๕", "5"], ("๒๕",)),  # of such a page even the wheel's own number is not sure
        (["١٢", "٥\u200f"], ("١٢", "٥")),
        (["२५", "5"], ()),  # tesseract reads Devanagari's
    ],
)
def test_digits_of_other_scripts_are_not_sure_but_where_tesseract_reads_them(
    read: list[str], unsure: tuple[str, ...], recogniser: Recogniser
) -> None:
    text, found, sure = checked(recogniser, ["@#", "5"], read)
    assert text == " и ".join(read), "nothing is mended on such a page"
    assert found == unsure and sure == (0.75 if unsure else 0.99)


def test_an_event_names_numbers_that_are_not_sure() -> None:
    from docspec.core import BBox

    lines = [TextLine(BBox(0, 0, 9, 9), "1", unsure=("12",)), TextLine(BBox(0, 9, 9, 18), "2")]
    [event] = numbers_unsure(lines)
    assert event.kind == "numbers_unsure" and event.detail.startswith("a number of which") and "(12)" in event.detail
    [event] = numbers_unsure([TextLine(BBox(0, 0, 9, 9), "1", unsure=tuple("1234567"))])
    assert event.detail.startswith("7 numbers") and "1, 2, 3, 4, 5, ..." in event.detail
    assert numbers_unsure(lines[1:]) == ()
