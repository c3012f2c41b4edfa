"""Generated pages of tables: their truth is on the page, a seed tells all, and the bare command reads kinds of them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pymupdf
import pytest
from typer.testing import CliRunner

from benchmarks.cli import app
from benchmarks.made_tables import KINDS, write_made_tables
from benchmarks.suites.icdar2013 import Icdar2013
from docspec import ParseOptions, Parser
from docspec.reporting.markdown import MarkdownRenderer
from docspec.reporting.renderer import Layout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made")
    write_made_tables(path, seed=4, each=1)
    return path


def test_the_words_of_all_true_cells_are_on_the_page_in_their_rows(folder: Path) -> None:
    for pdf in sorted(folder.glob("*.pdf")):
        with pymupdf.open(pdf) as document:
            printed = "".join(document[0].get_text().split())
        cells = list(ElementTree.parse(pdf.with_name(f"{pdf.stem}-str.xml")).getroot().iter("cell"))
        words = [word for cell in cells for word in (cell.findtext("content") or "").split()]
        assert len(cells) > 8
        assert [word for word in words if word.lstrip("$") not in printed] == [], pdf.stem


def test_a_seed_makes_the_same_tables_again_and_another_one_others(tmp_path: Path) -> None:
    truths = []
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        write_made_tables(tmp_path / name, seed, each=1)
        truths.append([file.read_bytes() for file in sorted((tmp_path / name).glob("*.xml"))])
    assert truths[0] == truths[1]
    assert all(one != other for one, other in zip(truths[0], truths[2], strict=True))


def test_the_command_writes_what_the_suite_reads(tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["made-tables", str(tmp_path), "--each", "1"]).exit_code == 0
    items = Icdar2013(tmp_path).items()
    assert len(items) == len(KINDS) >= 24
    assert all(item.truth[0] for item in items)


@pytest.mark.parametrize(
    "kind", ["tight", "three_levels", "errors", "grouped", "coded", "dense", "barred", "long_labels"]
)
def test_the_bare_command_reads_kinds_that_layout_models_get_wrong(folder: Path, kind: str) -> None:
    suite = Icdar2013(folder)
    item = next(item for item in suite.items() if item.id == f"{kind}-1_pg1")
    with Parser(ParseOptions(), images=False) as parser:
        markdown = ""
        for document in parser.documents([str(item.path)]):
            for page in document:
                renderer = MarkdownRenderer(Layout())
                markdown += renderer.page(page, {}) + renderer.end()
    score = suite.score([item], {item.id: markdown})
    assert score.overall is not None
    assert score.overall > 99
