"""``docspec convert``: the same bytes as direct output, pictures and tables included; one line for what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scripted_parser import page, pdf

from docspec.core import BBox, Block, Category, PageResult

BLOCKS = (
    Block(Category.PAGE_HEADER, "Running head"),
    Block(Category.SECTION_HEADER, "## Results", BBox(1, 1, 9, 9), "model"),
    Block(Category.TABLE, "<table><tr><td>a</td><td>1</td></tr></table>", BBox(1, 20, 60, 40), "model"),
    Block(Category.PICTURE, "", BBox(10, 10, 40, 30), "model"),
)


def scripted(name: str, number: int) -> PageResult:
    return page(name, number, blocks=BLOCKS)


def test_every_format_made_of_the_json_is_what_was_written_beside_it(tmp_path: Path, run_cli: Any) -> None:
    asked = [word for name in ("md", "json", "html", "chunks", "dots", "docling") for word in ("--format", name)]
    direct, later = tmp_path / "direct", tmp_path / "later"
    tables = ["--tables", direct / "csv"]
    ran = run_cli("parse", pdf(tmp_path / "a.pdf"), "-o", direct / "a.md", *tables, *asked, act=scripted)
    assert (ran.code, ran.error_lines) == (0, [])
    names = {"a.md", "a.json", "a.html", "a.chunks.jsonl", "a.dots.json", "a.docling.json"}
    assert {file.name for file in direct.iterdir()} == names | {"a.figures", "csv"}
    assert {file.name for file in (direct / "a.figures").iterdir()} == {"page-1-1.png", "page-2-1.png"}
    ran = run_cli("convert", direct / "a.json", "-o", direct / "b.md", "--tables", later, *asked)
    assert (ran.code, ran.error_lines) == (0, [])
    for name in names:
        assert (direct / f"b{name[1:]}").read_bytes() == (direct / name).read_bytes(), name
    assert {file.name for file in (direct / "csv").iterdir()} == {"page-1-1.csv", "page-2-1.csv"}
    for file in (direct / "csv").iterdir():
        assert (later / file.name).read_bytes() == file.read_bytes()
    assert b"a.figures/page-1-1.png" in (direct / "b.md").read_bytes()


def test_pictures_are_linked_from_where_the_new_document_stands(tmp_path: Path, run_cli: Any) -> None:
    run_cli("parse", pdf(tmp_path / "a.pdf"), "-o", tmp_path / "a.json", act=scripted)
    ran = run_cli("convert", tmp_path / "a.json", "-o", tmp_path / "deep" / "er" / "a.md", "--keep-furniture")
    text = (tmp_path / "deep" / "er" / "a.md").read_text()
    assert ran.code == 0 and "(../../a.figures/page-1-1.png)" in text and "Running head" in text


def test_what_is_wrong_is_one_line_and_the_others_go_on(tmp_path: Path, run_cli: Any) -> None:
    run_cli("parse", pdf(tmp_path / "a.pdf"), "-o", tmp_path / "a.json", act=scripted)
    (tmp_path / "b.json").write_text("{}")
    ran = run_cli("convert", tmp_path / "b.json", tmp_path / "a.json", "-o", tmp_path / "out")
    assert ran.code == 3 and [line for line in ran.error_lines if "b.json" in line] == ran.error_lines != []
    assert (tmp_path / "out" / "a.md").is_file()
    assert run_cli("convert", tmp_path / "a.json").out.startswith("## Results")
    ran = run_cli("convert", tmp_path / "a.json", "-o", tmp_path / "a.json", "--format", "json")
    assert ran.code == 2 and "is an input" in ran.err
