"""Another recognition model than the wheel's own: used where it is named, told how to be had where it is not there."""

from __future__ import annotations

import shutil
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import onnx
import pytest
from PIL import Image, ImageDraw

from docspec.core import BBox, DrafterError, PageImage, ParseOptions
from docspec.drafting import make_drafter
from docspec.drafting.language_packs import pack_folder, packs
from docspec.drafting.rapid_engine import MODELS, model_folder
from docspec.drafting.recogniser import MAX_SEARCHED, Recogniser
from docspec.drafting.right_to_left import read_from_left

LETTERS = "абвгдежзийклмнопрстуфхцчшщ"


def test_a_model_that_is_named_reads(tmp_path: Path) -> None:
    other = tmp_path / "other_rec.onnx"  # the wheel's own under another name: no other is at hand
    shutil.copy(model_folder() / MODELS["Rec.model_path"], other)
    line = Image.new("RGB", (260, 40), "white")
    ImageDraw.Draw(line).text((8, 4), "harbour 1842", fill="black", font_size=26)
    recogniser = Recogniser(threads=1, model=other)
    recogniser.check()
    assert recogniser.read_line(line)[0] == "harbour 1842"
    assert str(recogniser.engine.models["Rec.model_path"]) == str(other)


def test_a_strip_is_not_enlarged_beyond_measure() -> None:
    seen = list[int]()
    recogniser = Recogniser(threads=1)

    def listening(image: np.ndarray) -> object:
        seen.append(image.size)
        raise EOFError  # what it is shown is enough

    recogniser.engine.detector.session = listening
    with pytest.raises(EOFError):
        recogniser.read_page(Image.new("RGB", (15, 740), "white"))
    assert 0 < max(seen) <= 3 * 1.1 * MAX_SEARCHED


@pytest.mark.parametrize("size", [(1500, 7), (1450, 17), (9, 1460), (2000, 3), (1, 1)])
def test_a_strip_that_would_be_reduced_to_nothing_is_read(size: tuple[int, int]) -> None:
    """A rule or a leader across a page is searched for print, too; it must not end the page's draft."""
    recogniser, strip = Recogniser(threads=1), Image.new("RGB", size, "white")
    assert recogniser.read_page(strip) == ([], 0.0)
    assert recogniser.find_lines(strip) == []
    assert recogniser.read_line(strip)[0].strip(" -_.—·") == ""


def test_print_in_a_thin_strip_is_found() -> None:
    strip = Image.new("RGB", (1500, 16), "white")
    ImageDraw.Draw(strip).text((700, 0), "harbour 1842", fill="black", font_size=13)
    [line] = Recogniser(threads=1).read_page(strip)[0]
    assert line.text == "harbour 1842" and 690 < line.bbox.x0 < 710 and line.bbox.y1 < 24


def test_where_a_missing_model_is_had_is_one_line_and_nothing_is_fetched(tmp_path: Path) -> None:
    wanted = tmp_path / "arabic_PP-OCRv5_rec_mobile.onnx"
    with pytest.raises(DrafterError, match=f"fetch it once: docspec models download ocr:arabic --to {tmp_path}$"):
        Recogniser(model=wanted).check()
    with pytest.raises(DrafterError, match=r"RapidOCR has .*arabic, .*devanagari, .*korean"):
        Recogniser(model=tmp_path / "mine.onnx").check()
    assert not wanted.exists()


