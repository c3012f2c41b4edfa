"""Text that nobody sees is left out of the page and said; text that is seen stays, whatever is painted around it."""

from __future__ import annotations

import io
from collections.abc import Callable

import pymupdf
import pytest
from PIL import Image, ImageDraw

from benchmarks.campaign.raw import document, stream, text
from docspec import ParseOptions, Parser
from docspec.core import PageImage
from docspec.documents import open_document
from docspec.documents.sources import source_from_bytes
from docspec.documents.view import View

SECRET = "Correction: the award is one dollar."
SEEN = "The award amount is 485,000 dollars."
WHITE, BLACK = (1, 1, 1), (0, 0, 0)


def page_of(data: bytes, view: View | None = None) -> tuple[str, list[str], PageImage]:
    """The text of the only page, what was said of hidden text, and the page itself."""
    with open_document(source_from_bytes(data, "a.pdf")) as pdf:
        page = next(pdf.pages(view=view or View(dpi=100)))
        assert isinstance(page, PageImage)
        told = [event.detail for event in page.events if event.kind == "hidden_text"]
        return page.pdf_page.get_text(), told, page


def made(paint: Callable[[pymupdf.Document, pymupdf.Page], None]) -> bytes:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 80), SEEN)
        paint(pdf, page)
        data: bytes = pdf.tobytes()
        return data


