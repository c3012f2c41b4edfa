"""PDF files: whatever state they are in, and coordinates that stay true to the pixels."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pymupdf
import pytest

from docspec import ParseOptions, Parser
from docspec.core import Failure, InputError, PageError, PageImage
from docspec.documents import PageFailure, open_document
from docspec.documents.pdf import PdfDocument

MakePdf = Callable[..., Path]
SENTENCE = "A sentence long enough to tell by its words which way up this page has to be seen."


def pages_of(path: Path, selection: str | None = None, dpi: float = 72.0) -> list[PageImage]:
    with open_document(path) as document:
        pages = list(document.pages(selection, dpi))
    assert all(isinstance(page, PageImage) for page in pages)
    return pages  # type: ignore[return-value]


def test_pages_are_rendered_at_the_given_dpi(make_pdf: MakePdf) -> None:
    path = make_pdf(3)
    pages = pages_of(path, "2-3", dpi=144)
    assert [(page.number, page.image.size, page.scale, page.source) for page in pages] == [
        (2, (600, 800), 2.0, str(path)),
        (3, (600, 800), 2.0, str(path)),
    ]
    assert all(page.render_seconds > 0 for page in pages)


def test_the_hash_is_the_files(make_pdf: MakePdf) -> None:
    path = make_pdf()
    with open_document(path) as document:
        assert document.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_page_outside_the_document_is_refused_before_the_first_page(make_pdf: MakePdf) -> None:
    with open_document(make_pdf(2)) as document, pytest.raises(InputError, match="page 3 does not exist"):
        document.pages("3-4")


def test_the_pdf_page_lives_until_the_next_one_is_asked_for(make_pdf: MakePdf) -> None:
    with open_document(make_pdf(2)) as document:
        pages = document.pages()
        first = next(pages)
        assert isinstance(first, PageImage)
        assert "Page number 1" in first.pdf_page.get_text()
        copy = first.pdf_page.parent
        next(pages)
        assert copy.is_closed


def test_a_failing_page_is_reported_in_its_place_and_the_next_one_comes(
    make_pdf: MakePdf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_page_two(self: PdfDocument, index: int) -> object:
        if index == 1:
            raise RuntimeError("syntax error\nsecond line")
        return original(self, index)

    original = PdfDocument._private_page
    monkeypatch.setattr(PdfDocument, "_private_page", break_page_two)
    with open_document(make_pdf(3)) as document:
        first, second, third = document.pages(dpi=72)
    assert isinstance(first, PageImage)
    assert isinstance(third, PageImage)
    assert isinstance(second, PageFailure)
    assert isinstance(second.error, PageError)
    assert str(second.error).endswith("page 2: cannot be rendered (syntax error)")


def sideways(content_turn: int, rotate: int, cropped: bool, text: str) -> bytes:
    pdf = pymupdf.open()
    page = pdf.new_page(width=400, height=600)
    page.insert_text((200, 300), text[: len(text) // 2], fontsize=6, rotate=content_turn)
    page.insert_text((230, 330), text[len(text) // 2 :], fontsize=6, rotate=content_turn)
    page.draw_rect(pymupdf.Rect(120, 140, 160, 150), fill=(0, 0, 0))
    page.add_highlight_annot(pymupdf.Rect(150, 400, 190, 420))
    if cropped:
        page.set_cropbox(pymupdf.Rect(50, 60, 390, 580))
    page.set_rotation(rotate)
    return pdf.tobytes()


@pytest.mark.parametrize("cropped", [False, True])
@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_rotated_page_looks_as_in_a_viewer_and_its_points_match_its_pixels(
    tmp_path: Path, rotate: int, cropped: bool
) -> None:
    path = tmp_path / "turned.pdf"
    path.write_bytes(sideways(rotate, rotate, cropped, SENTENCE))  # the contents run against the rotation
    with pymupdf.open(path) as viewer:
        seen = viewer[0].get_pixmap(dpi=144)
    with open_document(path) as document:
        page = next(document.pages(dpi=144))
        assert isinstance(page, PageImage)
        assert page.image.size == (seen.width, seen.height)
        expected = np.frombuffer(seen.samples, np.uint8).reshape(seen.height, seen.width, 3).astype(int)
        assert np.abs(np.asarray(page.image).astype(int) - expected).mean() < 0.5
        assert page.pdf_page.rotation == 0
        dark = np.asarray(page.image.convert("L")) < 128
        words = page.pdf_page.get_text("words")
        assert len(words) >= len(SENTENCE.split())
        for word in words:
            x0, y0, x1, y1 = (round(value * page.scale) for value in word[:4])
            assert dark[y0:y1, x0:x1].mean() > 0.05, word


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("cropped", [False, True])
def test_text_that_runs_sideways_in_the_viewer_is_turned_upright(tmp_path: Path, turn: int, cropped: bool) -> None:
    path = tmp_path / "sideways.pdf"
    path.write_bytes(sideways(turn, 0, cropped, SENTENCE))
    with open_document(path) as document:
        page = next(document.pages(dpi=72))
        assert isinstance(page, PageImage)
        blocks = page.pdf_page.get_text("dict", flags=0)["blocks"]
    assert {tuple(round(v) for v in line["dir"]) for block in blocks for line in block["lines"]} == {(1, 0)}


def test_form_fields_and_annotations_are_visible(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    pdf.new_page()
    page = pdf.new_page(width=200, height=100)
    widget = pymupdf.Widget()
    widget.field_type, widget.field_name, widget.field_value = (pymupdf.PDF_WIDGET_TYPE_TEXT, "name", "Ada Byron")
    widget.rect, widget.text_fontsize = pymupdf.Rect(20, 20, 180, 40), 14
    page.add_widget(widget)
    page.add_highlight_annot(pymupdf.Rect(20, 60, 180, 80))
    (tmp_path / "form.pdf").write_bytes(pdf.tobytes())
    with open_document(tmp_path / "form.pdf") as document:
        shown = next(document.pages("2", dpi=144))
        assert isinstance(shown, PageImage)
        pixels = np.asarray(shown.image)
        assert "Ada Byron" in shown.pdf_page.get_text()
    assert (pixels[40:80, 40:360].min(axis=2) < 100).mean() > 0.01
    assert (pixels[120:160, 40:360, 2] < 100).mean() > 0.5, "the highlight is yellow"


@pytest.mark.parametrize("size", [(14400, 14400), (3, 2000), (234, 14295), (1, 1)])
def test_page_sizes_stay_within_limits_and_the_scale_stays_true(tmp_path: Path, size: tuple[int, int]) -> None:
    pdf = pymupdf.open()
    pdf.new_page(width=size[0], height=size[1])
    (tmp_path / "size.pdf").write_bytes(pdf.tobytes())
    (page,) = pages_of(tmp_path / "size.pdf", dpi=200)
    assert page.width * page.height <= 25_100_000
    assert max(page.image.size) / min(page.image.size) <= 200
    assert page.scale <= 200 / 72
    assert page.width >= int(size[0] * page.scale)
    assert abs(size[1] * page.scale - page.height) <= 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"hello, this is no PDF at all", "not a PDF"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "not a PDF|no pages|damaged"),
        (b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
         b"trailer<</Root 1 0 R>>", "no pages"),
    ],
)  # fmt: skip
def test_files_that_hold_no_page_are_input_errors(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], content: bytes, says: str
) -> None:
    path = tmp_path / "bad.pdf"
    path.write_bytes(content)
    with pytest.raises(InputError, match=says) as caught:
        open_document(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_a_truncated_file_is_repaired_silently_or_refused(make_pdf: MakePdf, capfd: pytest.CaptureFixture[str]) -> None:
    path = make_pdf(8)
    whole = path.read_bytes()
    repaired = 0
    for share in (0.2, 0.5, 0.9, 0.99):
        path.write_bytes(whole[: int(len(whole) * share)])
        try:
            with open_document(path) as document:
                pages = list(document.pages(dpi=72))
                assert document.damage is not None
            repaired += sum(isinstance(page, PageImage) for page in pages)
        except InputError as error:
            assert "\n" not in str(error)
    assert repaired, "the nearly complete file can be repaired"
    assert capfd.readouterr() == ("", "")


def test_encryption_asks_for_the_password(make_pdf: MakePdf) -> None:
    path = make_pdf(70, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="user", owner_pw="owner")
    with pytest.raises(InputError, match="--password"):
        open_document(path)
    with pytest.raises(InputError, match="wrong password"):
        open_document(path, "guess")
    with open_document(path, "user") as document:
        texts = [page.pdf_page.get_text() for page in document.pages(dpi=20) if isinstance(page, PageImage)]
    assert [f"Page number {number}" in text for number, text in enumerate(texts, 1)] == [True] * 70


def test_memory_does_not_grow_with_the_number_of_pages(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    generator = np.random.default_rng(0)
    for _ in range(150):
        noise = generator.integers(0, 255, (256, 256, 3), dtype=np.uint8)
        page = pdf.new_page(width=200, height=200)
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, 256, 256, noise.tobytes(), False)
        page.insert_image(page.rect, pixmap=pixmap)
    path = tmp_path / "many.pdf"
    pdf.save(path)
    pdf.close()
    process = psutil.Process()
    sizes = []
    with open_document(path) as document:
        for _ in document.pages(dpi=72):
            sizes.append(process.memory_info().rss)
    assert sizes[-1] - sizes[10] < 12e6, "150 pages hold 30 MB of pixels; the caches must not keep them"


def test_a_page_that_no_letter_is_seen_on_fails_with_its_size(tmp_path: Path) -> None:
    with pymupdf.open() as made:
        made.new_page(width=14_400_000, height=14_400_000).insert_text((60, 60), "hi")
        made.new_page(width=14_400, height=14_400).insert_text((600, 600), "large print", fontsize=400)
        made.save(tmp_path / "huge.pdf")
    with Parser(ParseOptions()) as parser:
        huge, large = parser.pages(tmp_path / "huge.pdf")
    assert (huge.status, huge.failure) == ("failed", Failure.TOO_LARGE)
    assert huge.error is not None and "14,400,000 x 14,400,000 pt" in huge.error
    assert large.status == "ok"
