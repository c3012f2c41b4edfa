"""Columns of Japanese and Chinese print in scans are read from the right, each from top to bottom."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest
from PIL import Image
from rapidfuzz.distance import Levenshtein

from docspec.core import PageImage
from docspec.drafting.rapidocr import RapidOcrDrafter
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.stacked import as_in_columns, in_a_row, with_columns

JAPANESE = [
    "すべての人間は、生まれながらにして自由であり、か",
    "つ、尊厳と権利とについて平等である。人間は、理性",
    "と良心とを授けられており、互いに同胞の精神をもっ",
    "て行動しなければならない。すべて人は、生命、自由",
    "及び身体の安全に対する権利を有する。港の灯台は百",
    "年前に建てられ、毎晩十二時間のあいだ光を送ってい",
    "る。船長は朝早く岬を回り、島へ向かった。",
]
CHINESE = [
    "人人生而自由，在尊严和权利上一律平等。他们赋有理",
    "性和良心，并应以兄弟关系的精神相对待。人人有权享",
    "有生命、自由和人身安全。港口的灯塔建于一百年前，",
    "每晚发光十二个小时。船长清早绕过海角，向岛上驶去",
    "。风从北方吹来，浪很高，但是没有一个乘客抱怨。",
]


def scan(lines: list[str], font: str, vertical: bool = True, number: str = "") -> Image.Image:
    """``lines`` as columns from the right, or as rows, on a scanned page, with a page ``number`` below."""
    pdf = pymupdf.open()
    page = pdf.new_page(width=420, height=595)
    for index, line in enumerate(lines):
        place = (360 - 26 * index, 70) if vertical else (40, 80 + 26 * index)
        page.insert_text(place, line, fontname=font, fontsize=14)
    for xref in range(1, pdf.xref_length() if vertical else 1):
        encoding = pdf.xref_get_key(xref, "Encoding")[1]
        if encoding.endswith("-UTF16-H"):
            pdf.xref_set_key(xref, "Encoding", encoding[:-1] + "V")
    with pymupdf.open("pdf", pdf.tobytes()) as document:
        document[0].insert_text((200, 560), number, fontsize=11)
        grey = document[0].get_pixmap(dpi=150, colorspace="gray").pil_image()
    noise = np.random.default_rng(1).normal(0, 8, (grey.height, grey.width))
    return Image.fromarray((np.asarray(grey) + noise).clip(0, 255).astype(np.uint8)).convert("RGB")


@pytest.mark.parametrize(("lines", "font"), [(JAPANESE, "japan"), (CHINESE, "china-s")])
def test_columns_are_read_from_the_right_with_their_punctuation(
    lines: list[str], font: str, recogniser: Recogniser
) -> None:
    draft = RapidOcrDrafter(recogniser, upright=True).draft(PageImage(scan(lines, font), 1, 1.0, "a.png"))
    text = "".join("".join(region.texts[0].split()) for region in draft.regions if region.texts)
    assert Levenshtein.normalized_similarity(text, "".join(lines)) > 0.97
    assert not draft.seen and all(region.words == "recognition" for region in draft.regions)
    assert len(draft.recognised) == len(lines)


def test_what_is_no_column_stands_in_its_place(recogniser: Recogniser) -> None:
    page = PageImage(scan(JAPANESE, "japan", number="page 17"), 1, 1.0, "a.png")
    draft = RapidOcrDrafter(recogniser).draft(page)
    assert draft.regions[-1].texts[0].replace(" ", "") == "page17"
    assert draft.regions[0].texts[0].startswith("すべての人間は")


@pytest.mark.parametrize("turn", [None, Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_270])
def test_rows_are_no_columns_however_the_page_lies(turn: Image.Transpose | None, recogniser: Recogniser) -> None:
    image = scan(JAPANESE, "japan", vertical=False)
    image = image if turn is None else image.transpose(turn)
    lines, _ = recogniser.read_page(image)
    assert with_columns(image, lines, recogniser) == ([], lines)


@pytest.mark.parametrize("pitch", [24, 26, 30])
def test_signs_of_a_column_are_cut_apart(pitch: int) -> None:
    column = np.full((10 * pitch + 10, 30), 255, dtype=np.uint8)
    for number in range(10):  # of two strokes each, as 二 has
        top = 5 + number * pitch
        column[top + 2 : top + 5, 6:24] = 0
        column[top + 16 : top + 19, 4:26] = 0
    row = np.asarray(in_a_row(Image.fromarray(column)))
    gaps = np.diff((row < 128).any(axis=0).astype(int), prepend=0)
    assert (gaps == 1).sum() == 10, "ten signs beside each other"
    assert (row < 128).sum() == (column < 128).sum(), "nothing is lost"


def test_an_empty_column_stays_as_it_is() -> None:
    column = Image.new("L", (20, 200), 250)
    assert in_a_row(column) is column


BRACKETED = [
    "「データはサーバーにあります」と彼は言った。",
    "カレンダー（二〇二四年）を見て、ビールとケーキ",
    "を注文した。『パーティー』はホールで行われ、",
    "メニューには「ハンバーガー」「カレー」がある。",
    "【重要】エアコンのスイッチは【切】にすること。",
    "《東京》から《大阪》まで、スピードは時速百キロ",
    "た。「ええ、そうです。」「では、また明日！」",
]


def test_brackets_and_long_vowels_are_read_and_so_are_marks_at_the_ends_of_columns(recogniser: Recogniser) -> None:
    draft = RapidOcrDrafter(recogniser).draft(PageImage(scan(BRACKETED, "japan"), 1, 1.0, "a.png"))
    text = "".join("".join(region.texts[0].split()) for region in draft.regions if region.texts)
    truth = "".join(BRACKETED)
    assert Levenshtein.normalized_similarity(text, truth) > 0.98  # 0.86 before they were turned back
    for mark in "「」『』（）【】《》ー。":
        assert abs(text.count(mark) - truth.count(mark)) <= 1, mark


def test_marks_of_columns_are_as_wide_as_their_signs() -> None:
    assert as_in_columns("(第一章)とA(b)!です?") == "（第一章）とA(b)！です？"
    assert as_in_columns("page (17), 3:4") == "page (17), 3:4"
