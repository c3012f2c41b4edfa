"""Raised and lowered type stays apart from the words and numbers that it stands at, in text, tables and all formats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from docspec import ParseOptions, Parser
from docspec.core import Category
from docspec.core.raised import plain, raised
from docspec.dialects.spelling import spellings
from docspec.drafting.lines import join_lines, printed_lines
from docspec.drafting.page_lines import page_lines
from docspec.reporting.rich import is_power

HELVETICA = pymupdf.Font("helv")
PROSE = (
    "The board met on the third of May in the town hall. All nine members were",
    "there, and two guests from the ministry. First the minutes of the last meeting",
    "were read and approved. Then the plans for the new bridge were shown.",
)

Piece = tuple[str, float]
"""Words, and how far they stand over their line, in points."""


def draw(page: pymupdf.Page, x: float, y: float, pieces: Sequence[Piece], small: float = 6.5) -> None:
    for text, rise in pieces:
        size = small if rise else 11
        page.insert_text((x, y - rise), text, fontsize=size)
        x += HELVETICA.text_length(text, size)


def drawn(*lines: Sequence[Piece], small: float = 6.5) -> str:
    """What page_lines tells of these lines."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for number, pieces in enumerate(lines):
            draw(page, 60, 100 + 20 * number, pieces, small)
        return join_lines(printed_lines(page_lines(page)))


@pytest.mark.parametrize("rise", [2, 4, 6, 9])
def test_powers_and_marks_stay_apart_at_any_height(rise: float) -> None:
    text = drawn(
        [
            ("4.2 x 10", 0),
            ("6", rise),
            (" people on 36 km", 0),
            ("2", rise),
            (" of land, see", 0),
            ("3", rise),
            (".", 0),
        ],
        [("A total of 24,912", 0), ("12", rise)],
    )
    assert text == "4.2 x 10⁶ people on 36 km² of land, see³.\nA total of 24,912¹²"


def test_marks_of_full_size_and_lowered_figures_stay_apart() -> None:
    assert drawn([("983", 0), ("2", 4)], small=11) == "983²"
    assert drawn([("CO", 0), ("2", -2.5), (" and log", 0), ("10", -2.5), ("5", 0)]) == "CO₂ and log₁₀5"


def test_words_brackets_and_small_print_are_no_marks() -> None:
    assert drawn([("the 5", 0), ("th", 4), (" of May", 0)]) == "the 5th of May"
    assert drawn([("and social force", 0), ("[2]", 4), (".", 0)]) == "and social force[2]."
    assert drawn([("a line of 1998", 0)], [("12", 0)]) == "a line of 1998\n12"


def table(page: pymupdf.Page, top: float, rows: Sequence[Sequence[str]], rise: float) -> None:
    """A ruled table; what follows ``^`` in a cell is raised."""
    edges = [60, 220, 340, 460]
    for number, row in enumerate(rows):
        y = top + 20 * number
        for left, right, cell in zip(edges, edges[1:], row, strict=False):
            text, _, mark = cell.partition("^")
            page.draw_rect((left, y - 14, right, y + 6), width=0.6)
            draw(page, left + 5, y, [(text, 0), *([(mark, rise)] if mark else [])])


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("raised") / "report.pdf"
    with pymupdf.open() as pdf:
        for rise in (4, 9):
            page = pdf.new_page()
            for number, line in enumerate(PROSE):
                page.insert_text((60, 80 + 15 * number), line)
            draw(
                page,
                60,
                125,
                [("It has 24,912", 0), ("1", rise), (" people on 36 m", 0), ("2", rise), (" of land.", 0)],
            )
            rows = ("Region", "2022", "2023"), ("North", "1,204", "1,357^1"), ("South^b", "983^2", "1,011")
            table(page, 200, rows, rise)
            for number, note in enumerate(("First note of the page.", "Second note of the page.")):
                page.insert_text((60, 767 + 11 * number), str(number + 1), fontsize=5)
                page.insert_text((64, 770 + 11 * number), note, fontsize=8)
        pdf.save(path)
    return path


