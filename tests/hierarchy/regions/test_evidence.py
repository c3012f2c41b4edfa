"""Words that are known and sound stand (``--words evidence``); the model reads the rest."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from PIL import Image, ImageDraw, ImageFont

from docspec.core import BBox, Category, PageResult, ParseOptions, PrintedLine, Region, UsageError
from docspec.core.marks import Mark
from docspec.hierarchy.regions.evidence import SURE, known_block, known_text, stands
from docspec.parser import Parser
from docspec.targets.model_profile import ModelProfile

FIGURES = "The sum of 4,136 and 0.0002 M was paid by PvuII for about 1M samples, a 2x speed up."
CARD = ModelProfile("markdown", reads=("formula", "unsure"))


def _letter(path: Path, pasted: str = "") -> Path:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_textbox((72, 72, 520, 120), FIGURES, fontsize=11)
        page.insert_textbox((72, 130, 520, 180), "Żółw, naïve façade.", fontsize=11, fontname="tiro")
        if pasted:
            picture = Image.new("RGB", (1200, 600), "white")
            font = ImageFont.truetype(_font(), 40)
            ImageDraw.Draw(picture).multiline_text((40, 40), pasted, fill="black", font=font, spacing=24)
            png = io.BytesIO()
            picture.save(png, "PNG")
            page.insert_image((72, 260, 522, 485), stream=png.getvalue())
        pdf.save(path)
    return path


def _font() -> io.BytesIO:
    return io.BytesIO(pymupdf.Font("helv").buffer)


def _read(path: Path, **options: object) -> PageResult:
    with Parser(ParseOptions(model="mini", **options)) as parser:  # type: ignore[arg-type]
        [page] = parser.parse(path).pages
    return page


def test_a_sound_text_layer_stands_and_the_model_is_not_asked(tmp_path: Path) -> None:
    page = _read(_letter(tmp_path / "letter.pdf"))
    assert FIGURES in page.text
    assert {block.words for block in page.blocks} == {"text layer"}
    assert page.stage2 is not None and page.stage2.tokens == 0
    assert "words_stand" in {event.kind for event in page.events}


def test_asked_for_its_words_the_model_reads_every_region(tmp_path: Path) -> None:
    page = _read(_letter(tmp_path / "letter.pdf"), words="model")
    assert {block.words for block in page.blocks} == {"model"}
    assert page.stage2 is not None and page.stage2.tokens > 0


def test_a_letter_that_is_pasted_in_as_a_picture_is_written(tmp_path: Path) -> None:
    pasted = "Statement of the account\nOpening balance on Monday\nPayments received since then"
    page = _read(_letter(tmp_path / "pasted.pdf", pasted))
    written = " ".join(block.text for block in page.blocks)
    assert "Opening balance on Monday" in written and "Payments received since then" in written
    assert FIGURES in written


def test_a_page_read_whole_is_the_models(tmp_path: Path) -> None:
    assert not ParseOptions(read="page").evidence
    assert ParseOptions().evidence and ParseOptions(model="mini").evidence
    assert not ParseOptions(model="rednote-hilab/dots.ocr").evidence
    with pytest.raises(UsageError, match="--words evidence and --read page"):
        ParseOptions(words="evidence", read="page")


def test_unsure_recognition_and_what_the_card_reads_better_do_not_stand() -> None:
    box = BBox(0, 0, 100, 20)

    def line(confidence: float) -> Region:
        printed = (PrintedLine(box, "4,136", confidence=confidence),)
        return Region(box, Category.TEXT, ("4,136",), lines=printed, words="recognition")

    assert stands(line(SURE), CARD) and not stands(line(SURE - 0.01), CARD)
    assert stands(line(0.1), replace(CARD, reads=()))
    assert not stands(Region(box, Category.TEXT, ("4,136",)), CARD)
    assert not stands(Region(box, Category.FORMULA, ("E = mc2",), words="text layer"), CARD)
    assert stands(Region(box, Category.TABLE, ("<table><tr><td>1</td></tr></table>",), words="text layer"), CARD)


def test_words_of_a_script_that_the_reader_does_not_write_stand_sound_or_not() -> None:
    card = replace(CARD, scripts=("Latin",))
    place = BBox(0, 0, 100, 20)
    unsound = Region(place, Category.TEXT, ("سوق المدينة ǀ؝ القديمة",))
    assert stands(unsound, card) and not stands(unsound, replace(card, scripts=()))
    assert stands(replace(unsound, texts=("Страница: post.example.org",)), card), "a part of the letters is enough"
    assert not stands(replace(unsound, texts=("A wave of length λ that is Δ long",)), card)
    assert not stands(replace(unsound, texts=()), card)
    assert not stands(replace(unsound, category=Category.FORMULA, texts=("ε f(ε) = αβγ",)), card), "signs are no script"
    assert known_block(unsound, "سوق").words == "draft"


def test_known_text_is_no_answer_of_a_model_to_be_unpacked() -> None:
    box = BBox(0, 0, 100, 20)
    lines = (PrintedLine(box, "A thought ends with </think>"), PrintedLine(box.shifted(0, 20), "and goes on."))
    region = Region(box, Category.TEXT, ("\n".join(line.text for line in lines),), lines=lines, words="text layer")
    assert known_text(region) == "A thought ends with </think> and goes on."


def test_words_with_a_formula_between_them_are_no_formula_as_a_whole() -> None:
    box = BBox(0, 0, 100, 40)
    mark = Mark("formula", 0, 7, "display")
    lines = (PrintedLine(box, "$$a=b$$", marks=(mark,)), PrintedLine(box.shifted(0, 40), "of all pairs"))
    region = Region(box, Category.FORMULA, ("\n".join(line.text for line in lines),), lines=lines, words="text layer")
    assert known_text(region) == "$$a=b$$\nof all pairs"
    alone = replace(region, texts=("$$a=b$$",), lines=lines[:1])
    assert known_text(alone) == "$$\na=b\n$$"
