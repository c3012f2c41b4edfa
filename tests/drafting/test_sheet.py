"""A sheet on a table is found in a photograph; scans, frames and landscapes stay as they are."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image, ImageDraw
from rapidfuzz.distance import Levenshtein

from docspec import ParseOptions, Parser
from docspec.core import BBox, PageImage
from docspec.core.straightening import Corners, Straightening
from docspec.drafting import sheet
from docspec.drafting.rapidocr import RapidOcrDrafter
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.sheet import SIDE, lone_sheet_in, sheet_in
from docspec.drafting.straightening import as_seen, straight_image

from .photographs import FROM_BELOW, FROM_THE_SIDE, TURNED, Table, photograph

TIDES = [f"Tide {number} came {number + 3} minutes late." for number in range(1, 25)]
SHIPS = [f"Ship {number} sailed with {number + 11} barrels." for number in range(1, 25)]
"""The lines of the left and of the right column."""


def columns(page: pymupdf.Page) -> None:
    page.insert_text((40, 60), "Harbour Notes", fontsize=22, fontname="hebo")
    for at, lines in ((40, TIDES), (225, SHIPS)):
        for number, line in enumerate(lines):
            page.insert_text((at, 100 + 18 * number), line, fontsize=11, fontname="tiro")


def drawn(draw: Callable[[pymupdf.Page], None], dpi: int = 150) -> Image.Image:
    with pymupdf.open() as document:
        page = document.new_page(width=420, height=595)
        draw(page)
        return page.get_pixmap(dpi=dpi).pil_image()


def page_of(image: Image.Image) -> PageImage:
    return PageImage(image, 1, 1.0, "photograph.jpg")


@pytest.fixture(scope="module")
def printed() -> Image.Image:
    return drawn(columns)


@pytest.mark.parametrize("corners", [TURNED, FROM_BELOW, FROM_THE_SIDE])
@pytest.mark.parametrize(("table", "shadow"), [("wood", 1.0), ("dark", 1.0), ("grey", 1.0), ("wood", 0.4)])
def test_the_corners_of_a_sheet_are_found(printed: Image.Image, corners: Corners, table: Table, shadow: float) -> None:
    seen = photograph(printed, corners, table, shadow)
    found = sheet_in(seen)
    assert found is not None
    away = np.abs(np.array(found) - np.array(corners)) * seen.size
    assert away.max() <= 3.5 * max(seen.size) / SIDE, "pixels of the small copy, some of them inwards"


def scan() -> Image.Image:
    return drawn(columns).rotate(-2, fillcolor="white")


def form_with_a_frame() -> Image.Image:
    def draw(page: pymupdf.Page) -> None:
        columns(page)
        page.draw_rect(pymupdf.Rect(25, 30, 400, 560), width=4)

    return drawn(draw).rotate(-3, fillcolor="white")


def panel_on_a_coloured_page() -> Image.Image:
    def draw(page: pymupdf.Page) -> None:
        page.draw_rect(page.rect, fill=(0.2, 0.2, 0.4))
        page.draw_rect(pymupdf.Rect(25, 80, 400, 560), color=(1, 1, 1), fill=(1, 1, 1))
        columns(page)

    return drawn(draw)


def dark_page() -> Image.Image:
    return Image.fromarray(255 - np.asarray(drawn(columns)))


def sheet_beyond_the_picture() -> Image.Image:
    whole = photograph(drawn(columns), TURNED)
    return whole.crop((0, 0, whole.width, int(0.7 * whole.height)))


def sheet_that_lies_straight() -> Image.Image:
    return photograph(drawn(columns), ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)))


def empty_table() -> Image.Image:
    return photograph(drawn(columns), ((2.0, 2.0), (3.0, 2.0), (3.0, 3.0), (2.0, 3.0)))


def scan_with_black_edges() -> Image.Image:
    return drawn(columns).rotate(-1.5, fillcolor="black")


def hills() -> Image.Image:
    """A landscape: a bright sky, hills, a road."""
    picture = Image.new("RGB", (1200, 800), (200, 220, 250))
    pen = ImageDraw.Draw(picture)
    pen.polygon([(0, 500), (300, 300), (620, 480), (900, 250), (1200, 450), (1200, 800), (0, 800)], fill=(60, 90, 50))
    pen.polygon([(560, 480), (640, 480), (900, 800), (300, 800)], fill=(150, 140, 130))
    noise = np.random.default_rng(3).normal(0, 6, (800, 1200, 3))
    return Image.fromarray((np.asarray(picture) + noise).clip(0, 255).astype(np.uint8))


@pytest.mark.parametrize(
    "picture",
    [
        scan,
        form_with_a_frame,
        panel_on_a_coloured_page,
        dark_page,
        sheet_beyond_the_picture,
        sheet_that_lies_straight,
        empty_table,
        scan_with_black_edges,
        hills,
    ],
)
def test_pictures_without_a_skewed_sheet_stay_as_they_are(picture: Callable[[], Image.Image]) -> None:
    assert sheet_in(picture()) is None


def test_scans_are_told_by_their_rim_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet, "_masks", lambda *given: pytest.fail("nothing more is computed on a scan"))
    assert sheet_in(scan()) is None and sheet_in(form_with_a_frame()) is None


def test_a_bright_wall_is_no_sheet_as_nothing_is_printed_on_it(recogniser: Recogniser) -> None:
    wall = photograph(Image.new("RGB", (800, 600), (235, 235, 230)), FROM_THE_SIDE)
    assert sheet_in(wall) is not None
    draft = RapidOcrDrafter(recogniser).draft(page_of(wall))
    assert not draft.straight and not draft.seen


def test_a_picture_with_print_beside_the_sheet_stays_as_it_is(printed: Image.Image, recogniser: Recogniser) -> None:
    seen = photograph(printed, ((0.3, 0.1), (0.9, 0.17), (0.8, 0.95), (0.2, 0.83)), "grey")
    assert lone_sheet_in(seen, recogniser) is not None
    label = drawn(lambda page: page.insert_text((10, 40), "TO THE FERRY", fontsize=20)).crop((0, 30, 360, 110))
    seen.paste(label.rotate(90, expand=True), (20, 100))
    assert sheet_in(seen) is not None
    assert lone_sheet_in(seen, recogniser) is None


@pytest.mark.parametrize("corners", [TURNED, FROM_BELOW, FROM_THE_SIDE])
def test_columns_of_a_photographed_sheet_are_read_one_after_the_other(
    printed: Image.Image, recogniser: Recogniser, corners: Corners
) -> None:
    page = page_of(photograph(printed, corners))
    draft = RapidOcrDrafter(recogniser).draft(page)
    text = "".join("".join(region.texts[0] for region in draft.regions if region.texts).split())
    truth = "".join(" ".join(["Harbour Notes", *TIDES, *SHIPS]).split())
    assert Levenshtein.normalized_similarity(text, truth) > 0.98
    assert draft.straight.sheet is not None and not draft.seen
    # The boxes are those of the photograph: the first line of the right column stands where it was laid.
    there = Straightening(sheet=corners).projection(page.width, page.height).inverse()
    width, height = Straightening(sheet=corners).size(page.width, page.height)
    x, y = there.point(width * 250 / 420, height * 96 / 595)
    [line] = [line for line in draft.recognised if line.text.replace(" ", "").startswith("Ship1sailed")]
    assert line.bbox.x0 < x < line.bbox.x1 and line.bbox.y0 < y < line.bbox.y1
    assert any(region.bbox.overlap(BBox(x - 1, y - 1, x + 1, y + 1)) == 0 for region in draft.regions)


def test_the_target_sees_the_sheet_straight_if_it_is_asked_for(printed: Image.Image, recogniser: Recogniser) -> None:
    page = page_of(photograph(printed, TURNED))
    draft = RapidOcrDrafter(recogniser, straighten=True).draft(page)
    assert draft.seen.sheet is not None and not draft.straight
    shown = as_seen(page, draft)
    assert shown.width / shown.height == pytest.approx(420 / 595, rel=0.2)
    inked = np.asarray(shown.image.convert("L")) < 110
    for region in draft.regions:
        left, top, right, bottom = region.bbox.rounded()
        assert inked[top:bottom, left:right].mean() > 0.03
    [head] = [region for region in draft.regions if region.texts[0] == "Harbour Notes"]
    assert head.bbox.center_y / shown.height == pytest.approx(52 / 595, abs=0.02)


def test_a_crooked_scan_is_shown_straight_if_it_is_asked_for(recogniser: Recogniser) -> None:
    page = page_of(scan())
    draft = RapidOcrDrafter(recogniser, straighten=True).draft(page)
    assert draft.seen.tilt == pytest.approx(2, abs=0.3) and draft.seen.sheet is None and not draft.straight
    plain = RapidOcrDrafter(recogniser).draft(page)
    assert plain.straight.tilt == draft.seen.tilt and not plain.seen


def test_a_sheet_that_was_photographed_on_its_side_is_turned_and_straightened(
    printed: Image.Image, recogniser: Recogniser
) -> None:
    seen = photograph(printed, FROM_BELOW)
    page = page_of(seen.transpose(Image.Transpose.ROTATE_90))
    draft = RapidOcrDrafter(recogniser, upright=True).draft(page)
    assert draft.seen == Straightening(1) and draft.straight.sheet is not None
    away = np.abs(np.array(draft.straight.sheet) - np.array(FROM_BELOW)) * seen.size
    assert away.max() <= 3.5 * max(seen.size) / SIDE
    assert draft.regions[0].texts[0] == "Harbour Notes"


def test_a_straightened_picture_is_that_of_the_sheet(printed: Image.Image) -> None:
    seen = photograph(printed, TURNED)
    straight = straight_image(seen, Straightening(sheet=TURNED)).resize(printed.size).convert("L")
    ink, found = np.asarray(printed.convert("L")) < 128, np.asarray(straight) < 150
    assert (ink & found).sum() > 0.6 * ink.sum(), "its print lies where it was printed"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, printed: Image.Image) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("photographs")
    buffer = io.BytesIO()
    photograph(printed, TURNED).save(buffer, "JPEG", quality=90)
    (folder / "sheet.jpg").write_bytes(buffer.getvalue())
    yield folder


@pytest.mark.parametrize("straighten", [False, True])
def test_a_photograph_becomes_a_page_that_says_how_it_was_read(files: Path, straighten: bool) -> None:
    with Parser(ParseOptions(model="mini", straighten=straighten)) as parser:
        [page] = parser.parse(files / "sheet.jpg").pages
    kinds = {event.kind for event in page.events}
    assert ("page_straightened" in kinds) is straighten and ("sheet_found" in kinds) is not straighten
    assert "".join(page.text.split()).endswith("Ship24sailedwith35barrels.")
    with Image.open(files / "sheet.jpg") as image:
        assert ((page.width, page.height) == image.size) is not straighten
    assert all(0 <= block.bbox.x0 < block.bbox.x1 <= page.width for block in page.blocks if block.bbox is not None)
