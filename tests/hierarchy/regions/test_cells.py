"""Tables cell by cell: the layout's structure with the reader's words in it."""

from __future__ import annotations

import pymupdf
import pytest
from PIL import Image

from docspec.core import BBox, Category, Region
from docspec.hierarchy.regions.cells import cell_lines, filled, structure_of
from docspec.hierarchy.regions.joining import region_text
from docspec.hierarchy.regions.slices import CropLimits, Slice, slices_of

ROWS = (("Kind", "", "Cost"), ("Open sea", "4", "2,100"), ("Wide", "", "61,500"))
HTML = (
    "<table><tr><th>Kind</th><th></th><th>Cost</th></tr><tr><td>Open sea</td><td>4</td><td>2,100</td></tr>"
    '<tr><td colspan="2">Wide</td><td>61,500</td></tr></table>'
)
EDGES, HEIGHT = (20, 120, 160, 240), 16
GRID = tuple(
    tuple(BBox(EDGES[c], 20 + HEIGHT * r, EDGES[c + 1], 20 + HEIGHT * (r + 1)).scaled(2) for c in range(3))
    for r in range(3)
)


@pytest.fixture(scope="module", params=[False, True])
def page(request: pytest.FixtureRequest) -> Image.Image:
    """The table with rules, and once with its head in white on black."""
    with pymupdf.open() as document:
        sheet = document.new_page(width=260, height=90)
        if request.param:
            sheet.draw_rect((20, 20, 240, 36), fill=(0, 0, 0))
        for r, row in enumerate(ROWS):
            sheet.draw_line((20, 20 + HEIGHT * r), (240, 20 + HEIGHT * r))
            for c, text in enumerate(row):
                tone = (1, 1, 1) if request.param and not r else (0, 0, 0)
                sheet.insert_text((EDGES[c] + 3, 32 + HEIGHT * r), text, fontsize=10, color=tone)
        pixels = sheet.get_pixmap(dpi=144)
        return Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)


TABLE = Region(BBox(38, 38, 482, 138), Category.TABLE, (HTML,), grid=GRID)


def test_each_printed_cell_is_found_in_its_place(page: Image.Image) -> None:
    table = structure_of(TABLE)
    assert table is not None
    lines = cell_lines(page, TABLE, table, 20.0)
    assert [(cell, line.text) for cell, line in lines] == [
        (0, "Kind"), (2, "Cost"), (3, "Open sea"), (4, "4"), (5, "2,100"), (6, "Wide"), (7, "61,500")
    ]  # fmt: skip
    place = lines[3][1].bbox
    assert place.overlap(GRID[1][1]) == 1 and place.width < 20 and 8 < place.height < 24


def test_slices_are_cells_and_their_words_stand_in_the_table(page: Image.Image) -> None:
    pieces = slices_of(page, TABLE, CropLimits(32, 32, 1, 1408, 960, cells=True), 20.0)
    assert [piece.cell for piece in pieces] == [0, 2, 3, 4, 5, 6, 7]
    assert pieces[2].drafts == ("Open sea",)
    read = [(f"w{piece.cell}", piece) for piece in pieces]
    assert region_text(TABLE, read) == ("| w0 |  | w2 |\n| --- | --- | --- |\n| w3 | w4 | w5 |\n| w6 |  | w7 |")
    whole = slices_of(page, TABLE, CropLimits(32, 32, 1, 1408, 960), 20.0)
    assert [piece.cell for piece in whole] == [None] and whole[0].drafts == (HTML,)


def test_a_table_whose_cells_nobody_knows_is_read_whole(page: Image.Image) -> None:
    limits = CropLimits(32, 32, 1, 1408, 960, cells=True)
    for region in (
        Region(TABLE.bbox, Category.TABLE, (HTML,)),
        Region(TABLE.bbox, Category.TABLE, (HTML,), grid=GRID[:2]),
        Region(TABLE.bbox, Category.TABLE, (), grid=GRID),
    ):
        assert structure_of(region) is None
        assert [piece.cell for piece in slices_of(page, region, limits)] == [None]


def test_lines_of_a_cell_are_joined() -> None:
    table = structure_of(TABLE)
    assert table is not None
    assert filled(table, {3: ["Open", "sea "]}).split("\n")[2] == "| Open sea |  |  |"
    assert Slice(TABLE.bbox, 1.0).cell is None
