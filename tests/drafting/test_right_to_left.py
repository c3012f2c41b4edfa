"""Lines of right-to-left scripts come back in the order of reading, however a program wrote them into its PDF."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pymupdf
import pytest
from bidi import get_display
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import PageImage, ParseOptions
from docspec.documents import open_document
from docspec.drafting import make_drafter
from docspec.drafting.lines import TextLine, printed_lines
from docspec.drafting.page_lines import page_lines
from docspec.drafting.right_to_left import as_letters, has_right_to_left, is_right_to_left, logical_text
from docspec.drafting.text_layer import TextLayerDrafter
from samples.scripts import TEXTS
from samples.scripts.fonts import find
from samples.scripts.forms import printed, shaped
from samples.scripts.press import FORMS_FONT, blocks, write_forms

PERSIAN = "در سال ۱۴۰۲ پرونده‌های PDF را (چاپ دوم) خواندند، ۱۲/۵ و 2000 تا است."
HEBREW = "השפה (2023) נכתבת ב-50% מימין, והמילה PDF 2.0 נכתבת משמאל."


def on_paper(line: str, way: str = "R", size: float = 10.0) -> list[dict[str, object]]:
    """The characters of a line as they stand from left to right, each 5 points wide."""
    shown = get_display(line, base_dir=way)
    return [
        {"c": char, "origin": (5.0 * at, 10.0), "bbox": (5.0 * at, 0.0, 5.0 * at + 5, size)}
        for at, char in enumerate(shown)
    ]


@pytest.mark.parametrize(
    ("text", "ligatures"),
    [("Simplified", ("fi",)), ("office affluent", ("ffi", "ffl")), ("ամեթ", ("մե",)), ("क्षत्रिय", ("क्ष", "त्रि"))],
)
def test_the_letters_of_a_ligature_on_such_a_page_are_all_kept(text: str, ligatures: tuple[str, ...]) -> None:
    chars, x, at = [], 0.0, 0
    while at < len(text):
        own = next((one for one in ligatures if text.startswith(one, at)), text[at])
        for number, char in enumerate(own):
            x0 = x if number == 0 else x + 6
            chars.append({"c": char, "origin": (x0, 10.0), "bbox": (x0, 0.0, x + 6, 10.0)})
        x, at = x + 6, at + len(own)
    assert logical_text(chars, 10, False) == text
    assert logical_text(chars, 10, True) == text


@pytest.mark.parametrize("text", ["สวัสดีชาวโลก", "ที่นี่", "cafe\u0301s"])
def test_marks_of_other_scripts_on_such_a_page_stay_with_the_letter_in_front(text: str) -> None:
    chars: list[dict[str, object]] = []
    x = 0.0
    for char in text:
        width = 0.0 if unicodedata.category(char) == "Mn" else 5.0
        chars.append({"c": char, "origin": (x, 10.0), "bbox": (x, 0.0, x + width, 10.0)})
        x += width
    assert logical_text(chars, 10, False) == text


@pytest.mark.parametrize("line", [PERSIAN, HEBREW, "ב-2013 היו 180,000 איש", "۱۰۰٪ آن", "«نقل» گفت: [الف]"])
def test_numbers_words_and_brackets_find_their_place(line: str) -> None:
    assert logical_text(on_paper(line), 10.0, True) == line


words = st.sampled_from(["کتاب", "خانه", "שלום", "سوق", "(چاپ", "دوم)", "گفت:", "و", "«نقل»"])
others = st.sampled_from(["PDF", "open source", "1402", "۱۲٫۵", "library.example.org", "10:30"])


@settings(deadline=None)
@given(st.lists(st.tuples(words, st.none() | others), min_size=1, max_size=8))
def test_what_the_bidirectional_algorithm_shows_is_undone(parts: list[tuple[str, str | None]]) -> None:
    line = " ".join(word for pair in [*parts, ("آخر", None)] for word in pair if word)
    assert logical_text(on_paper(line), 10.0, True) == line


def test_the_order_of_the_characters_in_the_file_does_not_matter() -> None:
    chars = on_paper(PERSIAN)
    assert logical_text(chars[::-1], 10.0, True) == PERSIAN
    assert logical_text(chars[::2] + chars[1::2], 10.0, True) == PERSIAN


def test_brackets_written_as_they_are_read_are_not_turned_twice() -> None:
    chars = on_paper("گفت (که نیست) تمام شد")
    turned = [{**char, "c": {"(": ")", ")": "("}.get(str(char["c"]), char["c"])} for char in chars]
    assert logical_text(turned, 10.0, True) == "گفت (که نیست) تمام شد"


def test_a_line_of_a_latin_page_keeps_its_way() -> None:
    line = "The word کتاب خانه means library"
    assert logical_text(on_paper(line, "L"), 10.0, False) == line


def test_a_space_without_room_of_its_own_is_a_non_joiner_and_a_gap_a_space() -> None:
    def char(text: str, x0: float, x1: float) -> dict[str, object]:
        return {"c": text, "origin": (x0, 0.0), "bbox": (x0, 0.0, x1, 9.0)}

    line = [char("م", 45, 50), char("ی", 40, 45), char("\u00a0", 40, 42), char("ر", 35, 40), char("و", 25, 30)]
    assert logical_text(line, 10.0, True) == "می\u200cر و"


def test_marks_stay_on_their_letters_and_lost_letters_come_back() -> None:
    def char(text: str, x0: float, x1: float) -> dict[str, object]:
        return {"c": text, "origin": (x0, 0.0), "bbox": (x0, 0.0, x1, 9.0)}

    marked = [char("ه", 40, 45), char("\u0654", 45, 45), char(" ", 37, 40), char("م", 30, 37)]
    assert logical_text(marked, 10.0, True) == "ه\u0654 م"
    # MuPDF leaves out the second of two equal letters at one place: an alef beside a ligature of lam and alef.
    ligature = [char("ت", 50, 55), char("ا", 45, 45), char("ل", 38, 45), char("ر", 33, 38)]
    traced = [("ﺎ", (45.0, 0.0, 50.0, 9.0)), ("ﻼ", (38.0, 0.0, 45.0, 9.0))]
    assert logical_text(ligature, 10.0, True, traced) == "تالار"


def test_presentation_forms_become_letters_with_the_non_joiners_that_they_tell_of() -> None:
    for word in ("کتاب‌ها", "می‌خوانند", "تالار", "لا", "آموزگار"):
        assert as_letters(shaped(word).replace("\u200c", "")) == word
    assert as_letters("كـــتاب") == "كتاب"
    assert as_letters("ﷲ") == "الله"
    assert as_letters("ab ﬁ ½") == "ab ﬁ ½"


def test_scripts_are_told_by_their_letters() -> None:
    assert is_right_to_left("کتاب pdf") and not is_right_to_left("ab کت cde") and not is_right_to_left("12 (3)")
    assert has_right_to_left("ab כ") and not has_right_to_left("αβγ 漢字")


def test_runs_of_one_printed_line_follow_its_script() -> None:
    from docspec.core import BBox

    right, left = TextLine(BBox(60, 0, 100, 10), "• نخست"), TextLine(BBox(0, 0, 40, 10), "دوم")
    assert printed_lines([left, right]) == [[right, left]]
    one, two = TextLine(BBox(0, 0, 40, 10), "one"), TextLine(BBox(60, 0, 100, 10), "two")
    assert printed_lines([two, one]) == [[one, two]]


@pytest.mark.skipif(find(FORMS_FONT) is None, reason="no DejaVu Sans, which comes with matplotlib")
def test_a_figure_in_front_of_a_cell_with_brackets_is_a_line_of_its_own() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_font(fontname="face", fontfile=str(find(FORMS_FONT)))
        for y, label in ((100, "גשם ביום (1) בגליל"), (120, "שלג בחורף (2) בהר")):
            page.insert_text((200, y), "0.8", fontname="face", fontsize=7)
            page.insert_text((240, y), get_display(label), fontname="face", fontsize=7)
        lines = [line.text for line in page_lines(page)]
    assert lines == ["0.8", "גשם ביום (1) בגליל", "0.8", "שלג בחורף (2) בהר"]


@pytest.mark.skipif(find(FORMS_FONT) is None, reason="no DejaVu Sans, which comes with matplotlib")
@pytest.mark.parametrize("script", ["persian", "arabic"])
def test_a_page_of_presentation_forms_is_drafted_as_it_is_read(script: str, tmp_path: Path) -> None:
    truth = (TEXTS / f"{script}.md").read_text(encoding="utf-8")
    file = tmp_path / "forms.pdf"
    write_forms(file, truth, script)
    with pymupdf.open(file) as pdf:
        assert "".join(pdf[0].get_text().split()) != "".join(text for _, text in blocks(truth)).replace(" ", "")
        lines = page_lines(pdf[0])
    expected = " ".join(("• " if tag == "li" else "") + text for tag, text in blocks(truth))
    assert " ".join(line.text for line in lines) == expected
    with open_document(file) as document:
        page = next(document.pages(dpi=72))
        assert isinstance(page, PageImage)
        draft = make_drafter(ParseOptions(drafter="text-layer")).draft(page)
    drafted = " ".join(" ".join(region.texts[0] for region in draft.regions if region.texts).split())
    assert drafted == expected


@pytest.mark.skipif(find(FORMS_FONT) is None, reason="no DejaVu Sans, which comes with matplotlib")
@pytest.mark.parametrize("quick", [True, False])
def test_the_right_column_is_read_before_the_left_one(quick: bool, tmp_path: Path) -> None:
    font = str(find(FORMS_FONT))
    face = pymupdf.Font(fontfile=font)
    words = [text for tag, text in blocks((TEXTS / "persian.md").read_text(encoding="utf-8")) if tag == "p"]
    words = [text.replace("\u0654", "") for text in words]  # MuPDF gives a line's first mark to the line before
    columns = [text.split()[:56] for text in (" ".join(words[:2]), " ".join(words[1:]))]
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=420, height=595)
        for right, column in zip((390, 195), columns, strict=True):
            for row in range(14):
                line = printed(" ".join(column[4 * row : 4 * row + 4]))
                start = pymupdf.Point(right - face.text_length(line, fontsize=10), 60 + 16 * row)
                page.insert_text(start, line, fontname="face", fontfile=font, fontsize=10)
        pdf.save(tmp_path / "columns.pdf")
    with open_document(tmp_path / "columns.pdf") as document:
        page_image = next(document.pages(dpi=72))
        assert isinstance(page_image, PageImage)
        draft = TextLayerDrafter(quick=quick).draft(page_image)
    drafted = " ".join(region.texts[0] for region in draft.regions if region.texts).split()
    assert drafted == [*columns[0], *columns[1]]


def test_the_shaper_of_the_samples_shows_what_old_programs_write() -> None:
    assert printed("سلام") == "ﻡﻼﺳ"