def test_every_format_keeps_them_apart(report: Path) -> None:
    with Parser(ParseOptions()) as parser:
        document = parser.parse(report)
    for page in document.pages:
        cells = next(block.text for block in page.blocks if block.category is Category.TABLE)
        assert "1,357¹" in cells and "983²" in cells and "Southᵇ" in cells
        assert any("24,912¹ people on 36 m² of land" in block.text for block in page.blocks)
    markdown = document.to_markdown()
    assert "24,912[^1] people on 36 m² of land" in markdown and "36 m[^2]" not in markdown
    assert "24,912<sup>1</sup> people on 36 m<sup>2</sup>" in document.to_html()
    assert "1,357¹" in json.dumps(json.loads(document.render("json")), ensure_ascii=False)
    assert "24,912¹" in document.render("chunks") and "24,9121" not in document.render("chunks")


def test_drafts_offer_the_spellings_that_models_use() -> None:
    found = spellings(Category.TEXT, "on 10⁶ m² of CO₂")
    for one in (
        "on 10⁶ m² of CO₂",
        "on 10<sup>6</sup> m<sup>2</sup> of CO<sub>2</sub>",
        "on 10$^{6}$ m$^{2}$ of CO$_{2}$",
    ):
        assert one in found
    assert any(
        "1,357<sup>1</sup></t" in one for one in spellings(Category.TABLE, "<table><tr><td>1,357¹</td></tr></table>")
    )
    assert spellings(Category.TEXT, "plain words") == ["plain words"]


@pytest.mark.parametrize(
    ("text", "power"),
    [
        ("36 m²", True),
        ("5.1 x 10⁶", True),
        ("x²", True),
        ("see²", False),
        ("24,912³", False),
        ("1,410²", False),
        ("end.²", False),
    ],
)
def test_powers_refer_to_no_note(text: str, power: bool) -> None:
    assert is_power(text, len(text) - 1, len(text)) == power


def test_spelling_raised_and_back_changes_no_letter() -> None:
    for text in ("12", "1,2", "-3", "a", "n+1", "*", "th", "[2]", "1b", "é"):
        assert plain(raised(text)).replace("−", "-") == text


def test_raised_figures_stay_apart_in_closed_cells_of_several_lines() -> None:
    """Their rows are drawn anew by the lines around them, and their words taken by place."""
    rows = (
        (("Name", "of the site"), ("Figure", "in 2023"), ("Area", "")),
        (("North", "harbour"), ("1,357^1", "old 983^2"), ("36 km^2", "")),
    )
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                x, y = 60 + 140 * column, 100 + 36 * number
                page.draw_rect(pymupdf.Rect(x, y, x + 140, y + 36), width=0.6)
                for line, text in enumerate(cell):
                    words, _, mark = text.partition("^")
                    draw(page, x + 5, y + 14 + 15 * line, [(words, 0), (mark, 4)])
        for number in range(6):
            page.insert_text((60, 220 + 15 * number), PROSE[number % 3], fontsize=11)
        data = pdf.tobytes()
    with Parser(ParseOptions()) as parser:
        written = parser.parse(data).to_markdown()
    assert "| North harbour | 1,357¹ old 983² | 36 km² |" in written


@pytest.mark.parametrize("space", [10, 17])
def test_a_line_in_which_each_word_has_a_size_of_its_own_is_a_line(space: int) -> None:
    """As in the text layers that recognisers put under scans."""
    words = ["grain", "and", "seeds", "have", "been", "amazingly", "increased,", "and"]
    with pymupdf.open() as document:
        page, x = document.new_page(), 50.0
        for number, word in enumerate(words):
            size = 8 + 0.3 * number
            page.insert_text((x, 80), word, fontsize=size)
            x += pymupdf.get_text_length(word, fontsize=size)
            page.insert_text((x, 80), " ", fontsize=space)
            x += pymupdf.get_text_length(" ", fontsize=space)
        [line] = [join_lines([row]) for row in printed_lines(page_lines(page))]
    assert line.split() == words