def photo(size: tuple[int, int] = (400, 60)) -> bytes:
    image = Image.effect_noise(size, 90).convert("RGB")
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def white(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
    page.insert_text((60, 120), SECRET, color=WHITE)


def nearly_the_ground(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
    page.draw_rect((50, 100, 400, 130), color=None, fill=(0.2, 0.3, 0.4))
    page.insert_text((60, 120), SECRET, color=(0.21, 0.3, 0.41))


def under_a_photo(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
    page.insert_text((60, 120), SECRET)
    page.insert_image((50, 100, 400, 130), stream=photo(), keep_proportion=False)


def redacted(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
    page.insert_text((60, 120), SECRET)
    page.draw_rect((50, 105, 400, 125), color=None, fill=BLACK)


def turned(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
    white(pdf, page)
    page.set_rotation(90)


def beside(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
    page.insert_text((60, 700), SECRET)
    page.set_cropbox((0, 0, 595, 600))


HIDDEN = {
    "not painted": (lambda pdf, page: page.insert_text((60, 120), SECRET, render_mode=3), "not painted"),
    "transparent": (lambda pdf, page: page.insert_text((60, 120), SECRET, fill_opacity=0), "transparent"),
    "tiny": (lambda pdf, page: page.insert_text((60, 120), SECRET, fontsize=0.5), "too small"),
    "white": (white, "in the colour of its ground"),
    "nearly the ground": (nearly_the_ground, "in the colour of its ground"),
    "under a photo": (under_a_photo, "covered"),
    "redacted": (redacted, "covered"),
    "turned": (turned, "in the colour of its ground"),
    "beside": (beside, "beside the sheet"),
    "layer": (
        lambda pdf, page: page.insert_text((60, 120), SECRET, oc=pdf.add_ocg("Draft", on=False)),
        "on a layer that is off",
    ),
}


@pytest.mark.parametrize("how", HIDDEN)
def test_text_that_nobody_sees_is_left_out_and_said(how: str) -> None:
    paint, rule = HIDDEN[how]
    words, told, page = page_of(made(paint))
    assert "dollar." not in words.replace(SEEN, "") and "".join(SEEN.split()) in "".join(words.split())
    (detail,) = told
    assert detail.startswith("6 words") and f"{rule}: 6" in detail and "'Correction: the award" in detail
    assert page.hidden == ()


def test_hidden_text_in_a_form_that_is_drawn_twice_goes_where_it_is_hidden() -> None:
    form = stream(
        text("drawn twice", x=0, top=10), b"/Type/XObject/Subtype/Form/BBox[0 0 300 400]/Resources<</Font<</F 3 0 R>>>>"
    )
    contents = b"q 1 0 0 1 40 300 cm /X Do Q 1 g q 1 0 0 1 40 100 cm /X Do Q"
    words, told, _ = page_of(document(contents, resources=b"/XObject<</X 20 0 R>>", more={20: form}))
    assert words.split() == ["drawn", "twice"] and told[0].startswith("2 words")


def test_a_visible_text_over_a_covered_one_at_its_place_stays() -> None:
    def paint(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
        page.insert_text((60, 120), "Price 900 euros")
        page.draw_rect((50, 105, 400, 125), color=None, fill=WHITE)
        page.insert_text((60, 120), "Price 999 euros")

    words, told, _ = page_of(made(paint))
    assert "Price 999 euros" in words and "900" not in words and told[0].startswith("3 words")


def on_dark(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
    page.draw_rect((50, 100, 400, 130), color=None, fill=(0, 0, 0.4))
    page.insert_text((60, 120), SECRET, color=WHITE)


def on_photo(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
    page.insert_image((50, 100, 400, 130), stream=photo(), keep_proportion=False)
    page.insert_text((60, 120), SECRET, color=(1, 0, 0))


def under_glass(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
    page.insert_text((60, 120), SECRET)
    page.draw_rect((50, 105, 400, 125), color=None, fill=(1, 1, 0), fill_opacity=0.4)


def under_a_frame(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
    page.insert_text((60, 120), SECRET)
    shape = page.new_shape()
    for box in ((40, 90, 500, 140), (45, 95, 495, 135)):
        shape.draw_rect(box)
    shape.finish(color=None, fill=BLACK, even_odd=True)
    shape.commit()


def outlined(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
    page.insert_text((60, 120), SECRET, render_mode=2, fill=WHITE, color=BLACK, border_width=0.05)


def on_a_layer(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
    page.insert_text((60, 120), SECRET, oc=pdf.add_ocg("Print", on=True))
    pdf.add_ocg("Draft", on=False)


@pytest.mark.parametrize("paint", [on_dark, on_photo, under_glass, under_a_frame, outlined, on_a_layer])
def test_text_that_is_seen_stays(paint: Callable[[pymupdf.Document, pymupdf.Page], None]) -> None:
    words, told, _ = page_of(made(paint))
    assert SECRET in words and SEEN in words and told == []


def test_text_under_a_multiplied_picture_stays() -> None:
    contents = text(SECRET) + b"/G gs 1 1 .6 rg 30 340 260 40 re f"
    words, told, _ = page_of(document(contents, resources=b"/ExtGState<</G<</BM/Multiply>>>>"))
    assert SECRET in words and told == []


def test_words_of_a_recogniser_over_a_scan_stay() -> None:
    scan = Image.new("RGB", (1190, 1684), "white")
    ImageDraw.Draw(scan).text((120, 140), SEEN, fill="black", font_size=22)
    data = io.BytesIO()
    scan.save(data, "PNG")
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_image(page.rect, stream=data.getvalue())
        page.insert_text((60, 80), SEEN, render_mode=3)
        under = pdf.new_page()
        under.insert_text((60, 80), SEEN)
        under.insert_image(under.rect, stream=data.getvalue())
        with open_document(source_from_bytes(pdf.tobytes(), "a.pdf")) as scanned:
            for one in scanned.pages(view=View(dpi=72)):
                assert isinstance(one, PageImage)
                assert SEEN in one.pdf_page.get_text() and one.events == ()


def test_words_under_a_picture_that_shows_them_stay() -> None:
    def paint(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
        page.insert_text((60, 120), SECRET)
        part = page.get_pixmap(dpi=144, clip=(50, 100, 400, 130))
        page.insert_image((50, 100, 400, 130), pixmap=part)

    words, told, _ = page_of(made(paint))
    assert SECRET in words and told == []


def test_a_layer_that_is_off_is_not_drawn_either() -> None:
    def paint(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
        page.draw_rect((50, 300, 400, 600), fill=BLACK, oc=pdf.add_ocg("Draft", on=False))

    _, _, page = page_of(made(paint), View(dpi=72))
    assert page.image.convert("L").getpixel((200, 450)) == 255


@pytest.mark.parametrize("kept", [False, True])
def test_hidden_text_is_written_only_if_it_is_asked_for(kept: bool) -> None:
    def paint(pdf: pymupdf.Document, page: pymupdf.Page) -> None:
        white(pdf, page)
        for number in range(9):
            page.insert_text((60, 200 + 15 * number), "The board met on the third of May in the town hall.")

    data = made(paint)
    with Parser(ParseOptions(hidden="keep" if kept else "drop", drafter="text-layer")) as parser:
        document = parser.parse(data)
    assert (f"[hidden text, in the colour of its ground: {SECRET}]" in document.to_markdown()) == kept
    assert "town hall" in document.to_markdown() and (SECRET in document.to_markdown()) == kept
    assert any(event.kind == "hidden_text" for event in document.pages[0].events)
