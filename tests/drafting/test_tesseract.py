"""The program tesseract as a recogniser: what it reads, how it spells, what is said where it is absent."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from docspec.core import BBox, Category, DrafterError, ParseOptions, Region
from docspec.core.languages import languages_of
from docspec.drafting import make_drafter, tesseract
from docspec.drafting.number_check import LineRead
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.tesseract import (
    CERTAINTIES,
    Print,
    TesseractRecogniser,
    as_typed,
    certainty,
    installed,
    lines_left,
    print_of,
    straight_line,
    without_nested,
)

RUSSIAN = [
    "Городская библиотека открыта ежедневно",
    "с девяти часов утра до шести часов вечера,",
    "в прошлом году её посетили 12480 читателей,",
    "на семь процентов больше, чем годом раньше.",
]

needs_russian = pytest.mark.skipif("rus" not in installed(), reason="tesseract-ocr-rus is not installed")


def sheet(turned: int = 0) -> Image.Image:
    """A page with four lines of Russian; its font is MuPDF's own."""
    page = pymupdf.open().new_page(width=420, height=200)
    page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("helv").buffer)
    for number, line in enumerate(RUSSIAN):
        page.insert_text((30, 40 + 30 * number), line, fontname="F0", fontsize=14)
    image: Image.Image = page.get_pixmap(dpi=200).pil_image()
    return image.rotate(turned, expand=True)


@needs_russian
def test_lines_are_found_and_read_with_their_certainty(recogniser: Recogniser) -> None:
    told: list[str] = []
    lines, tilt = TesseractRecogniser(languages_of("ru"), recogniser).read_page(sheet(), told.extend)
    assert [line.text for line in lines] == RUSSIAN == told
    assert all(line.confidence > 0.9 and line.words == "recognition" for line in lines)
    assert abs(tilt) < 0.5 and lines[0].bbox.y1 < lines[1].bbox.y0


@needs_russian
def test_a_scan_is_drafted_in_its_language_by_the_named_drafter(tmp_path: Path) -> None:
    from docspec.core import PageImage

    drafter = make_drafter(ParseOptions(drafter="tesseract", language="russian"))
    draft = drafter.draft(PageImage(sheet(), 1, 1.0, "photo.png"))
    assert " ".join(" ".join(region.texts[0].split()) for region in draft.regions if region.texts) == " ".join(RUSSIAN)
    assert draft.drafter == "tesseract" and draft.scripts == ("Cyrillic",)
    assert {region.words for region in draft.regions} == {"recognition"}


@pytest.mark.skipif("osd" not in installed(), reason="tesseract-ocr-osd is not installed")
def test_script_and_orientation_of_print_are_told_and_none_of_an_empty_sheet() -> None:
    assert [print_of(sheet(turned)) for turned in (0, 90, 180, 270)] == [Print("Cyrillic", turns) for turns in range(4)]
    assert print_of(Image.new("RGB", (400, 300), "white")) == Print(None)


def test_a_line_is_straightened_and_one_that_runs_upwards_is_turned() -> None:
    grey = np.full((100, 300), 255, dtype=np.uint8)
    grey[40:60, 50:250] = 0
    assert straight_line(grey, [(50, 40), (250, 40), (250, 60), (50, 60)]).size == (204, 24)
    upwards = straight_line(grey.T.copy(), [(40, 50), (60, 50), (60, 250), (40, 250)])
    assert upwards.size == (204, 24)
    assert np.asarray(upwards)[4:20, 4:200].max() == 0


def test_a_part_of_a_line_is_no_line_and_ink_outside_all_lines_is_one() -> None:
    whole, mark, other = (0, 0, 200, 30), (150, 2, 180, 12), (0, 60, 200, 90)
    quads = [np.array([(a, b), (c, b), (c, d), (a, d)]) for a, b, c, d in (whole, mark, other)]
    assert [quad.tolist() for quad in without_nested(quads)] == [quads[0].tolist(), quads[2].tolist()]
    image = sheet()
    boxes = [np.array([(60, 90), (870, 90), (870, 125), (60, 125)])]  # around the first of four lines
    left = lines_left(image, boxes)
    assert len(left) == 3 and all(quad[0][1] > 125 for quad in left)
    assert lines_left(Image.new("RGB", (300, 200), "white"), boxes) == []