def test_figures_that_a_font_designs_as_raised_are_raised(tmp_path: Path) -> None:
    """Such glyphs (``sups``) stand on the line in the size of the text, and the file calls them figures."""
    path = pytest.importorskip("matplotlib").get_data_path() + "/fonts/ttf/DejaVuSans.ttf"
    glyphs = pymupdf.Font(fontfile=path)
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for number, line in enumerate(("A mean of 1,204² on 36 m² and 10⁻³ mol.", "It was 24,912³ in 2023.")):
            page.insert_text((60, 100 + 20 * number), line, fontname="dj", fontfile=path)
        data = pdf.tobytes()
    called = dict(zip("²³⁻", "23−", strict=True))
    more = "".join(f"<{glyphs.has_glyph(ord(sign)):04x}> <{ord(told):04x}>\n" for sign, told in called.items())
    with pymupdf.open(stream=data) as pdf:
        for number in range(1, pdf.xref_length()):
            if pdf.xref_is_stream(number) and b"beginbf" in (stream := pdf.xref_stream(number)):
                table = f"{len(called)} beginbfchar\n{more}endbfchar\nendcmap".encode()
                pdf.update_stream(number, stream.replace(b"endcmap", table, 1))
        path = tmp_path / "designed.pdf"
        pdf.save(path)
    with pymupdf.open(path) as pdf:
        assert "1,2042" in pdf[0].get_text()
    with Parser(ParseOptions()) as parser:
        (page,) = parser.parse(path).pages
    text = " ".join(block.text for block in page.blocks)
    assert "1,204² on 36 m² and 10⁻³ mol." in text and "24,912³ in 2023." in text
    assert not [event for event in page.events if event.kind == "words_missing"]


def test_a_raised_figure_that_is_painted_after_its_line_stands_in_it() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 100), "Staff number 983   and members of the board")
        end = 60 + HELVETICA.text_length("Staff number 983", 11)
        page.insert_text((end, 97), "2", fontsize=6)
        text = join_lines(printed_lines(page_lines(page)))
    assert text == "Staff number 983² and members of the board"


def test_a_value_that_is_painted_after_its_line_stands_in_the_gap() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 100), "I, ____________________, pay                      euros a month.")
        page.insert_text((80, 99), "Ines Duarte")
        page.insert_text((222, 99), "1,245.00")
        text = join_lines(printed_lines(page_lines(page)))
    assert " ".join(text.replace("_", "").split()) == "I, Ines Duarte , pay 1,245.00 euros a month."


def test_a_mark_over_letters_is_no_piece_of_their_line() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 100), "Letters without a gap in between")
        page.insert_text((120, 99), "DRAFT", color=(0.8, 0.8, 0.8))
        texts = [line.text for line in page_lines(page)]
    assert texts == ["Letters without a gap in between", "DRAFT"]


def test_an_exponent_whose_sign_is_of_another_font_refers_to_no_note() -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 100), "4.2 J m")
        end = 60 + HELVETICA.text_length("4.2 J m", 11)
        page.insert_text((end, 96), "-", fontsize=6.5, fontname="symb")
        page.insert_text((end + 3.7, 96), "2", fontsize=6.5, fontname="tiro")
        page.insert_text((60, 130), "for all e")
        end = 60 + HELVETICA.text_length("for all e", 11)
        page.insert_text((end, 126), "-", fontsize=6.5, fontname="symb")
        page.insert_text((end + 3.7, 126), "kq", fontsize=6.5, fontname="tiit")
        (line, other) = page_lines(page)
    assert line.text == "4.2 J m⁻²"
    assert other.text.endswith("kq"), "what cannot be raised stays"
    assert is_power(line.text, len(line.text) - 1, len(line.text))


@pytest.mark.parametrize(("text", "told"), [("a well\u00adknown twenty\u00adone", "a well-known twenty-one")])
def test_a_soft_hyphen_that_is_printed_within_a_line_is_a_hyphen(text: str, told: str) -> None:
    path = pytest.importorskip("matplotlib").get_data_path() + "/fonts/ttf/DejaVuSans.ttf"
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 100), text, fontname="dj", fontfile=path)
        assert [line.text for line in page_lines(page)] == [told]


def test_a_soft_hyphen_at_the_end_of_a_line_goes_with_the_break() -> None:
    path = pytest.importorskip("matplotlib").get_data_path() + "/fonts/ttf/DejaVuSans.ttf"
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 100), ["The infra\u00ad", "structure stands."], fontname="dj", fontfile=path)
        rows = printed_lines(page_lines(page))
    assert spellings(Category.TEXT, join_lines(rows))[0] == "The infrastructure stands."
