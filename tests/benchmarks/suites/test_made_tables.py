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


def test_a_seed_makes_the_same_tables_again_and_another_one_others(folder: Path, tmp_path: Path) -> None:
    """What a seed makes of a kind does not depend on the others: some kinds tell it of all."""

    def truths(name: str, seed: int) -> list[bytes]:
        write_made_tables(tmp_path / name, seed, each=1, kinds=KINDS[::6])
        return [file.read_bytes() for file in sorted((tmp_path / name).glob("*.xml"))]

    first, again, others = truths("a", 4), truths("b", 4), truths("c", 8)
    kept = [folder / file.name for file in sorted((tmp_path / "a").glob("*.xml"))]
    assert first == again == [file.read_bytes() for file in kept], "also beside all other kinds"
    assert len(first) == len(KINDS[::6])
    assert all(one != other for one, other in zip(first, others, strict=True))


def test_the_suite_reads_all_kinds(folder: Path) -> None:
    items = Icdar2013(folder).items()
    assert len(items) == len(KINDS) >= 38
    assert all(item.truth[0] for item in items)


def test_the_command_writes_the_kinds_that_are_asked_for(tmp_path: Path) -> None:
    def run(*more: str) -> int:
        return CliRunner().invoke(app, ["made-tables", str(tmp_path), "--each", "2", *more]).exit_code

    assert run("--kind", "beside", "--kind", "typed") == 0
    assert [item.id for item in Icdar2013(tmp_path).items()] == [
        f"{name}_pg1" for name in ("beside-1", "beside-2", "typed-1", "typed-2")
    ]
    assert run("--kind", "besides") != 0


WRONG = ("tight", "three_levels", "errors", "grouped", "subheads", "words_between", "in_both_columns")
"""Others have tests of their own in tests/drafting."""


def test_the_bare_command_reads_kinds_that_layout_models_get_wrong(folder: Path) -> None:
    suite = Icdar2013(folder)
    items = {item.path.stem: item for item in suite.items()}
    written = {}
    with Parser(ParseOptions(), images=False) as parser:
        for kind in WRONG:
            item = items[f"{kind}-1"]
            for document in parser.documents([str(item.path)]):
                renderer = MarkdownRenderer(Layout())
                written[item.id] = "".join(renderer.page(page, {}) + renderer.end() for page in document)
    score = suite.score([items[f"{kind}-1"] for kind in WRONG], written)
    assert {kind: figure for kind, figure in score.by_kind.items() if figure <= 99} == {}
    assert len(score.by_kind) == len(WRONG)
