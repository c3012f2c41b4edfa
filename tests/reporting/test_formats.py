"""Every format is made of the same pages: direct output and what is made of the JSON later are the same bytes."""

from __future__ import annotations

import json
import os
import subprocess
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest

from benchmarks.campaign import hostile
from docspec.core import BBox, Block, Category, Cut, InputError, LeftOut, Provenance, Span
from docspec.core.marks import Mark
from docspec.core.provenance import NumberReadings
from docspec.core.result import Quality
from docspec.core.safe_text import safe_text
from docspec.core.straightening import Straightening
from docspec.reporting.formats import renderer_for
from docspec.reporting.reading import read_document
from docspec.reporting.renderer import Format, Layout
from docspec.reporting.tables import TableFiles, csv_of, grids

TABLE = (
    "<table><tr><th colspan=2>Both</th><th>c &amp; d</th></tr>"
    "<tr><td rowspan=2>left</td><td>1</td><td>2</td></tr><tr><td>3</td><td>=cmd()</td></tr></table>"
)
PIPES = "| Kind | Cost |\n| --- | ---: |\n| Open | **2,100** |\n| Groyne | 19,800 |"

WRITTEN = [one for one in get_args(Format) if one != "pdf"]
"""A PDF is made of the input, not of the JSON."""


@pytest.fixture
def pages(make_page: Any) -> list[Any]:
    blocks = (
        Block(Category.PAGE_HEADER, "Annals 27", BBox(10, 2, 60, 8), "draft"),
        Block(Category.TITLE, "# Harbours", BBox(10.4, 10, 60, 20), "draft", ""),
        Block(Category.TEXT, "Most lose <b>depth</b>.", BBox(10, 22, 60, 30), "model", "\n\n"),
        Block(Category.SECTION_HEADER, "## Results", None, "none", "\n\n"),
        Block(Category.LIST_ITEM, "- open", BBox(12, 40, 40, 45), "draft", "\n"),
        Block(Category.LIST_ITEM, "- dredged", BBox(12, 46, 40, 50), "draft", "\n  "),
        Block(Category.TABLE, PIPES, BBox(10, 52, 60, 70), "draft", "\n\n"),
        Block(Category.TABLE, TABLE, BBox(60, 52, 99, 70), "draft"),
        Block(Category.FORMULA, "$$a^2 \\leq b$$", BBox(10, 71, 60, 75), "draft"),
        Block(Category.PICTURE, "", BBox(0, 0, 20, 10), "model", unread=True),
        Block(Category.TEXT, "```\nif turned:\n    wait()\n```", BBox(10, 80, 60, 90), "draft"),
    )
    spans = ((Span(0, 6, "agreed", None, (("draft", 2),), 1.5),), *((),) * 8, (), ())
    said = Provenance(spans, (LeftOut("Page 1", 9, BBox(1, 2, 3, 4), Category.PAGE_FOOTER),), (3, 4), (("own", 2),))
    return [
        make_page(1, *blocks, provenance=said),
        make_page(2, status="failed", error="out of memory", text=""),
        make_page(4, Block(Category.TEXT, "goes on", reread=True), cut=Cut("loop", 12, 300, "again ")),
    ]


def written(format: Format, pages: list[Any], layout: Layout, figures: list[dict[int, str]] | None = None) -> str:
    renderer = renderer_for(format, layout)
    text = renderer.begin("samples/a.pdf", "ab" * 32)
    for page, links in zip(pages, figures or [{9: "a.figures/page-1-1.png"}, {}, {}], strict=True):
        text += renderer.page(page, links)
    return safe_text(text + renderer.end())


@pytest.mark.parametrize("format", WRITTEN)
@pytest.mark.parametrize("layout", [Layout(), Layout(keep_furniture=True, page_separator="-- {page} --")])
def test_what_is_made_of_the_json_is_what_was_written_beside_it(pages, tmp_path, format, layout):
    direct = written(format, pages, layout)
    (tmp_path / "a.json").write_text(written("json", pages, Layout()), encoding="utf-8")
    saved = read_document(tmp_path / "a.json")
    assert saved.source == "samples/a.pdf"
    assert written(format, list(saved.pages), layout, [dict(one) for one in saved.figures]) == direct


