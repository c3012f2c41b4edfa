"""``--format hocr``, ``alto``, ``page`` and ``pdf``: files beside each other, for one document and for folders."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
from scripted_parser import page

from docspec.core import BBox, Block, Category, PageResult
from docspec.core.places import PlacedWord


def pdf(path: Path) -> Path:
    """A PDF of two empty pages."""
    with pymupdf.open() as made:
        made.new_page()
        made.new_page()
        made.save(path)
    return path


ASKED = [word for name in ("json", "hocr", "alto", "page", "pdf") for word in ("--format", name)]


def scripted(name: str, number: int) -> PageResult:
    word = PlacedWord("Zebras", 0, 6, "exact", 0.9, (BBox(10, 10, 70, 24),))
    made = page(name, number, blocks=(Block(Category.TEXT, "Zebras", BBox(5, 5, 90, 30), "model", places=(word,)),))
    return replace(made, width=max(made.width, 100), height=max(made.height, 100))


def test_each_format_is_a_file_and_each_page_of_page_xml(tmp_path: Path, run_cli: Any) -> None:
    ran = run_cli("parse", pdf(tmp_path / "a.pdf"), "-o", tmp_path / "out" / "a.json", *ASKED, act=scripted)
    assert (ran.code, ran.error_lines) == (0, [])
    names = {"a.json", "a.hocr", "a.alto.xml", "a.page.xml", "a-2.page.xml", "a.pdf"}
    assert {file.name for file in (tmp_path / "out").iterdir()} == names
    for name in names - {"a.pdf"}:
        assert "Zebras" in (tmp_path / "out" / name).read_text(encoding="utf-8"), name
    with pymupdf.open(tmp_path / "out" / "a.pdf") as made:
        assert ["Zebras" in sheet.get_text() for sheet in made] == [True, True]


def test_what_is_made_of_the_json_later_is_the_same(tmp_path: Path, run_cli: Any) -> None:
    (tmp_path / "in").mkdir()
    run_cli("parse", pdf(tmp_path / "in" / "a.pdf"), "-o", tmp_path / "a.json", *ASKED, act=scripted)
    asked = [word for name in ("hocr", "alto", "page") for word in ("--format", name)]
    ran = run_cli("convert", tmp_path / "a.json", "-o", tmp_path / "b.hocr", *asked)
    assert (ran.code, ran.error_lines) == (0, [])
    for suffix in (".hocr", ".alto.xml", ".page.xml", "-2.page.xml"):
        first, second = ((tmp_path / f"{name}{suffix}").read_text(encoding="utf-8") for name in "ab")
        times = re.compile("<Metadata>.*</Metadata>")
        assert times.sub("", first) == times.sub("", second)


def test_a_folder_has_a_pdf_for_each_document_and_a_second_run_does_nothing(tmp_path: Path, run_cli: Any) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a.pdf", "b.pdf"):
        pdf(tmp_path / "in" / name)
    words = ("parse", tmp_path / "in", "-o", tmp_path / "out", "--format", "pdf")
    assert run_cli(*words, act=scripted).code == 0
    made = {file: file.stat().st_mtime_ns for file in (tmp_path / "out").glob("*.pdf")}
    assert {file.name for file in made} == {"a.pdf", "b.pdf"}
    assert run_cli(*words, act=scripted).code == 0
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "out").glob("*.pdf")} == made


def test_a_pdf_is_no_input_and_no_stream(tmp_path: Path, run_cli: Any) -> None:
    given = pdf(tmp_path / "a.pdf")
    ran = run_cli("parse", given, "-o", given, act=scripted)
    assert ran.code == 2 and "is an input" in ran.err
    ran = run_cli("parse", given, "--format", "pdf", act=scripted)
    assert ran.code == 2 and "needs a file" in ran.err
    run_cli("parse", given, "-o", tmp_path / "a.json", act=scripted)
    ran = run_cli("convert", tmp_path / "a.json", "-o", tmp_path / "b.pdf")
    assert ran.code == 2 and "own pages" in ran.err
