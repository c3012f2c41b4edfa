"""The witness of a page: which words are printed, and which of them a reader of the paper sees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib
import pymupdf
import pytest

from benchmarks.campaign.raw import document
from docspec.core import PageImage
from docspec.core.account import VisibleWord
from docspec.documents import open_document
from docspec.documents.sources import source_from_bytes
from docspec.documents.view import View
from docspec.ledger import painted, visible, visible_words

Draw = Callable[[pymupdf.Page], None]


def words_of(draw: Draw, sketched: bool = False) -> tuple[VisibleWord, ...]:
    """The words of an A4 page on which ``draw`` has drawn."""
    document = pymupdf.open()
    draw(document.new_page())
    with open_document(source_from_bytes(document.tobytes(), "made.pdf")) as opened:
        page = next(opened.pages(view=View(sketched=sketched, witness=visible_words)))
        assert isinstance(page, PageImage) and page.words is not None
        return page.words


def text(words: tuple[VisibleWord, ...]) -> list[str]:
    return [word.text for word in words if not word.hidden]


def test_words_have_their_places_in_pixels_of_the_page() -> None:
    (first, second) = words_of(lambda page: page.insert_text((72, 144), "Hello, harbour"))
    assert (first.text, second.text) == ("Hello,", "harbour")
    scale = 200 / 72
    assert first.x0 == pytest.approx(72 * scale, abs=1)
    assert first.y0 < 144 * scale < first.y1
    assert first.x1 < second.x0


def test_gaps_part_words_where_no_space_is_written() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "left")
        page.insert_text((200, 100), "right")
        page.insert_text((72, 130), "1,357")
        page.insert_text((99, 125), "1", fontsize=6)

    assert text(words_of(draw)) == ["left", "right", "1,357", "1"]


def test_pieces_that_touch_are_one_word() -> None:
    def draw(page: pymupdf.Page) -> None:
        x = 72.0
        for letter in "harbour":
            page.insert_text((x, 100), letter)
            x += pymupdf.get_text_length(letter)

    assert text(words_of(draw)) == ["harbour"]


@pytest.mark.parametrize("sketched", [False, True])
@pytest.mark.parametrize(
    ("rule", "draw"),
    [
        (painted.UNPAINTED, lambda page: page.insert_text((72, 200), "secret", render_mode=3)),
        (visible.UNSEEN, lambda page: page.insert_text((72, 200), "secret", color=(1, 1, 1))),
        (painted.TRANSPARENT, lambda page: page.insert_text((72, 200), "secret", fill_opacity=0, stroke_opacity=0)),
        (painted.TINY, lambda page: page.insert_text((72, 200), "secret", fontsize=0.5)),
        (painted.OUTSIDE, lambda page: page.insert_text((700, 200), "secret")),
    ],
)
def test_what_no_reader_sees_is_hidden_by_a_rule(rule: str, draw: Draw, sketched: bool) -> None:
    def both(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "plain")
        draw(page)

    words = words_of(both, sketched)
    assert [(word.text, word.hidden) for word in words] == [("plain", ""), ("secret", rule)]


def test_what_is_painted_over_is_hidden_and_what_is_marked_is_not() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "covered")
        page.insert_text((72, 150), "marked")
        page.insert_text((72, 200), "struck")
        page.draw_rect(pymupdf.Rect(60, 85, 200, 105), color=None, fill=(1, 1, 1))
        page.draw_rect(pymupdf.Rect(60, 135, 200, 155), color=None, fill=(1, 1, 0), fill_opacity=0.4)
        page.draw_rect(pymupdf.Rect(70, 195, 200, 196), color=None, fill=(0, 0, 0))

    found = {word.text: word.hidden for word in words_of(draw)}
    assert found == {"covered": visible.COVERED, "marked": "", "struck": ""}


def test_what_a_later_note_covers_and_prints_over_is_hidden() -> None:
    """A stamp with a ground of its own; a marker's colour hides nothing, though a word touches it."""

    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "Internal Revenue Service")
        page.insert_text((72, 200), "Treasury", fontsize=16)
        page.draw_rect(pymupdf.Rect(60, 80, 400, 110), color=None, fill=(1, 1, 1))
        page.insert_text((75, 103), "Publication 4655 for additional", fontsize=12)
        page.draw_rect(pymupdf.Rect(60, 180, 400, 210), color=None, fill=(1, 1, 0), fill_opacity=0.4)
        page.insert_text((72, 203), "of", fontsize=6)

    words = words_of(draw)
    assert text(words) == ["Treasury", "Publication", "4655", "for", "additional", "of"]
    assert {word.hidden for word in words} == {"", visible.COVERED}