def test_a_result_with_one_value_changed_is_refused_in_a_line_or_written_in_every_format(make_page, tmp_path):
    blocks = (
        Block(Category.TITLE, "# Harbours 12", BBox(10, 10, 60, 20), marks=(Mark("link", 3, 6, "x.y"),), level=2),
        Block(Category.LIST_ITEM, "- open\n- closed", BBox(12, 40, 40, 45), trusted=3, points=12.5, indents=(1.0,)),
        Block(Category.PICTURE, "", BBox(0, 0, 20, 10), unread=True),
    )
    numbers = (NumberReadings(0, 11, 13, (("a", "12"), ("b", "13")), BBox(1, 2, 3, 4)),)
    spans = ((Span(0, 6, "agreed", "d", (("own", 2),), 1.5),), (), ())
    said = Provenance(spans, (LeftOut("Page 1", 1, BBox(1, 2, 3, 4)),), (3, 4), (("own", 2),), True, numbers)
    quality = Quality("B", 0.9, 0.8, 0.1, "why")
    seen = Straightening(1, ((0.1, 0.1), (0.9, 0.2), (0.8, 0.9), (0.2, 0.8)), -2.5)
    page = make_page(1, *blocks, provenance=said, quality=quality, read="regions", seen=seen, cut=Cut("loop", 3, 4))
    failed = make_page(2, status="failed", error="no", text="")
    value = json.loads(written("json", [page, failed], Layout(raw=True), [{2: "a.figures/1.png"}, {}]))
    kept, refused = 0, set()
    for place, new in product(list(hostile.places(value)), (*hostile.NASTY, hostile.Deep())):
        (tmp_path / "a.json").write_bytes(hostile.dumps(hostile.changed(value, place, new)))
        try:
            saved = read_document(tmp_path / "a.json")
        except InputError as error:
            refused.add(place)
            assert "\n" not in str(error) and len(str(error)) < 1000, (place, new)
            continue
        kept += 1
        for format in WRITTEN:
            made = renderer_for(format, Layout(keep_furniture=True, raw=True))
            text = made.begin(saved.source, saved.sha256)
            text += "".join(map(made.page, saved.pages, saved.figures))
            assert "NaN" not in safe_text(text + made.end()), (place, new)
    first = ("pages", 0)
    assert kept > 100 and {(*first, "width"), (*first, "blocks", 0, "bbox", 0), ("sha256",)} <= refused


def test_two_pages_of_one_number_are_no_result(pages, tmp_path):
    (tmp_path / "a.json").write_text(written("json", [*pages[:2], pages[1]], Layout()))
    with pytest.raises(InputError, match="two pages of one number"):
        read_document(tmp_path / "a.json")


def test_chunks_have_their_page_box_and_headings(pages):
    chunks = [json.loads(line) for line in written("chunks", pages, Layout()).splitlines()]
    assert [(one["page"], one["headings"], one["blocks"]) for one in chunks] == [
        (1, ["Harbours"], [2]),
        (1, ["Harbours", "Results"], [4, 5]),
        (1, ["Harbours", "Results"], [6]),
        (1, ["Harbours", "Results"], [7]),
        (1, ["Harbours", "Results"], [8]),
        (1, ["Harbours", "Results"], [10]),
        (4, ["Harbours", "Results"], [0]),
    ]
    assert chunks[1]["bbox"] == [12, 40, 40, 50] and chunks[6]["bbox"] is None
    assert chunks[1]["text"] == "- open\n\n- dredged"
    kept = written("chunks", pages, Layout(keep_furniture=True)).splitlines()[0]
    assert json.loads(kept)["text"] == "Annals 27"


def test_a_number_sign_within_a_heading_is_one_of_its_words(make_page):
    heading = Block(Category.SECTION_HEADER, "C# and F# compared", words="text layer")
    page = make_page(1, heading, Block(Category.TEXT, "Both are typed."))
    [chunk] = map(json.loads, written("chunks", [page], Layout(), [{}]).splitlines())
    assert chunk["headings"] == ["C# and F# compared"]
    assert json.loads(written("docling", [page], Layout(), [{}]))["texts"][0]["text"] == "C# and F# compared"


def test_dots_cells_have_the_keys_of_dots_ocr(pages):
    first, failed, last = json.loads(written("dots", pages, Layout()))
    assert first[2] == {"bbox": [10, 22, 60, 30], "category": "Text", "text": "Most lose <b>depth</b>."}
    assert first[9] == {"bbox": [0, 0, 20, 10], "category": "Picture"}
    assert failed == [] and last == [{"category": "Text", "text": "goes on"}]