def test_lines_that_the_box_of_a_shadow_reaches_over_are_not_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    image = sheet()
    around = Region(BBox(60, 50, 1100, 370), Category.TEXT)  # the edge of a shadow is ink around the lines
    monkeypatch.setattr(tesseract, "unread_regions", lambda *_: [around])
    first = np.array([(75, 70), (400, 70), (400, 125), (75, 125)])  # half of it
    assert [round(quad[0][1] / 83) for quad in lines_left(image, [first])] == [2, 3, 4]


@needs_russian
def test_lines_that_the_edge_of_a_shadow_crosses_are_read_whole(recogniser: Recogniser) -> None:
    pixels = np.asarray(sheet()).astype(float)
    across = np.linspace(0, 1, pixels.shape[1])[None, :, None]
    shaded = Image.fromarray((pixels * np.interp(across, (0.42, 0.48), (1.0, 0.5))).astype(np.uint8))
    lines, _ = TesseractRecogniser(languages_of("ru"), recogniser).read_page(shaded)
    assert [line.text for line in lines] == RUSSIAN


def test_text_is_spelled_as_people_type_it() -> None:
    assert as_typed("人 人 生 而 自由 ， 在\n") == "人人生而自由，在"
    assert as_typed("PDF 文件 2024 年") == "PDF 文件 2024 年"
    assert as_typed("ประจําปี น้ํา") == "ประจำปี น้ำ"
    assert as_typed("e\u0301te\u0301  1\n") == "été 1"


def test_certainties_grow_with_what_tesseract_tells() -> None:
    told = [number / 100 for number in range(101)]
    found = [certainty(one) for one in told]
    assert found == sorted(found) and found[0] == 0.0 and found[-1] == 1.0
    assert all(abs(certainty(low) - high) < 1e-9 for low, high in CERTAINTIES)


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No program is on the path."""
    monkeypatch.setenv("PATH", str(tmp_path))
    yield
    monkeypatch.undo()


def test_where_it_is_absent_one_line_says_how_to_get_it(nowhere: None) -> None:
    assert installed() == frozenset() and print_of(sheet()) == Print(None)
    with pytest.raises(DrafterError, match=r"^nothing here reads Arabic: apt install tesseract-ocr-ara$"):
        make_drafter(ParseOptions(drafter="tesseract", language="ar"))
    with pytest.raises(DrafterError, match="is not installed: apt install tesseract-ocr"):
        make_drafter(ParseOptions(drafter="tesseract"))


def test_a_program_that_fails_is_an_error_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "tesseract"
    broken.write_text("#!/bin/sh\necho 'no such thing' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{Path(shutil.which('sh') or '/bin/sh').parent}")
    with pytest.raises(DrafterError, match=r"^tesseract -l rus failed: no such thing$"):
        TesseractRecogniser(languages_of("ru"), Recogniser(threads=1)).read_line(sheet())


@needs_russian
def test_it_needs_no_folder_that_a_killed_child_would_leave_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "is not there"))
    line = sheet().crop((0, 60, 1166, 140))
    assert TesseractRecogniser(languages_of("ru"), Recogniser(threads=1)).read_line(line)[0] == RUSSIAN[0]


def test_doubtful_lines_of_hebrew_are_read_with_english_too_and_kept_where_that_is_surer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs: list[tuple[str, int]] = []
    told = {"heb": [("sure", 0.99), ("1.826030", 0.8), ("half sure", 0.8)], "heb+eng": [("Canon", 0.97), ("no", 0.7)]}
    lines = {code: [LineRead(*one) for one in found] for code, found in told.items()}

    def run(pictures: list[Image.Image], code: str, mode: int) -> str:
        runs.append((code, len(pictures)))
        return code

    monkeypatch.setattr(tesseract, "_run", run)
    monkeypatch.setattr(tesseract, "_lines_of", lambda code, count: list(lines[code]))
    monkeypatch.setattr(tesseract, "installed", lambda: frozenset({"heb", "eng", "rus"}))
    pictures = [Image.new("L", (100, 20))] * 3
    reader = TesseractRecogniser(languages_of("heb"), Recogniser(threads=1))
    assert reader.read_lines(pictures) == [("sure", 0.99), ("Canon", 0.97), ("half sure", 0.8)]
    assert runs == [("heb", 3), ("heb+eng", 2)]
    lines["rus"] = lines["heb"]
    assert TesseractRecogniser(languages_of("rus"), Recogniser(threads=1)).read_lines(pictures) == told["heb"]
    assert runs[2:] == [("rus", 3)], "its model knows Latin letters"
