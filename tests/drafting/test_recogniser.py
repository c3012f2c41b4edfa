"""Another recognition model than the wheel's own: used where it is named, told how to be had where it is not there."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from docspec.core import DrafterError, ParseOptions
from docspec.drafting import make_drafter
from docspec.drafting.recogniser import MAX_SEARCHED, MODELS, Recogniser, _model_folder
from docspec.drafting.right_to_left import read_from_left


def test_a_model_that_is_named_reads(tmp_path: Path) -> None:
    other = tmp_path / "other_rec.onnx"  # the wheel's own under another name: no other is at hand
    shutil.copy(_model_folder() / MODELS["Rec.model_path"], other)
    line = Image.new("RGB", (260, 40), "white")
    ImageDraw.Draw(line).text((8, 4), "harbour 1842", fill="black", font_size=26)
    recogniser = Recogniser(threads=1, model=other)
    recogniser.check()
    assert recogniser.read_line(line)[0] == "harbour 1842"
    assert str(recogniser._models["Rec.model_path"]) == str(other)


def test_a_strip_is_not_enlarged_beyond_measure() -> None:
    seen = list[int]()
    recogniser = Recogniser(threads=1)

    def listening(image: np.ndarray) -> object:
        seen.append(image.size)
        raise EOFError  # what it is shown is enough

    recogniser._finder._load_det_model().session = listening
    with pytest.raises(EOFError):
        recogniser.read_page(Image.new("RGB", (15, 740), "white"))
    assert 0 < max(seen) <= 3 * 1.1 * MAX_SEARCHED


def test_where_a_missing_model_is_had_is_one_line_and_nothing_is_fetched(tmp_path: Path) -> None:
    wanted = tmp_path / "arabic_PP-OCRv5_rec_mobile.onnx"
    with pytest.raises(DrafterError, match=r"fetch it once: curl -L -o .*https://.*/arabic_PP-OCRv5_rec_mobile\.onnx"):
        make_drafter(ParseOptions(drafter="auto", ocr_model=wanted))
    with pytest.raises(DrafterError, match=r"RapidOCR has arabic_.*devanagari_.*korean_"):
        Recogniser(model=tmp_path / "mine.onnx").check()
    assert not wanted.exists()


def test_what_is_recognised_from_left_to_right_is_put_into_the_order_of_reading() -> None:
    assert read_from_left("ناهج مالس") == "سلام جهان"
    assert read_from_left("(1402) لاس") == "سال (1402)"
    assert read_from_left("two (2) words") == "two (2) words"
