"""Made pages tell what every character of theirs belongs to: read back from the PDF, nothing is left over."""

from __future__ import annotations

import importlib
import json
import random
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

from training.structure.pages import business, truth, typewritten
from training.structure.pages.colours import Palette
from training.structure.pages.invent import Inventor
from training.structure.pages.page import Page, TableBlock
from training.structure.pages.table import Cell, Table
from training.structure.pages.text import plain
from training.structure.pages.words import Writer


@pytest.mark.parametrize("seed", range(60))
def test_cells_of_an_invented_table_cover_every_place_once(seed: int) -> None:
    rng = random.Random(seed)
    office = business.Office(rng)
    tables = [Inventor(Writer(rng)).table(), office.goods("invoice"), office.schedule()]
    tables += [office.account(), office.spreadsheet()]
    for table in tables:
        places = [
            (row, column)
            for cell in table.cells
            for row in range(cell.row, cell.row + cell.rows)
            for column in range(cell.column, cell.column + cell.columns)
        ]
        assert sorted(places) == [(row, column) for row in range(table.rows) for column in range(len(table.columns))]
        assert all(cell.head for cell in table.cells if cell.row < table.head_rows)


def test_colours_are_dark_and_never_near_each_other() -> None:
    palette = Palette(random.Random(3))
    colours = [palette.new({"block": number}) for number in range(5000)]
    assert len(set(colours)) == 5000
    assert all(max(colour) <= 110 and all(level % 2 == 0 for level in colour) for colour in colours)


TYPESETTERS = [
    "typewritten",
    pytest.param("reportlab_", marks=pytest.mark.skipif(not importlib.util.find_spec("reportlab"), reason="reportlab")),
    pytest.param("typst_", marks=pytest.mark.skipif(not importlib.util.find_spec("typst"), reason="typst")),
]


@pytest.mark.parametrize("name", TYPESETTERS)
def test_every_character_is_told(name: str, tmp_path: Path) -> None:
    module = importlib.import_module(f"training.structure.pages.{name}")
    pdf, setter = module.typeset(random.Random("told"), 10, tmp_path, "made")
    with pymupdf.open(pdf) as document:
        pages = [page for page in document if not truth.fault(page, setter.palette.entries)]
        assert len(pages) >= 5
        for page in pages:
            told = truth.told(page, setter.palette.entries, setter.tables)
            shown = {",".join(map(str, colour)) for colour, _, _ in truth.characters(page)}
            assert shown == set(told["colours"])
            for entry in told["colours"].values():
                if entry["kind"] == "cell":
                    table = told["tables"][entry["table"]]
                    assert entry["row"] + entry["rows"] <= table["rows"]
                    assert entry["column"] + entry["columns"] <= table["columns"]


def _table(rows: int) -> Table:
    head = (Cell(0, 0, plain("City"), head=True, kind="head"), Cell(0, 1, plain("Number"), head=True, kind="head"))
    body = [Cell(row, column, plain(f"{'ab'[column]}{row}")) for row in range(1, rows) for column in (0, 1)]
    return Table(rows, ("name", "value"), 1, (*head, *body))


def _set(table: Table, tmp_path: Path) -> tuple[pymupdf.Document, typewritten.Setter]:
    setter = typewritten.Setter(random.Random(5))
    nothing = ("", "", "")
    setter.document([Page(1, (), (TableBlock(table),), nothing, nothing)], tmp_path / "one.pdf")
    return pymupdf.open(tmp_path / "one.pdf"), setter


def test_a_cell_is_found_by_the_colour_of_its_text(tmp_path: Path) -> None:
    document, setter = _set(_table(4), tmp_path)
    told = truth.told(document[0], setter.palette.entries, setter.tables)
    texts = {}
    for block in document[0].get_text("dict")["blocks"]:
        for line in block["lines"]:
            for span in line["spans"]:
                entry = told["colours"]["{},{},{}".format(*pymupdf.sRGB_to_rgb(span["color"]))]
                if entry["kind"] == "cell":
                    texts[entry["row"], entry["column"]] = span["text"].strip()
    assert texts == {(0, 0): "City", (0, 1): "Number"} | {(r, c): f"{'ab'[c]}{r}" for r in (1, 2, 3) for c in (0, 1)}


def test_rows_of_a_table_that_goes_on_are_counted_from_its_page(tmp_path: Path) -> None:
    document, setter = _set(_table(150), tmp_path)
    parts = [truth.told(page, setter.palette.entries, setter.tables)["tables"][0] for page in document]
    assert len(parts) > 1
    assert [part["head_rows"] for part in parts] == [1] + [0] * (len(parts) - 1)
    assert sum(part["rows"] for part in parts) == 150
    assert all(min(cell[0] for cell in part["cells"]) == 0 for part in parts)


def test_text_in_a_strange_colour_and_text_on_text_are_no_truth(tmp_path: Path) -> None:
    document, setter = _set(_table(30), tmp_path)
    page = document[0]
    assert truth.fault(page, setter.palette.entries) == ""
    page.insert_text((300, 700), "of nobody", color=(0, 0, 0))
    assert truth.fault(page, setter.palette.entries).startswith("colour")
    document, setter = _set(_table(30), tmp_path)
    page = document[0]
    first = page.get_texttrace()[0]
    other = setter.palette.new({"kind": "paragraph", "block": 0, "order": 0})
    colour = [level / 255 for level in other]
    page.insert_text(first["chars"][0][2], "XXXX", fontname="cour", fontsize=first["size"], color=colour)
    assert truth.fault(page, setter.palette.entries) == "overlap"


def test_the_same_seed_makes_the_same_pages(tmp_path: Path) -> None:
    told = []
    for folder in ("one", "two"):
        options = ["--typesetter", "typewritten", "--pages", "3", "--seed", "7", "--at-once", "5"]
        subprocess.run([sys.executable, "-m", "training.structure.pages", str(tmp_path / folder), *options], check=True)
        told.append(json.loads((tmp_path / folder / "typewritten-7-000.json").read_text()))
    assert told[0] == told[1]
    assert len(told[0]["pages"]) == 3
