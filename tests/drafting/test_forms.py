"""Forms: values stand beside their labels, ticks are signs, prose stays prose."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image, ImageDraw

from docspec import ParseOptions, Parser
from docspec.core import BBox, PageImage
from docspec.drafting.printed import Word
from docspec.drafting.text_layer import TextLayerDrafter
from docspec.drafting.typed_rules import typed_rules
from docspec.reporting.tables import grids
from docspec.results import ParsedDocument

from .conftest import PROSE, SECOND

Parsed = Callable[..., ParsedDocument]
TEXT, CHECK, RADIO = pymupdf.PDF_WIDGET_TYPE_TEXT, pymupdf.PDF_WIDGET_TYPE_CHECKBOX, pymupdf.PDF_WIDGET_TYPE_RADIOBUTTON
CHOICE, LIST = pymupdf.PDF_WIDGET_TYPE_COMBOBOX, pymupdf.PDF_WIDGET_TYPE_LISTBOX


def field(page: Any, name: str, kind: int, value: Any, box: tuple[float, float, float, float]) -> None:
    widget = pymupdf.Widget()
    widget.rect, widget.field_type, widget.field_name = pymupdf.Rect(box), kind, name
    widget.field_value, widget.border_color = value, (0, 0, 0)
    widget.text_fontsize = 0 if kind in (CHECK, RADIO) else 11
    if kind in (CHOICE, LIST):
        widget.choice_values = ["Oban", "Tiree", "Coll"]
    page.add_widget(widget)


@pytest.mark.parametrize(
    "rows",
    [
        [("Vessel", TEXT, "Marit"), ("Built on", TEXT, "4.06.1987"), ("Crew", TEXT, "12")],
        [("Harbour", CHOICE, "Tiree"), ("Pilot wanted", CHECK, True), ("Night berth", CHECK, False)],
    ],
    ids=["values", "choices and ticks"],
)
def test_labels_and_values_are_a_table_below_the_prose(parsed: Parsed, rows: list[tuple[str, int, Any]]) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 80), "Notice of arrival", fontsize=18, fontname="hebo")
        page.insert_textbox(pymupdf.Rect(60, 100, 535, 170), PROSE, fontsize=11)
        for number, (label, kind, value) in enumerate(rows):
            y = 200 + 28 * number
            page.insert_text((60, y), label)
            field(page, label, kind, value, (200, y - 13, 216 if kind == CHECK else 420, y + 4))

    document = parsed(draw)
    told = {True: "[x]", False: "[ ]"}
    found = [grid.lines() for block in document.pages[0].blocks for grid in grids(block)]
    assert found == [[[label, told.get(value, value)] for label, _, value in rows]]
    written = document.to_markdown()
    assert written.startswith("# Notice of arrival\n\nThe ferry left the harbour before sunrise")


def test_a_note_that_runs_up_beside_the_rows_of_a_form_is_in_none_of_them(parsed: Parsed) -> None:
    rows = {"Vessel": "Marit", "Built on": "4.06.1987", "Crew": "12"}

    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 100, 535, 170), PROSE, fontsize=11)
        page.insert_text((48, 262), "Staple here", fontsize=11, rotate=90)
        for number, (label, value) in enumerate(rows.items()):
            y = 200 + 28 * number
            page.insert_text((60, y), label)
            field(page, label, TEXT, value, (200, y - 13, 420, y + 4))

    document = parsed(draw)
    found = [grid.lines() for block in document.pages[0].blocks for grid in grids(block)]
    assert found == [[[label, value] for label, value in rows.items()]]
    assert document.to_markdown().count("Staple here") == 1


def test_ticks_stand_before_the_labels_on_their_right(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 100, 535, 170), PROSE, fontsize=11)
        for number, (label, on) in enumerate((("Alpha quay", False), ("Beta quay", True), ("Gamma quay", False))):
            y = 220 + 24 * number
            field(page, label, CHECK, on, (60, y - 11, 73, y + 2))
            page.insert_text((80, y), label)
        page.insert_textbox(pymupdf.Rect(60, 320, 535, 400), SECOND, fontsize=11)

    written = parsed(draw).to_markdown()
    assert "[ ] Alpha quay" in written and "[x] Beta quay" in written and "[ ] Gamma quay" in written


def rectangle(page: Any, x: float, y: float) -> None:
    page.draw_rect(pymupdf.Rect(x, y, x + 10, y + 10), width=0.8)


def four_lines(page: Any, x: float, y: float) -> None:
    corners = [(x, y), (x + 10, y), (x + 10, y + 10), (x, y + 10), (x, y)]
    for start, end in pairwise(corners):
        page.draw_line(start, end, width=0.8)


@pytest.mark.parametrize("box", [rectangle, four_lines])
def test_drawn_boxes_tell_whether_they_are_crossed(parsed: Parsed, box: Callable[..., None]) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 100, 535, 170), PROSE, fontsize=11)
        for number, (label, on) in enumerate((("Grain", True), ("Timber", False))):
            y = 220 + 24 * number
            box(page, 60, y - 9)
            if on:
                page.draw_line((61, y - 8), (69, y))
                page.draw_line((69, y - 8), (61, y))
            page.insert_text((78, y), label)

    written = parsed(draw).to_markdown()
    assert "[x] Grain" in written and "[ ] Timber" in written


@pytest.mark.parametrize("box", [rectangle, four_lines])
@pytest.mark.parametrize(("cross", "pitch"), [("X", (0, 24)), ("x", (130, 0)), ("X", (0, 14))])
def test_a_cross_that_is_typed_into_a_box_ticks_it(
    parsed: Parsed, box: Callable[..., None], cross: str, pitch: tuple[int, int]
) -> None:
    labels = (("Grain", True), ("Timber", False), ("Fish", True))

    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 100, 535, 170), PROSE, fontsize=11)
        for number, (label, on) in enumerate(labels):
            x, y = 60 + pitch[0] * number, 220 + pitch[1] * number
            box(page, x, y - 9)
            if on:
                page.insert_text((x + 2, y - 0.5), cross, fontsize=9)
            page.insert_text((x + 18, y), label)
        page.insert_textbox(pymupdf.Rect(60, 320, 535, 400), SECOND, fontsize=11)

    written = " ".join(parsed(draw).to_markdown().split())
    assert all(f"[{'x' if on else ' '}] {label}" in written for label, on in labels), written
    assert f"{cross} Grain" not in written.replace("[x] Grain", "")


def test_other_letters_in_a_box_stay_letters(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 100, 535, 170), PROSE, fontsize=11)
        for number, letter in enumerate("ABX"):
            rectangle(page, 60, 211 + 24 * number)
            page.insert_text((62, 219.5 + 24 * number), letter if letter != "X" else "X1", fontsize=7)
            page.insert_text((78, 220 + 24 * number), f"Gate {number}")

    written = parsed(draw).to_markdown()
    assert "[x]" not in written and all(letter in written for letter in ("A", "B", "X1"))


def test_boxes_and_ticks_of_a_symbol_font(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 100, 535, 170), PROSE, fontsize=11)
        for number, (sign, label) in enumerate((("o", "Alpha"), ("o", "Beta"), ("4", "Gamma"), ("8", "Delta"))):
            page.insert_text((60, 220 + 24 * number), sign, fontname="zadb")
            page.insert_text((76, 220 + 24 * number), label)

    written = parsed(draw).to_markdown()
    assert all(
        f"{sign} {label}" in written for sign, label in zip("❏❏✔✘", ("Alpha", "Beta", "Gamma", "Delta"), strict=True)
    )


@pytest.mark.parametrize("said", ["Please wait...", "The document you are trying to load requires Adobe Reader 8."])
def test_a_dynamic_form_is_damaged(tmp_path: Path, parser: Parser, said: str) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((60, 80), said, fontsize=14)
    page.insert_text((60, 120), "If this message is not eventually replaced, your viewer cannot show this document.")
    stream = pdf.get_new_xref()
    pdf.update_object(stream, "<<>>")
    pdf.update_stream(stream, b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'></xdp:xdp>")
    pdf.xref_set_key(pdf.pdf_catalog(), "AcroForm", f"<</Fields [] /XFA {stream} 0 R>>")
    path = tmp_path / "dynamic.pdf"
    path.write_bytes(pdf.tobytes())
    [result] = parser.parse(path).pages
    assert [event.detail for event in result.events if event.kind == "damaged_page" and "XFA" in event.detail]


def test_boxes_may_be_filled_and_rings_are_boxes_if_one_is_ticked(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 100, 535, 170), PROSE, fontsize=11)
        for number, (label, on) in enumerate((("Grain", True), ("Timber", False))):
            rectangle(page, 60, 211 + 24 * number)
            if on:
                page.draw_rect(pymupdf.Rect(62, 213, 68, 219), fill=(0, 0, 0))
            page.insert_text((78, 220 + 24 * number), label)
        for number, (label, on) in enumerate((("Steam", False), ("Sail", True), ("Oars", False))):
            page.draw_circle((65, 296 + 24 * number), 5)
            if on:
                page.draw_circle((65, 296 + 24 * number), 2.5, fill=(0, 0.2, 0.8))
            page.insert_text((78, 300 + 24 * number), label)

    written = parsed(draw).to_markdown()
    for label in ("[x] Grain", "[ ] Timber", "[ ] Steam", "[x] Sail", "[ ] Oars"):
        assert label in written


def mark(*strokes: Sequence[tuple[float, float]], frame: bool = False) -> bytes:
    """A PNG of 48 pixels with ``strokes``, in a frame or without."""
    image = Image.new("L", (48, 48), 255)
    draw = ImageDraw.Draw(image)
    for stroke in strokes:
        draw.line([*stroke], fill=60, width=4)
    if frame:
        draw.rectangle((4, 4, 43, 43), outline=60, width=3)
    written = io.BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


CHECK_MARK = [(8, 26), (18, 38), (40, 10)]
CROSS = [(12, 12), (36, 36)], [(12, 36), (36, 12)]


@pytest.mark.parametrize(
    ("image", "sign"),
    [
        (mark(CHECK_MARK), "[x]"),
        (mark([(12, 24), (20, 34), (36, 14)], frame=True), "[x]"),
        (mark(*CROSS, frame=True), "[x]"),
        (mark(frame=True), "[ ]"),
        (mark(*CROSS), None),  # a sign of multiplication, a point of a chart
        (mark([(8, 8), (40, 40)]), None),
        (mark([(8, 40), (24, 8), (40, 40)]), None),
        (mark([(24, 12), (24, 36)], [(12, 24), (36, 24)], frame=True), None),  # an icon
    ],
)
def test_images_of_ticks_and_boxes_are_signs(parsed: Parsed, image: bytes, sign: str | None) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 60, 535, 130), PROSE, fontsize=11)
        page.insert_image((60, 160, 74, 174), stream=image)
        page.insert_text((80, 171), "Night berth wanted", fontsize=11)
        page.insert_textbox(pymupdf.Rect(60, 200, 535, 270), SECOND, fontsize=11)

    written = parsed(draw).to_markdown()
    assert f"{sign or ''} Night berth wanted".strip() in written
    assert sign is not None or "[x]" not in written


def test_rings_of_which_none_is_ticked_are_marks_of_a_list(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 100, 535, 170), PROSE, fontsize=11)
        for number, year in enumerate(("2019 the keel", "2020 the hull", "2021 the launch")):
            page.draw_circle((65, 216 + 24 * number), 4)
            page.insert_text((78, 220 + 24 * number), year)

    written = parsed(draw).to_markdown()
    assert "[ ]" not in written and "2020 the hull" in written


def test_buttons_in_a_row_stand_before_their_labels_once(parsed: Parsed) -> None:
    """The appearances of such fields are drawn as boxes and rings, which are no further ticks."""

    def draw(page: Any) -> None:
        page.insert_text((60, 100), "Application for a berth", fontsize=12)
        page.insert_text((60, 140), "Surname:")
        field(page, "surname", TEXT, "O'Brien", (130, 127, 280, 145))
        rows = (
            (("Single", False), ("Married", True), ("Widowed", False)),
            (("Car", True), ("Bike", False), ("Bus", True)),
        )
        for top, row in zip((180, 210), rows, strict=True):
            for number, (label, on) in enumerate(row):
                x = 60 + 120 * number
                field(page, label, CHECK, on, (x, top - 11, x + 14, top + 3))
                page.insert_text((x + 20, top), label)
        page.insert_text((60, 260), "I declare that all 3 statements are true.")

    written = parsed(draw).to_markdown()
    for row in ("[ ] Single [x] Married [ ] Widowed", "[x] Car [ ] Bike [x] Bus"):
        assert all(
            written.count(f"{tick}]{label}") == 1 for tick, label in (part.split("]") for part in row.split(" ["))
        )


def test_a_crossed_box_within_a_line_stands_there(parsed: Parsed) -> None:
    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 100, 535, 170), PROSE, fontsize=11)
        page.insert_text((60, 220), "Grain")
        rectangle(page, 92, 211)
        page.insert_text((105, 220), "or timber")
        rectangle(page, 155, 211)
        page.insert_text((157, 218.5), "\u00d7", fontsize=8)
        page.insert_text((168, 220), "by sea.")

    written = parsed(draw).to_markdown()
    assert "Grain [ ] or timber [x] by sea." in written


@pytest.mark.parametrize("box", [(0, 842, 0, 842), (60, 300, 60, 320)], ids=["a point", "a line"])
def test_a_field_without_area_is_none(parsed: Parsed, box: tuple[float, float, float, float]) -> None:
    """Invisible signatures have one: a page with it once took all of its time."""

    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(60, 100, 535, 170), PROSE, fontsize=11)
        field(page, "Signature", TEXT, "", (60, 300, 90, 320))
        xref = next(iter(page.widgets())).xref
        page.parent.xref_set_key(xref, "Rect", "[{} {} {} {}]".format(*box))

    page = parsed(draw).pages[0]
    assert page.status == "ok" and page.text.startswith("The ferry left the harbour")


def test_fields_of_pages_that_were_taken_out_of_a_form_are_read(tmp_path: Path) -> None:
    """Programs that cut files leave the fields on the page and drop the form that names them."""
    path = tmp_path / "page.pdf"
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((72, 100), "Character name", fontsize=11)
        field = pymupdf.Widget()
        field.field_name, field.field_type = "name", pymupdf.PDF_WIDGET_TYPE_TEXT
        field.rect, field.field_value = pymupdf.Rect(200, 86, 400, 106), "Oona Macrae"
        page.add_widget(field)
        pdf.xref_set_key(pdf.pdf_catalog(), "AcroForm", "null")
        pdf.save(path)
    with pymupdf.open(path) as pdf:
        assert not pdf.is_form_pdf and next(iter(pdf[0].widgets())).field_value == "Oona Macrae"
    with Parser(ParseOptions(drafter="text-layer", words="evidence")) as parser:
        (result,) = parser.pages(path)
    assert "Character name" in result.text and "Oona Macrae" in result.text


def test_answers_and_their_questions_are_lines(parsed: Parsed) -> None:
    """As forms of agencies print them: boxes to tick, drawn, before their answers, questions behind these."""

    def box(page: Any, x: float, y: float, ticked: bool) -> None:
        page.draw_rect((x, y - 8, x + 9, y + 1), width=0.7)
        if ticked:
            page.draw_line((x + 1, y - 7), (x + 8, y), width=0.7)
            page.draw_line((x + 1, y), (x + 8, y - 7), width=0.7)

    def draw(page: Any) -> None:
        page.insert_text((60, 70), "Summary report of an incident at the quay", fontsize=14, fontname="hebo")
        page.insert_text((60, 100), "Age:  3 years", fontsize=9)
        page.insert_text((240, 100), "Gender:", fontsize=9)
        for x, answer, ticked in ((275, "Female", False), (325, "Male", True)):
            box(page, x, 100, ticked)
            page.insert_text((x + 12, 100), answer, fontsize=9)
        page.insert_textbox(pymupdf.Rect(60, 120, 535, 170), PROSE, fontsize=9)
        questions = ("Criminal investigation pending or completed?", "Criminal charges filed? If yes, against whom?")
        for row, question in enumerate(questions):
            y = 200 + 12.5 * row
            for x, answer in ((60, "Yes"), (98, "No")):
                box(page, x, y, (answer == "Yes") == (row == 0))
                page.insert_text((x + 12, y), answer, fontsize=9)
            page.insert_text((136, y), question, fontsize=9)

    written = parsed(draw).to_markdown()
    assert "[x] Yes [ ] No Criminal investigation pending or completed?" in written
    assert "[ ] Yes [x] No Criminal charges filed? If yes, against whom?" in written
    assert "Gender: [ ] Female [x] Male" in written


PARTIES = ["IN RE:", "NORTHERN FERRY COMPANY", "OF OBAN AND THE ISLES", "", "A. MACLEOD, et al.,", "Plaintiffs,", "v."]
APPEAL = [
    "Appeal from the Court of",
    "Session for the Northern",
    "District of the Highlands",
    "and the Western Isles.",
    "",
]


@pytest.mark.parametrize("sign", [")", "]", "|", "§"])
def test_brackets_below_each_other_are_a_rule_between_two_columns(sign: str) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for at in range(9):
            left, right = (texts[at] if at < len(texts) else "" for texts in (PARTIES, [*APPEAL, "No. 4471"]))
            page.insert_text((72, 100 + 14 * at), left)
            page.insert_text((290, 100 + 14 * at), sign)
            page.insert_text((310, 100 + 14 * at), right)
        for at in range(4):
            page.insert_text((72, 300 + 14 * at), "The court orders the parties to this appeal to file a statement.")
        draft = TextLayerDrafter().draft(PageImage(Image.new("RGB", (595, 842), "white"), 1, 1.0, "a.pdf", page))
    words = " ".join(" ".join(region.texts[0] for region in draft.regions).split())
    assert words.startswith(" ".join(" ".join([*PARTIES, *APPEAL]).split()) + " No. 4471 The court")


def test_brackets_that_stand_in_words_or_apart_are_no_rule() -> None:
    def word(text: str, x: float, y: float) -> Word:
        return Word(BBox(x, y, x + 4, y + 10), text, (0, 0))

    rule = [word(")", 100, 12 * at) for at in range(5)]
    assert list(typed_rules(rule)) == [[one.bbox for one in rule]]
    assert list(typed_rules(rule[:4])) == []
    assert list(typed_rules([word(")", 100, 40 * at) for at in range(9)])) == []
    assert list(typed_rules([*rule, *(word(")", 140, 12 * at) for at in range(5))])) == []
    assert list(typed_rules([word("a)", 100, 12 * at) for at in range(9)])) == []
