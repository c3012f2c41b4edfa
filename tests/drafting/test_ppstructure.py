"""The real ``paddleocr.PPStructureV3`` drafts pages offline, over real text models and generated other
ones.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image, ImageDraw, ImageFont

from docspec.core import BBox, Category, DrafterError, PageDraft, PageImage
from docspec.drafting.drafter import Drafter
from docspec.drafting.ppstructure import PPStructureDrafter
from docspec.drafting.ppstructure.models import FEATURES, PARTS, Model, ModelSet
from docspec.drafting.ppstructure.pipeline import choose_engines
from docspec.drafting.saved import SavedDrafter
from tests.drafting.paddle_models import (
    LayoutBox,
    add_column_model,
    add_formula_model,
    add_layout_model,
    add_table_models,
    add_table_rotation_model,
    add_text_models,
)

WIDTH, HEIGHT = 750, 975  # pixels of the page; the layout below is in shares of it

LAYOUT = (  # in no useful order: reading order is the pipeline's work
    LayoutBox("number", 0.45, 0.94, 0.55, 0.98),
    LayoutBox("formula_number", 0.80, 0.60, 0.90, 0.66),
    LayoutBox("text", 0.52, 0.14, 0.90, 0.30),
    LayoutBox("table", 0.10, 0.40, 0.90, 0.55),
    LayoutBox("formula", 0.30, 0.60, 0.60, 0.66),
    LayoutBox("image", 0.10, 0.70, 0.50, 0.85),
    LayoutBox("text", 0.10, 0.14, 0.48, 0.30),
    LayoutBox("doc_title", 0.10, 0.05, 0.90, 0.11),
)
LEFT = ("The river runs to", "the sea in winter,", "while summer brings")
RIGHT = ("Rain falls on the", "hills and every infor-", "mation is lost.")
CELLS = ((90, 405, "City"), (405, 405, "Length"), (90, 480, "Rome"), (405, 480, "405 km"))
STRUCTURE = (
    *("<thead>", "<tr>", "<td></td>", "<td></td>", "</tr>", "</thead>"),
    *("<tbody>", "<tr>", "<td></td>", "<td></td>", "</tr>", "</tbody>"),
)
CELL_BOXES = ((0, 0, 0.5, 0.5), (0.5, 0, 1, 0.5), (0, 0.5, 0.5, 1), (0.5, 0.5, 1, 1))
TABLE_ASPECT = (0.8 * WIDTH) / (0.15 * HEIGHT)
TABLE_HTML = (
    "<table><thead><tr><td>City</td><td>Length</td></tr></thead>"
    "<tbody><tr><td>Rome</td><td>405 km</td></tr></tbody></table>"
)


def printed_page(scale: float = 1.0) -> Image.Image:
    """A page with a title, two columns, a table, a numbered formula, a picture and a page number."""
    image = Image.new("RGB", (round(WIDTH * scale), round(HEIGHT * scale)), "white")
    draw = ImageDraw.Draw(image)

    def write(x: float, y: float, text: str, size: float = 18) -> None:
        draw.text((x * scale, y * scale), text, fill="black", font=ImageFont.load_default(size * scale))

    write(225, 60, "A Study of Rivers", 30)
    for x, lines in ((79, LEFT), (394, RIGHT)):
        for number, line in enumerate(lines):
            write(x, 142 + 30 * number, line)
    for x, y, text in CELLS:
        write(x, y, text)
    write(240, 600, "E = mc2")
    write(615, 600, "(1)")
    draw.ellipse([112 * scale, 698 * scale, 338 * scale, 810 * scale], fill="gray")
    write(367, 922, "17")
    return image


def page_of(image: Image.Image, number: int = 1, source: str = "rivers.png") -> PageImage:
    return PageImage(image, number, 2.0, source)


@dataclass(frozen=True)
class Setup:
    """A drafter, the folder of its models, the printed page and its draft."""

    drafter: PPStructureDrafter
    models: Path
    image: Image.Image
    draft: PageDraft


def set_up(models: Path) -> Setup:
    drafter = PPStructureDrafter(models, offline=True)
    image = printed_page()
    return Setup(drafter, models, image, drafter.draft(page_of(image)))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Setup:
    """Every feature on; tables without lines."""
    root = tmp_path_factory.mktemp("full")
    add_text_models(root)
    add_layout_model(root, LAYOUT)
    add_table_models(root, "wireless_table", STRUCTURE, CELL_BOXES, TABLE_ASPECT)
    add_table_rotation_model(root)
    add_column_model(root)
    add_formula_model(root, "E = m c ^ { 2 }")
    return set_up(root)


@pytest.fixture(scope="module")
def text_only(tmp_path_factory: pytest.TempPathFactory) -> Setup:
    """Only the models that must be there."""
    root = tmp_path_factory.mktemp("text-only")
    add_text_models(root)
    add_layout_model(root, LAYOUT)
    return set_up(root)


def test_it_is_a_drafter(full: Setup) -> None:
    assert isinstance(full.drafter, Drafter)
    full.drafter.check()


def test_every_kind_of_region_is_read_in_reading_order(full: Setup) -> None:
    assert [(region.category, region.texts[:1]) for region in full.draft.regions] == [
        (Category.TITLE, ("A Study of Rivers",)),
        (Category.TEXT, ("\n".join(LEFT),)),
        (Category.TEXT, ("\n".join(RIGHT),)),
        (Category.TABLE, (TABLE_HTML,)),
        (Category.FORMULA, (r"E=m c^{2} \tag{1}",)),
        (Category.PICTURE, ()),
        (Category.PAGE_FOOTER, ("17",)),
    ]


def test_boxes_are_pixels_of_the_page_image(full: Setup) -> None:
    title = full.draft.regions[0].bbox
    assert title.rounded() == (75, 48, 675, 107)
    formula = full.draft.regions[4].bbox  # with its number
    assert formula.rounded() == (225, 585, 675, 643)


def test_the_draft_says_where_it_comes_from_and_what_it_cost(full: Setup) -> None:
    assert (full.draft.drafter, full.draft.reason) == ("ppstructure", "PP-StructureV3 on onnxruntime")
    assert 0.05 < full.draft.seconds < 60
    assert all(0.85 < region.confidence <= 1 for region in full.draft.regions)


def test_the_page_image_itself_is_left_as_it_was(full: Setup) -> None:
    # The pipeline whitens formulas in what it is given.
    assert np.array_equal(np.asarray(full.image), np.asarray(printed_page()))


def test_a_page_of_another_size_is_drafted_in_its_own_pixels(text_only: Setup) -> None:
    draft = text_only.drafter.draft(page_of(printed_page(1.25)))
    assert draft.regions[1].texts == ("\n".join(LEFT),)
    for large, small in zip(draft.regions, text_only.draft.regions, strict=True):
        assert large.bbox.overlap(small.bbox.scaled(1.25)) > 0.97


def test_without_table_and_formula_models_their_print_is_still_drafted(text_only: Setup) -> None:
    texts = {region.category: region.texts for region in text_only.draft.regions}
    assert texts[Category.TABLE] == (
        "<table><tr><td>City</td><td>Length</td></tr><tr><td>Rome</td><td>405 km</td></tr></table>",
    )
    assert texts[Category.FORMULA][0].replace(" ", "") == "E=mc2(1)"
    assert "no tables (" in text_only.draft.reason
    assert "no formulas (" in text_only.draft.reason


def test_tables_with_lines_go_through_cell_detection(tmp_path: Path) -> None:
    add_text_models(tmp_path)
    add_layout_model(tmp_path, LAYOUT)
    add_table_models(tmp_path, "wired_table", STRUCTURE, CELL_BOXES, TABLE_ASPECT)
    regions = set_up(tmp_path).draft.regions
    assert [region.texts for region in regions if region.category is Category.TABLE] == [(TABLE_HTML,)]


def test_each_part_has_its_place_in_the_librarys_configuration() -> None:
    from paddlex.inference import load_pipeline_config

    config = load_pipeline_config("PP-StructureV3")
    elsewhere = {part.argument: Model(part.names[0], Path(), "transformers") for part in PARTS}
    used = choose_engines(config, ModelSet(elsewhere, frozenset(FEATURES)))
    assert used == {"onnxruntime", "transformers"}
    for part in PARTS:
        place = config
        for key in part.path:
            place = place[key]
        assert place["engine"] == "transformers"
        assert "model_name" in place


def test_of_the_librarys_own_models_only_formulas_leave_onnxruntime() -> None:
    config = {"SubPipelines": {"FormulaRecognition": {"SubModules": {"FormulaRecognition": {}}}}}
    everything = ModelSet({}, frozenset(FEATURES))
    assert choose_engines(config, everything) == {"onnxruntime", "transformers"}
    assert config["SubPipelines"]["FormulaRecognition"]["SubModules"]["FormulaRecognition"] == {
        "engine": "transformers"
    }
    assert choose_engines({}, ModelSet({}, frozenset({"base"}))) == {"onnxruntime"}


def test_a_blank_page_has_no_text(tmp_path: Path) -> None:
    add_text_models(tmp_path)
    add_layout_model(tmp_path, [LayoutBox("text", 0.1, 0.1, 0.9, 0.2, score=0.05)])
    draft = PPStructureDrafter(tmp_path, offline=True).draft(page_of(Image.new("RGB", (800, 1000), "white")))
    assert draft.is_empty
    assert draft.regions == ()


def test_what_breaks_on_one_page_names_it_and_leaves_the_drafter_working(text_only: Setup) -> None:
    with pytest.raises(DrafterError, match=r"odd\.png, page 3: PP-StructureV3 failed"):
        text_only.drafter.draft(page_of(Image.new("RGB", (0, 0)), 3, "odd.png"))
    assert text_only.drafter.draft(page_of(printed_page())).regions == text_only.draft.regions


def test_results_saved_by_the_library_give_the_same_drafts(full: Setup, tmp_path: Path) -> None:
    """A PDF of two pages and an image through the library's own reading, rendering and ``save_to_json``."""
    printed_page().save(tmp_path / "rivers.png")
    with pymupdf.open() as document:
        for _ in range(2):
            sheet = document.new_page(width=WIDTH / 2, height=HEIGHT / 2)
            sheet.insert_image(sheet.rect, filename=tmp_path / "rivers.png")
        document.save(tmp_path / "two.pdf")
    full.drafter._load()
    pipeline = full.drafter._pipeline
    for source in ("rivers.png", "two.pdf"):
        for result in pipeline.predict(str(tmp_path / source)):
            result.save_to_json(str(tmp_path / "saved"))
    assert {file.name for file in (tmp_path / "saved").iterdir()} == {
        "rivers_res.json",
        "two_0_res.json",
        "two_1_res.json",
    }
    saved = SavedDrafter(tmp_path / "saved")
    assert saved.draft(page_of(printed_page())).regions == full.draft.regions
    for number in (1, 2):
        draft = saved.draft(page_of(Image.new("RGB", (2 * WIDTH, 2 * HEIGHT)), number, "two.pdf"))
        assert [region.texts for region in draft.regions] == [region.texts for region in full.draft.regions]
        expected = BBox.union(region.bbox.scaled(2) for region in full.draft.regions)
        assert BBox.union(region.bbox for region in draft.regions).overlap(expected) > 0.99


QUIET_RUN = """
import socket, sys
def refuse(*args, **kwargs):
    raise SystemExit(f"a connection was tried: {args}")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
from pathlib import Path
from PIL import Image
from docspec.core import PageImage
from docspec.drafting.ppstructure import PPStructureDrafter
from docspec.drafting.ppstructure.models import FEATURES, PARTS, Model, ModelSet
from docspec.drafting.ppstructure.pipeline import choose_engines
drafter = PPStructureDrafter(Path(sys.argv[1]), offline=True)
draft = drafter.draft(PageImage(Image.open(sys.argv[2]).convert("RGB"), 1, 2.0, "rivers.png"))
Path(sys.argv[3]).write_text(draft.regions[0].texts[0])
"""


def test_a_run_prints_nothing_and_opens_no_connection(full: Setup, tmp_path: Path) -> None:
    printed_page().save(tmp_path / "rivers.png")
    command = [sys.executable, "-c", QUIET_RUN, str(full.models), "rivers.png", "title.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "title.txt").read_text() == "A Study of Rivers"
