"""The ICDAR 2013 table competition: its layout read, and tables of known faults scored as worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from benchmarks.adjacency import compared, marks_of, normalised, tables_in
from benchmarks.suites.icdar2013 import Icdar2013, truth_in
from docspec.core import InputError
from docspec.dialects.tables import parse_html_table

CELLS = {
    "x": [
        (0, 0, "", "Port"),
        (0, 1, 'end-col="2"', "Ships\nin all"),
        (1, 0, "", "Oban"),
        (1, 1, "", "12"),
        (1, 2, "", "7 %"),
    ],
    "y": [(0, 0, "", "a"), (0, 1, "", "b"), (1, 0, "", ""), (1, 1, "", "c")],
}
WHOLE = (
    "<table><tr><th>Port</th><th colspan='2'>Ships in all</th></tr>"
    "<tr><td>Oban</td><td>12</td><td>7 %</td></tr></table>"
)
SHIFTED = "| Port | Ships in all |  |\n| --- | --- | --- |\n| Oban | **12** | 7 % |"


def structure(*tables: tuple[int, str]) -> str:
    """A file of truths, with one region on a page for each of ``tables``."""
    regions = []
    for page, name in tables:
        cells = "".join(
            f'<cell start-row="{row}" start-col="{column}" {more}><content>{text}</content></cell>'
            for row, column, more, text in CELLS[name]
        )
        regions.append(f'<table id="1"><region id="1" page="{page}">{cells}</region></table>')
    return f"<document>{''.join(regions)}</document>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("eu-001", "us-009a"):
        with pymupdf.open() as document:
            document.new_page()
            document.new_page()
            document.save(tmp_path / f"{name}.pdf")
    (tmp_path / "eu-001-str.xml").write_text(structure((1, "x"), (2, "y")), encoding="utf-8")
    (tmp_path / "us-009a-str.xml").write_text(structure((2, "x")), encoding="utf-8")
    (tmp_path / "us-009b-str.xml").write_text(structure((2, "y")), encoding="utf-8")
    return tmp_path


def test_an_item_is_a_page_with_all_its_truths(folder: Path) -> None:
    assert Icdar2013.fits(folder)
    items = Icdar2013(folder).items()
    assert [(item.id, item.kind, item.page, [len(tables) for tables in item.truth]) for item in items] == [
        ("eu-001_pg1", "eu", 1, [1]),
        ("eu-001_pg2", "eu", 2, [1]),
        ("us-009a_pg1", "us", 1, [0, 0]),
        ("us-009a_pg2", "us", 2, [1, 1]),
    ]


def test_relations_are_those_of_neighbours_with_words(folder: Path) -> None:
    truth = truth_in(folder / "eu-001-str.xml")
    assert set(truth[1][0].relations) == {
        ("PORT", "SHIPSINALL", "right"),
        ("OBAN", "12", "right"),
        ("12", "7_", "right"),
        ("PORT", "OBAN", "below"),
        ("SHIPSINALL", "12", "below"),
        ("SHIPSINALL", "7_", "below"),
    }
    assert set(truth[2][0].relations) == {("A", "B", "right"), ("B", "C", "below")}


@pytest.mark.parametrize(
    ("written", "recall", "precision", "complete", "pure"),
    [
        (WHOLE, 6 / 6, 6 / 6, 1, 1),
        (SHIFTED, 5 / 6, 5 / 5, 1, 1),  # the head is over one of its two columns
        (WHOLE.replace("Oban", "Ob an &amp; Tiree"), 4 / 6, 4 / 6, 1, 0),
        (WHOLE.replace("Oban", "Ob"), 4 / 6, 4 / 6, 0, 1),
        (f"{WHOLE}\n\n<table><tr><td>false</td><td>one</td></tr></table>", 6 / 6, 6 / 7, 1, 1),
        ("no table", 0.0, 0.0, 0, 0),
    ],
)
def test_scores_are_those_worked_out_by_hand(
    folder: Path, written: str, recall: float, precision: float, complete: int, pure: int
) -> None:
    suite = Icdar2013(folder)
    [item, *_] = suite.items()
    figures = suite.score([item], {item.id: written}).figures
    assert figures["recall"] == pytest.approx(100 * recall)
    assert figures["precision"] == pytest.approx(100 * precision)
    assert figures["complete tables"] == 100 * complete
    assert figures["pure tables"] == pytest.approx(
        100 * pure / max(1, written.count("<table") or written.count("---|"))
    )


def test_documents_count_alike_and_the_better_truth_counts(folder: Path) -> None:
    suite = Icdar2013(folder)
    items = suite.items()
    second = "| a | b |\n| --- | --- |\n|  | c |"
    written = {"eu-001_pg1": WHOLE, "us-009a_pg2": second}
    scores = suite.score(items, written)
    assert scores.figures["recall"] == pytest.approx(100 * (6 / 8 + 2 / 2) / 2)
    assert scores.figures["precision"] == pytest.approx(100)
    assert scores.by_kind["us-009a"] == pytest.approx(100)
    assert scores.figures["documents"] == 2


def test_each_table_written_is_compared_with_one_truth() -> None:
    table = parse_html_table(WHOLE)
    assert table is not None
    found = compared(tables_in(f"{WHOLE}\n\n{WHOLE}"), [marks_of(table)])
    assert (found.right, found.written, found.true, found.complete, found.tables) == (6, 12, 6, 1, 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b\nc", "ABC"),
        ("5 % – *note*", "5___NOTE_"),
        ("**bold** [link](https://x.y)", "BOLDLINK"),
        ("10⁶ m²", "106M2"),
    ],
)
def test_words_are_compared_as_the_competition_does(text: str, expected: str) -> None:
    assert normalised(text) == expected


def test_a_broken_truth_is_told_with_its_file(folder: Path) -> None:
    (folder / "eu-001-str.xml").write_text("<document><table><region><cell/>", encoding="utf-8")
    with pytest.raises(InputError, match=r"eu-001-str.xml: is no truth"):
        Icdar2013(folder).items()