def test_words_printed_twice_below_a_scan_of_them_are_seen() -> None:
    def draw(page: pymupdf.Page) -> None:
        for _ in range(2):
            page.insert_text((72, 100), "Treasury")
        page.insert_image(page.rect, stream=page.get_pixmap(dpi=150).tobytes("png"))

    assert [word.hidden for word in words_of(draw)] == ["", painted.DOUBLE]


def test_white_type_on_a_dark_ground_is_seen() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.draw_rect(pymupdf.Rect(60, 85, 300, 110), color=None, fill=(0, 0, 0.4))
        page.insert_text((72, 100), "Summary", color=(1, 1, 1))

    assert text(words_of(draw)) == ["Summary"]


def test_a_word_that_is_printed_again_to_look_bold_counts_once() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "Total")
        page.insert_text((72.3, 100), "Total")
        page.insert_text((72, 130), "Total")

    words = words_of(draw)
    assert [word.hidden for word in words] == ["", painted.DOUBLE, ""]


@pytest.mark.parametrize("pieces", [("T", "o", "t", "a", "l", "s"), ("To", "tals"), ("Totals",)])
@pytest.mark.parametrize("twice", ["each piece", "all but the last", "the whole"])
def test_second_prints_count_once_however_the_program_parts_them(pieces: tuple[str, ...], twice: str) -> None:
    def draw(page: pymupdf.Page) -> None:
        font = pymupdf.Font("helv")
        places = [72 + font.text_length("".join(pieces[:at]), 11) for at in range(len(pieces) + 1)]
        for at, piece in enumerate(pieces):
            page.insert_text((places[at], 100), piece)
            if twice == "each piece" or (twice == "all but the last" and piece != pieces[-1]):
                page.insert_text((places[at], 100), piece)
        if twice == "the whole":
            page.insert_text((72.3, 100), "".join(pieces))
        page.insert_text((72, 130), "lill")

    assert [word.text for word in words_of(draw) if not word.hidden] == ["Totals", "lill"]


def test_narrow_letters_beside_each_other_are_no_second_prints() -> None:
    def draw(page: pymupdf.Page) -> None:
        point = pymupdf.Point(72, 100)
        page.insert_text(point, "Illinois", fontsize=30, morph=(point, pymupdf.Matrix(0.2, 1)))

    assert text(words_of(draw)) == ["Illinois"]


def test_parts_of_a_word_that_runs_leftwards_are_one_in_whatever_order_they_are_painted() -> None:
    file = str(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf")
    width = pymupdf.Font(fontfile=file).text_length("םו", 11)

    def draw(page: pymupdf.Page) -> None:
        page.insert_font(fontname="face", fontfile=file)
        for x, part in ((72 + width, "לש"), (250, "PDF"), (72, "םו")):  # the word is shalom
            page.insert_text((x, 100), part, fontname="face")

    assert text(words_of(draw)) == ["םולש", "PDF"]


def test_all_letters_of_a_ligature_are_read() -> None:
    """A font may have one glyph for "ffi", which its file tells to be three letters on one place."""

    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "bu\u00e9er o\u00e9line")
        space = "1 begincodespacerange <00> <ff> endcodespacerange"
        codes = "1 beginbfchar <e9> <006600660069> endbfchar"
        cmap = f"/CIDInit /ProcSet findresource begin 12 dict begin begincmap {space} {codes} endcmap end end"
        document = page.parent
        number = document.get_new_xref()
        document.update_object(number, "<<>>")
        document.update_stream(number, cmap.encode())
        document.xref_set_key(page.get_fonts()[0][0], "ToUnicode", f"{number} 0 R")

    assert text(words_of(draw)) == ["buffier", "offiline"]


def test_what_a_path_clips_is_hidden() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "1234567890")
        stream = page.parent.xref_stream(page.get_contents()[0])
        page.parent.update_stream(page.get_contents()[0], b"q 60 700 50 100 re W n " + stream + b" Q")

    found = {word.hidden: word.text for word in words_of(draw)}
    assert found[""] + found[visible.CLIPPED] == "1234567890"
    assert 4 <= len(found[""]) <= 8


def clipped(page: pymupdf.Page, words: str, at: tuple[float, float], right: float) -> None:
    """Writes ``words`` and clips them on the ``right``."""
    page.insert_text(at, words)
    number = page.get_contents()[-1]
    box = f"q 0 0 {right} 842 re W n ".encode()
    page.parent.update_stream(number, box + page.parent.xref_stream(number) + b" Q")


@pytest.mark.parametrize("first", ["bills", "144, 156,"])
def test_what_a_path_clips_is_hidden_below_other_words_too(first: str) -> None:
    """A cell too narrow for its list of numbers, of which the next cell shows one elsewhere."""

    def draw(page: pymupdf.Page) -> None:
        right = 72 + pymupdf.get_text_length("bills 133, ")
        clipped(page, "bills 133, 144, 156,", (72, 100), right)
        page.insert_text((right + 4, 100), "26406576")
        page.insert_text((72, 200), first)

    words = words_of(draw)
    assert text(words) == ["bills", "133,", "26406576", *first.split()]
    assert [word.text for word in words if word.hidden == visible.CLIPPED] == ["144,", "156,"]


