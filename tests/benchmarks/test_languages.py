"""The pages of ``benchmarks languages``: what is drawn is the truth, scans are alike each time, errors are counted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from benchmarks.languages import pages
from benchmarks.languages.measure import measure, plain
from benchmarks.languages.pages import LanguagePage, as_pdf, as_photograph, as_scan, language_pages, with_own_digits
from benchmarks.languages.second import with_second
from docspec.core import BBox, Category, PageDraft, PageImage, PrintedLine, Region
from docspec.core.languages import language_of
from docspec.core.scripts import scripts_of
from docspec.drafting.recogniser import Recogniser


@pytest.fixture
def russian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LanguagePage]:
    """The page in Russian, in a font of MuPDF's own: which ones are installed makes no difference."""
    (tmp_path / "DejaVuSans.otf").write_bytes(pymupdf.Font("helv").buffer)
    monkeypatch.setattr(pages, "FONT_FOLDERS", (tmp_path,))
    pages._font.cache_clear()
    yield next(page for page in language_pages() if page.language == "rus")
    pages._font.cache_clear()


def test_every_text_is_in_its_language_and_script() -> None:
    texts = json.loads((Path(pages.__file__).parent / "texts.json").read_text(encoding="utf-8"))
    assert len(texts) == 12
    for code, told in texts.items():
        language = language_of(code)
        assert language is not None and (language.name, language.script) == (told["name"], told["script"])
        text = "".join(told["paragraphs"])
        scripts = scripts_of(text)
        assert scripts[told["script"]] > 0.35 * scripts.total(), code  # Japanese is written in two
        assert any(map(str.isdigit, text)) and len(told["fonts"]) == 2


def test_the_text_layer_of_a_page_is_its_truth_line_by_line(russian: LanguagePage) -> None:
    with pymupdf.open(stream=as_pdf(russian), filetype="pdf") as pdf:
        assert len(pdf) == 1
        lines = [line.strip() for line in pdf[0].get_text().splitlines()]
    assert lines == [line for paragraph in russian.paragraphs for line in paragraph]
    assert plain(" ".join(lines), "rus") == plain(russian.truth, "rus")
    assert max(map(len, lines)) <= 62


def test_scans_and_photographs_are_the_same_each_time(russian: LanguagePage) -> None:
    pdf = as_pdf(russian)
    scan, photograph = as_scan(russian, pdf), as_photograph(russian, pdf)
    assert scan.size == (1653, 2339) or scan.size == (1654, 2339)
    assert scan.tobytes() == as_scan(russian, pdf).tobytes()
    assert photograph.width > scan.width and photograph.tobytes() == as_photograph(russian, pdf).tobytes()
    dark = sum(photograph.convert("L").histogram()[:100]) / (photograph.width * photograph.height)
    assert 0.05 < dark < 0.4  # the table around it


def test_a_page_of_an_open_book_bends_and_its_lines_are_read_once(russian: LanguagePage) -> None:
    image = as_photograph(russian, as_pdf(russian), curved=True)
    lines = sorted(Recogniser(threads=1).find_lines(image), key=lambda quad: quad[0][1])
    heads = [quad for quad in lines if quad[1][0] - quad[0][0] > 0.4 * image.width]
    assert heads[0][0][1] > heads[0][1][1] + 10, "the left end of the highest long line lies lower"
    assert len(lines) == sum(map(len, russian.paragraphs))


def test_numbers_are_set_in_the_digits_of_the_script(russian: LanguagePage) -> None:
    page = replace(russian, language="ara", paragraphs=(("9 to 2024",),))
    assert with_own_digits(page).paragraphs == (("٩ to ٢٠٢٤",),)


def test_marks_and_breaks_are_no_errors_and_letters_are() -> None:
    truth = "Отчёт за год\nВсе люди"
    assert plain("## Отчёт за год\n\nВсе люди\n\n![page-1-1](a.png)", "rus") == plain(truth, "rus")
    assert plain("555\\-01\\-27 \\* 1", "rus") == "555-01-27 * 1"
    assert plain("人人 生而\n自由", "chi_sim") == "人人生而自由"
    assert plain("น้ํา", "tha") == plain("น้ำ", "tha")


def test_the_bare_command_is_measured_against_the_truth(russian: LanguagePage) -> None:
    [found] = measure([russian], ["pdf"], ["docspec"])
    assert (found.errors, found.form, found.reader) == (0, "pdf", "docspec") and found.characters > 600


def test_a_doubtful_line_gets_a_second_reading_in_a_second_text_of_its_region() -> None:
    class Other(Recogniser):
        def read_lines(self, images: Sequence[Image.Image]) -> list[tuple[str, float]]:
            return [("istanbul", 0.9)] * len(images)

    boxes = [BBox(10, 10, 90, 20), BBox(10, 30, 90, 40)]
    lines = (PrintedLine(boxes[0], "lstanbul", confidence=0.6), PrintedLine(boxes[1], "1453", confidence=0.99))
    region = Region(BBox(10, 10, 90, 40), Category.TEXT, ("lstanbul\n1453",), lines=lines)
    page = PageImage(Image.new("RGB", (100, 50), "white"), 1, 1.0, "a.png")
    twice, count = with_second(page, PageDraft((region,)), Other(threads=1), 0.95)
    assert (count, [one.texts for one in twice.regions]) == (1, [("lstanbul\n1453", "istanbul\n1453")])
    assert with_second(page, PageDraft((region,)), Other(threads=1), 0.5) == (PageDraft((region,)), 0)