def test_a_pack_reads_the_print_of_its_script_and_tells_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wheel's model, told that its Latin capitals are Cyrillic ones, stands for a pack: no published one is at
    hand."""
    model = onnx.load(str(model_folder() / MODELS["Rec.model_path"]))
    [characters] = [one for one in model.metadata_props if one.key == "character"]
    told = dict(zip("ABCEHKMOPTXY", "АВСЕНКМОРТХУ", strict=True)) | dict(zip(ascii_lowercase, LETTERS, strict=True))
    characters.value = "\n".join(told.get(one, one) for one in characters.value.split("\n"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    pack_folder().mkdir(parents=True)
    onnx.save(model, str(pack_folder() / packs()["eslav"].file_name))
    page = Image.new("RGB", (500, 300), "white")
    for number, text in enumerate(("TOBAP HA CKAMEE", "CTAKAH BOCEM", "MOCKBA POCTOB")):
        ImageDraw.Draw(page).text((30, 40 + 80 * number), text, fill="black", font_size=34)
    drafter = make_drafter(ParseOptions(drafter="rapidocr", language="ru"))
    draft = drafter.draft(PageImage(page, 1, 1.0, "photo.png"))
    assert " ".join(draft.regions[0].texts[0].split()).startswith("ТОВАР НА СКАМЕЕ")
    assert "Cyrillic" in draft.scripts


def test_a_model_without_characters_is_refused_before_anything_is_fetched(tmp_path: Path) -> None:
    model = onnx.load(str(model_folder() / MODELS["Rec.model_path"]))
    del model.metadata_props[:]
    onnx.save(model, str(tmp_path / "bare.onnx"))
    with pytest.raises(DrafterError, match="not a recognition model of RapidOCR's list"):
        Recogniser(threads=1, model=tmp_path / "bare.onnx").read_line(Image.new("RGB", (99, 30)))


def test_what_is_recognised_from_left_to_right_is_put_into_the_order_of_reading() -> None:
    assert read_from_left("ناهج مالس") == "سلام جهان"
    assert read_from_left("(1402) لاس") == "سال (1402)"
    assert read_from_left("two (2) words") == "two (2) words"


def test_the_same_area_of_several_pages_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    recogniser, reads = Recogniser(threads=1), list[tuple[int, int]]()
    read = recogniser.read_page
    monkeypatch.setattr(
        recogniser, "read_page", lambda image, **known: (reads.append(image.size), read(image, **known))[1]
    )
    pages = [Image.new("RGB", (400, 500), "white") for _ in range(3)]
    for page, top, words in zip(pages, (40, 340, 40), ("harbour 1842", "harbour 1842", "harbour 1843"), strict=True):
        ImageDraw.Draw(page).text((48, top + 10), words, fill="black", font_size=26)
    areas = [BBox(40, top, 300, top + 50) for top in (40, 340, 40)]
    first, second, other = (recogniser.read_area(page, area) for page, area in zip(pages, areas, strict=True))
    assert len(reads) == 2
    assert [line.text for line in (*first, *second, *other)] == ["harbour 1842", "harbour 1842", "harbour 1843"]
    assert second[0].bbox == first[0].bbox.shifted(0, 300)


def test_known_print_in_an_area_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels of a chart stand in the text layer, the words of its picture do not."""
    recogniser, read = Recogniser(threads=1), list[int]()
    usual = recogniser.engine.read
    monkeypatch.setattr(
        recogniser.engine, "read", lambda lines, tell=None: (read.append(len(lines)), usual(lines, tell))[1]
    )
    page = Image.new("RGB", (700, 400), "white")
    texts = ["harbour of 1842 in March", "lighthouse of 1843 in May", "ferry of Oban in June", "timber, grain in July"]
    for row, text in enumerate(texts):
        ImageDraw.Draw(page).text((48, 50 + 80 * row), text, fill="black", font_size=26)
    everywhere = BBox(0, 0, 700, 400)
    for image in (page, page.rotate(4, fillcolor="white", resample=Image.Resampling.BICUBIC)):
        every = recogniser.read_area(image, everywhere)
        known = [line.bbox.grown(3) for line in every[:2]]
        others = recogniser.read_area(image, everywhere, known)
        assert [line.text for line in every] == texts
        assert [(line.text, line.bbox) for line in others] == [(line.text, line.bbox) for line in every[2:]]
    assert read == [4, 2, 4, 2]
