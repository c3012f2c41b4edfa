"""The choice of a drafter, page by page, and what happens when one fails."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from docspec.core import BBox, Category, DrafterError, PageDraft, PageImage, ParseOptions, Region, UsageError
from docspec.drafting import SafeDrafter, build_drafter, make_drafter
from docspec.drafting.auto import AutoDrafter
from docspec.drafting.blank import is_blank
from docspec.drafting.drafter import Drafter
from docspec.drafting.recogniser import Recogniser

from .test_rapidocr import write_short

PageOf = Callable[..., PageImage]


def test_a_sound_text_layer_is_used(page_of: PageOf, recogniser: Recogniser) -> None:
    draft = AutoDrafter(recogniser=recogniser).draft(page_of())
    assert draft.drafter == "text-layer"
    assert draft.reason.startswith("sound text layer (likeness")
    assert not draft.is_empty


def test_a_scan_is_recognised(page_of: PageOf, recogniser: Recogniser) -> None:
    draft = AutoDrafter(recogniser=recogniser).draft(page_of(write_short, size=(260, 180), scan=True))
    assert draft.drafter == "rapidocr"
    assert draft.reason.startswith("no text layer; 4 lines recognised")


def test_a_blank_page_has_an_empty_draft(page_of: PageOf, recogniser: Recogniser) -> None:
    draft = AutoDrafter(recogniser=recogniser).draft(page_of(lambda page: None))
    assert (draft.is_empty, draft.reason) == (True, "blank page")


def test_without_models_the_text_layer_still_works(
    page_of: PageOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docspec.drafting.recogniser._model_folder", lambda: tmp_path)
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


def test_faint_print_counts_where_the_draft_has_text(page_of: PageOf) -> None:
    page = page_of(
        lambda page: page.insert_text((60, 300), "Faint words", fontsize=20, color=(0.9, 0.9, 0.9))
    )
    claim = PageDraft((Region(BBox(0, 0, 9, 9), Category.TEXT, ("Faint words",)),))
    assert is_blank(page)
    assert not is_blank(page, claim)
    assert is_blank(PageImage(Image.new("RGB", (500, 500), "white"), 1, 1.0, "a.png"), claim)


class Broken:
    name = "broken"

    def draft(self, page: PageImage) -> PageDraft:
        raise ValueError("tensor of the wrong shape\nand a second line")


def test_a_failing_drafter_becomes_an_empty_draft_and_an_event(page_of: PageOf) -> None:
    drafter = SafeDrafter(Broken())
    assert isinstance(drafter, Drafter)
    draft, events = drafter.draft_with_events(page_of())
    assert (draft.is_empty, draft.drafter, draft.reason) == (True, "broken", "failed")
    assert [event.kind for event in events] == ["drafter_failed"]
    assert events[0].detail == "broken: tensor of the wrong shape; decoded without a draft"
    assert drafter.draft(page_of()).is_empty


@pytest.mark.parametrize("name", ["auto", "text-layer", "rapidocr", "none"])
def test_drafters_are_made_by_name(name: str) -> None:
    drafter = make_drafter(ParseOptions(drafter=name))  # type: ignore[arg-type]
    assert drafter.name == name


def test_no_draft_is_a_draft_too(page_of: PageOf) -> None:
    draft, events = make_drafter(ParseOptions(drafter="none")).draft_with_events(page_of())
    assert (draft.is_empty, draft.drafter, events) == (True, "none", ())


def test_what_cannot_work_is_refused_before_the_first_page(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--drafts"):
        build_drafter(ParseOptions(drafter="saved"))
    with pytest.raises(DrafterError, match="no saved drafts"):
        make_drafter(ParseOptions(drafter="saved", drafts=tmp_path / "gone"))
    with pytest.raises(UsageError, match="unknown"):
        build_drafter(ParseOptions(drafter="magic"))  # type: ignore[arg-type]


def test_importing_the_packages_loads_nothing_heavy() -> None:
    code = (
        "import sys, docspec.documents, docspec.drafting\n"
        "heavy = {'pymupdf', 'rapidocr', 'onnxruntime', 'PIL', 'numpy', 'torch', 'cv2'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (0, "")