def test_tables_are_read_whichever_way_they_are_written():
    [grid] = grids(Block(Category.TABLE, TABLE))
    assert grid.lines() == [["Both", "", "c & d"], ["left", "1", "2"], ["", "3", "=cmd()"]]
    assert [(cell.columns, cell.rows, cell.header) for cell in grid.cells][:4] == [
        (2, 1, True),
        (1, 1, True),
        (1, 2, False),
        (1, 1, False),
    ]
    [grid] = grids(Block(Category.TABLE, PIPES, gap=""))
    assert grid.lines() == [["Kind", "Cost"], ["Open", "2,100"], ["Groyne", "19,800"]]
    assert grids(Block(Category.TEXT, TABLE)) == [] == grids(Block(Category.TABLE, "no table"))
    huge = grids(Block(Category.TABLE, "<table><tr>" + "<td rowspan=999 colspan=999>x</td>" * 50 + "</tr></table>"))
    assert huge[0].columns < 60_000


def test_tables_become_csv_files_that_appear_with_the_document(pages, tmp_path):
    folder = tmp_path / "tables"
    with TableFiles(folder) as files:
        for page in pages:
            files.add(page)
        assert not folder.exists()
    assert sorted(file.name for file in folder.iterdir()) == ["page-1-1.csv", "page-1-2.csv"]
    assert (folder / "page-1-1.csv").read_bytes() == b'Kind,Cost\r\nOpen,"2,100"\r\nGroyne,"19,800"\r\n'
    assert (folder / "page-1-2.csv").read_text().splitlines()[2] == ",3,'=cmd()"
    with pytest.raises(RuntimeError), TableFiles(tmp_path / "none") as files:
        files.add(pages[0])
        raise RuntimeError
    assert sorted(file.name for file in tmp_path.iterdir()) == ["tables"]


def test_a_spreadsheet_runs_nothing_of_a_table():
    cells = ["=1+1", "+SUM(A1)", "-cmd", "@x", "-5.2", "+3", "- 4", "plain"]
    assert csv_of([cells]) == "'=1+1,'+SUM(A1),'-cmd,'@x,-5.2,+3,- 4,plain\r\n"


DOCLING_PYTHON = os.environ.get("DOCSPEC_DOCLING_PYTHON", "")


@pytest.mark.skipif(not DOCLING_PYTHON, reason="DOCSPEC_DOCLING_PYTHON names no Python that has docling-core")
def test_docling_core_loads_the_document_and_exports_its_text(pages, tmp_path):
    file = tmp_path / "a.json"
    file.write_text(written("docling", pages, Layout()), encoding="utf-8")
    code = (
        "import sys; from docling_core.types.doc.document import DoclingDocument as D; "
        "d = D.load_from_json(sys.argv[1]); sys.stdout.write(d.export_to_markdown())"
    )
    ran = subprocess.run([DOCLING_PYTHON, "-c", code, str(file)], capture_output=True, text=True, check=True)
    said = ran.stdout
    for words in (
        "# Harbours",
        "## Results",
        "- open",
        "- dredged",
        "a^2",
        "goes on",
        "Groyne",
        "19,800",
        "Both",
        "```\nif turned:\n    wait()\n```",
    ):
        assert words in said
    assert "Annals" not in said, "furniture"


def test_a_listing_is_code_in_docling(pages):
    texts = json.loads(written("docling", pages, Layout()))["texts"]
    assert [one["text"] for one in texts if one["label"] == "code"] == ["if turned:\n    wait()"]


def test_docling_documents_hold_together(pages):
    value = json.loads(written("docling", pages, Layout()))
    kinds = ("texts", "tables", "pictures", "groups")
    items = {one["self_ref"]: one for kind in kinds for one in value[kind]}
    reached = [each["$ref"] for one in (value["body"], *value["groups"]) for each in one["children"]]
    assert sorted(reached) == sorted(items)
    for name, one in items.items():
        parent = one["parent"]["$ref"]
        assert {"$ref": name} in (value["body"] if parent == "#/body" else items[parent])["children"]
    assert value["pages"].keys() == {"1", "2", "4"}


def test_other_json_is_refused_in_one_line(tmp_path):
    for name, text, said in (
        ("a.json", "[]", "is no document of docspec's"),
        ("b.json", "{", "is not JSON"),
        ("c.json", '{"schema": "docspec.document/1"}', "has schema 'docspec.document/1'"),
        ("d.json", '{"schema": "docspec.document/2"}', "does not follow"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=said) as raised:
            read_document(tmp_path / name)
        assert "\n" not in str(raised.value)
    with pytest.raises(InputError, match="cannot be read"):
        read_document(Path(tmp_path / "none.json"))
