"""The choice of a drafter, page by page, and what happens when one fails."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
from PIL import Image, ImageDraw

from docspec.core import BBox, Category, DrafterError, PageDraft, PageImage, ParseOptions, Region, UsageError
from docspec.drafting import SafeDrafter, build_drafter, make_drafter
from docspec.drafting.auto import AutoDrafter
from docspec.drafting.blank import is_blank
from docspec.drafting.drafter import Drafter
from docspec.drafting.recogniser import Recogniser
from samples.scripts import TEXTS

from .conftest import write_without_unicode_of
from .test_rapidocr import write_short

PageOf = Callable[..., PageImage]


def test_a_sound_text_layer_is_used(page_of: PageOf, recogniser: Recogniser) -> None:
    draft = AutoDrafter(recogniser=recogniser).draft(page_of())
    assert draft.drafter == "text-layer"
    assert draft.reason.startswith("sound text layer")
    assert not draft.is_empty


def test_a_scan_is_recognised(page_of: PageOf, recogniser: Recogniser) -> None:
    draft = AutoDrafter(recogniser=recogniser).draft(page_of(write_short, size=(260, 180), scan=True))
    assert draft.drafter == "rapidocr"
    assert draft.reason.startswith("no text layer; 4 lines recognised")


@pytest.mark.parametrize(
    ("script", "drafter"), [("russian", "text-layer"), ("greek", "rapidocr")], ids=["not recognised", "recognised"]
)
def test_an_unsound_layer_is_better_than_recognition_without_its_letters(
    page_of: PageOf, recogniser: Recogniser, script: str, drafter: str
) -> None:
    text = (TEXTS / f"{script}.md").read_text(encoding="utf-8")
    unknown = "бваи" if script == "russian" else "αιτσ"
    draft = AutoDrafter(recogniser=recogniser).draft(
        page_of(lambda page: write_without_unicode_of(page, unknown, text))
    )
    assert draft.drafter == drafter
    assert "text layer of unknown characters" in draft.reason or "does not tell" in draft.reason
    sources = {region.words for region in draft.regions if region.texts}
    assert sources == ({None} if drafter == "text-layer" else {"recognition"})


def test_a_stamp_in_letters_that_are_not_recognised_is_not_all_there_is(
    page_of: PageOf, recogniser: Recogniser
) -> None:
    page = page_of(write_short, size=(260, 180), scan=True)
    assert page.pdf_page is not None
    font = pymupdf.Font("helv")
    page.pdf_page.insert_font(fontname="F0", fontbuffer=font.buffer)
    page.pdf_page.insert_text((20, 170), "Старая обсерватория", fontname="F0", fontsize=8)
    assert AutoDrafter(recogniser=recogniser).draft(page).drafter == "rapidocr"


def test_painted_words_over_a_picture_that_are_not_recognised_are_kept_and_no_word_is_twice(
    page_of: PageOf, recogniser: Recogniser
) -> None:
    def draw(page: Any) -> None:
        shades = np.tile(np.linspace(120, 255, 200)[:, None, None], (1, 200, 3)).astype(np.uint8)
        picture = pymupdf.Pixmap(pymupdf.csRGB, 200, 200, shades.tobytes(), False)
        page.insert_image(page.rect, pixmap=picture)
        page.insert_text((40, 250), "Words that are read as they stand", fontsize=14)
        page.insert_text((40, 90), "pale words", fontsize=7, color=(0.7, 0.7, 0.7))

    draft = AutoDrafter(recogniser=recogniser).draft(page_of(draw, size=(340, 300)))
    assert draft.reason.startswith("scan with only")
    words = [word for region in draft.regions for text in region.texts[:1] for word in text.split()]
    assert " ".join(words) == "pale words Words that are read as they stand"


def test_a_blank_page_has_an_empty_draft(page_of: PageOf, recogniser: Recogniser) -> None:
    draft = AutoDrafter(recogniser=recogniser).draft(page_of(lambda page: None))
    assert (draft.is_empty, draft.reason) == (True, "no text layer; nothing to recognise")


def test_without_models_the_text_layer_still_works(
    page_of: PageOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docspec.drafting.rapid_engine.model_folder", lambda: tmp_path)
    drafter = AutoDrafter()
    assert drafter.draft(page_of()).drafter == "text-layer"
    draft = drafter.draft(page_of(scan=True))
    assert draft.is_empty
    assert "reinstall" in draft.reason


def noisy_paper(level: int) -> Image.Image:
    generator = np.random.default_rng(1)
    shade = np.linspace(level, level - 40, 1400)[:, None, None]
    return Image.fromarray(np.clip(shade + generator.normal(0, 6, (1400, 1000, 3)), 0, 255).astype(np.uint8))


@pytest.mark.parametrize("level", [255, 200, 90])
def test_paper_is_blank_however_grey_and_noisy(level: int) -> None:
    page = PageImage(noisy_paper(level), 1, 1.0, "scan.png")
    assert is_blank(page)


def test_a_single_page_number_is_not_blank(page_of: PageOf) -> None:
    assert not is_blank(page_of(lambda page: page.insert_text((205, 575), "7", fontsize=9), size=(595, 842)))


def test_a_long_receipt_is_not_blank() -> None:
    """Reduced by its length alone, its letters would fade into the paper."""
    receipt = Image.new("RGB", (640, 24_000), "white")
    draw = ImageDraw.Draw(receipt)
    for line in range(400, 24_000, 1200):
        draw.text((60, line), "TOTAL 12.40", fill="black", font_size=26)
    assert not is_blank(PageImage(receipt, 1, 1.0, "receipt.png"))
    assert is_blank(PageImage(Image.new("RGB", receipt.size, "white"), 1, 1.0, "receipt.png"))


@pytest.mark.parametrize("grey", [0.86, 0.98])
@pytest.mark.parametrize("scan", [False, True])
def test_faint_print_over_a_whole_page_is_not_blank(page_of: PageOf, grey: float, scan: bool) -> None:
    def faint(page: Any) -> None:
        for y in range(30, 590, 14):
            page.insert_text((20, y), "Faint words all over the page " * 3, fontsize=12, color=(grey,) * 3)

    assert not is_blank(page_of(faint, scan=scan))


def test_faint_colour_and_one_faint_word_are_not_blank() -> None:
    for fill in ((255, 255, 120), (246, 246, 246)):
        image = noisy_paper(255) if fill[2] == 120 else Image.new("RGB", (1000, 1400), "white")
        ImageDraw.Draw(image).text((300, 500), "Faint", fill=fill, font_size=34)
        assert not is_blank(PageImage(image, 1, 1.0, "a.png")), fill


def test_what_is_coarser_than_paper_is_not_blank() -> None:
    assert not is_blank(PageImage(Image.effect_noise((320, 192), 90).convert("RGB"), 1, 1.0, "a.png"))


def test_what_claims_text_is_not_blank(page_of: PageOf) -> None:
    white = PageImage(Image.new("RGB", (500, 500), "white"), 1, 1.0, "a.png")
    claim = PageDraft((Region(BBox(0, 0, 9, 9), Category.TEXT, ("Words",)),))
    assert is_blank(white)
    assert not is_blank(white, claim)
    hidden = page_of(lambda page: page.insert_text((60, 300), "white on white", color=(1, 1, 1)))
    assert is_blank(hidden) and [event.kind for event in hidden.events] == ["hidden_text"], (
        "nobody sees it, and it is said"
    )
    assert not is_blank(page_of(lambda page: page.draw_line((60, 300), (90, 300), width=0.3)))


class Broken:
    name = "broken"

    def draft(self, page: PageImage) -> PageDraft:
        raise ValueError("tensor of the wrong shape\nand a second line")


def test_a_failing_drafter_becomes_an_empty_draft_and_an_event(page_of: PageOf) -> None:
    drafter = SafeDrafter(Broken())
    assert isinstance(drafter, Drafter)
    draft = drafter.draft(page_of())
    what = "tensor of the wrong shape and a second line"
    assert (draft.is_empty, draft.drafter, draft.reason) == (True, "broken", f"failed: {what}")
    assert [event.kind for event in draft.events] == ["drafter_failed"]
    assert draft.events[0].detail == f"broken: {what}; decoded without a draft"


@pytest.mark.parametrize("error", [MemoryError(), RecursionError("too deep"), SystemExit(3), ValueError()])
def test_no_exception_of_a_drafter_reaches_the_page(page_of: PageOf, error: BaseException) -> None:
    class Leaving(Broken):
        def draft(self, page: PageImage) -> PageDraft:
            raise error

    draft = SafeDrafter(Leaving()).draft(page_of())
    [event] = draft.events
    assert (draft.is_empty, event.kind) == (True, "drafter_failed")
    assert len(draft.reason) > len("failed: ")


@pytest.mark.parametrize("name", ["auto", "text-layer", "rapidocr", "none"])
def test_drafters_are_made_by_name(name: str) -> None:
    drafter = make_drafter(ParseOptions(drafter=name))  # type: ignore[arg-type]
    assert drafter.name == name


def test_no_draft_is_a_draft_too(page_of: PageOf) -> None:
    draft = make_drafter(ParseOptions(drafter="none")).draft(page_of())
    assert (draft.is_empty, draft.drafter, draft.events) == (True, "none", ())


def test_what_cannot_work_is_refused_before_the_first_page(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--set drafts=PATH"):
        build_drafter(ParseOptions(drafter="saved"))
    with pytest.raises(DrafterError, match="no saved drafts"):
        make_drafter(ParseOptions(drafter="saved", drafts=tmp_path / "gone"))
    with pytest.raises(UsageError, match="choose among"):
        build_drafter(ParseOptions(drafter="magic"))  # type: ignore[arg-type]


def test_importing_the_packages_loads_nothing_heavy() -> None:
    code = (
        "import sys, docspec.documents, docspec.drafting\n"
        "heavy = {'pymupdf', 'rapidocr', 'onnxruntime', 'PIL', 'numpy', 'torch', 'cv2'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (0, "")