def test_the_middle_of_what_touches_the_next_cell_may_be_clipped() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72 + pymupdf.get_text_length("29.01.2016"), 100), "1074935")
        clipped(page, "29.01.2016", (72, 100), 72 + pymupdf.get_text_length("29.01.20"))
        numbers = [page.get_contents()[1], page.get_contents()[0]]
        page.parent.xref_set_key(page.xref, "Contents", "[" + " ".join(f"{number} 0 R" for number in numbers) + "]")

    words = words_of(draw)
    assert text(words) == ["29.01.20", "1074935"]
    assert [word.text for word in words if word.hidden] == ["16"]


def test_a_word_with_a_ligature_beside_one_without_is_seen() -> None:
    """MuPDF's text tells the letters of a ligature, which is no sign that another word stands there."""

    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "\u00e9ne")
        page.insert_text((72, 130), "fine")
        cmap = "1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <e9> <fb01> endbfchar"
        document = page.parent
        number = document.get_new_xref()
        document.update_object(number, "<<>>")
        document.update_stream(number, f"/CIDInit /ProcSet findresource begin begincmap {cmap} endcmap end".encode())
        document.xref_set_key(page.get_fonts()[0][0], "ToUnicode", f"{number} 0 R")

    assert text(words_of(draw)) == ["\ufb01ne", "fine"]


def test_what_the_file_says_that_a_sign_stands_for_is_its_word() -> None:
    """Subsets of fonts without names for their glyphs, whose text is told piece by piece (ActualText)."""

    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "elevation of L29,031 feet")
        number = page.get_contents()[0]
        stream = page.parent.xref_stream(number)
        sign, rest = b"elevation of L".hex().encode(), b"29,031 feet".hex().encode()
        shown = b"[<" + sign + rest + b">]TJ"
        assert shown in stream
        parts = b"[<" + sign[:-2] + b">]TJ /Span <</ActualText (\\()>> BDC [<4c>]TJ EMC [<" + rest + b">]TJ"
        page.parent.update_stream(number, stream.replace(shown, parts))

    assert text(words_of(draw)) == ["elevation", "of", "(29,031", "feet"]


def test_values_of_form_fields_and_notes_on_the_page_are_seen() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "Name")
        page.add_freetext_annot(pymupdf.Rect(72, 200, 300, 220), "Checked twice")
        field = pymupdf.Widget()
        field.field_type, field.field_name, field.field_value = pymupdf.PDF_WIDGET_TYPE_TEXT, "name", "Ada Lodge"
        field.rect = pymupdf.Rect(120, 88, 300, 106)
        page.add_widget(field)

    assert sorted(text(words_of(draw))) == sorted(["Name", "Checked", "twice", "Ada", "Lodge"])


def test_type_that_runs_upwards_or_slants_is_read_in_words() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((100, 300), "Upwards it goes", rotate=90)
        point = pymupdf.Point(300, 300)
        page.insert_text(point, "Slanting labels", morph=(point, pymupdf.Matrix(35)))

    assert text(words_of(draw)) == ["Upwards", "it", "goes", "Slanting", "labels"]


def test_text_written_invisibly_over_print_is_told_from_hidden_text() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "printed")
        page.insert_text((72, 100), "primed", render_mode=3)
        page.insert_text((72, 300), "nowhere", render_mode=3)

    found = {word.text: word.hidden for word in words_of(draw)}
    assert found == {"printed": "", "primed": visible.OVER_PRINT, "nowhere": painted.UNPAINTED}


def test_contents_that_break_off_are_no_fault_of_the_page() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "begun")
        page.parent.update_stream(page.get_contents()[0], b"BT /F9 12 Tf (no font) Tj ((( << ")

    assert isinstance(words_of(draw), tuple)


def test_words_whose_letters_are_set_apart_are_words_with_their_figures() -> None:
    data = document(b"BT /F 14 Tf 5 Tc 20 360 Td (ANNUAL REPORT 2023) Tj ET BT 0 Tc /F 12 Tf 30 330 Td (1 2 3) Tj ET")
    with open_document(source_from_bytes(data, "made.pdf")) as opened:
        page = next(opened.pages(view=View(witness=visible_words)))
        assert isinstance(page, PageImage) and page.words is not None
        assert text(page.words) == ["ANNUAL", "REPORT", "2023", "1", "2", "3"]


def test_signs_without_width_part_no_number() -> None:
    path = pytest.importorskip("matplotlib").get_data_path() + "/fonts/ttf/DejaVuSans.ttf"

    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "1\u200b234 units", fontname="dj", fontfile=path)

    assert text(words_of(draw)) == ["1234", "units"]
