"""Doubtful pages are said on the terminal, in every file, by ``docspec status``, and with --strict by the exit code."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from scripted_parser import page, pdf

from docspec.core import BBox, Block, Category, PageResult
from docspec.core.provenance import NumberReadings, Provenance
from docspec.core.result import Quality
from docspec.reporting.reading import read_document

WHY = "of a script that the reader does not write (Cyrillic)"


def doubted(name: str, number: int) -> PageResult | None:
    """The second page of each document is doubtful."""
    quality = Quality("D", 0.61, 0.4, 0.02, WHY) if number == 2 else Quality("A", 0.99, None, None)
    return page(name, number, quality=quality)


def test_a_doubtful_page_is_said_everywhere(tmp_path: Path, run_cli: Any) -> None:
    pdf(tmp_path / "a.pdf")
    said = ["parse", "a.pdf", "-o", "a.json", "--format", "json", "--report", "report.json"]
    done = run_cli(*said, act=doubted)
    assert done.code == 0
    assert f"doubtful: {WHY}" in done.err and "2 pages: 1 read, 1 doubtful" in done.err
    report = json.loads(Path("report.json").read_text())
    assert report["totals"]["doubtful"] == 1
    assert [one.get("doubtful") for one in report["documents"][0]["pages"]] == [None, WHY]
    written = json.loads(Path("a.json").read_text())["pages"]
    assert [one.get("doubtful") for one in written] == [None, WHY]
    assert written[1]["quality"] == {"grade": "D", "certainty": 0.61, "agreement": 0.4, "margin": 0.02}
    assert read_document(Path("a.json")).pages[1].quality == Quality("D", 0.61, 0.4, 0.02, WHY)


def test_strict_makes_doubt_an_exit_code_which_earlier_runs_count_in(tmp_path: Path, run_cli: Any) -> None:
    for name in ("a", "b"):
        pdf(tmp_path / "in" / f"{name}.pdf")
    strict = ["parse", "in", "-o", "out", "--strict"]
    assert run_cli("parse", "in", "-o", "out", act=doubted).code == 0
    assert run_cli(*strict, act=doubted).code == 3  # nothing is read again for it
    assert run_cli("parse", "in", "-o", "fine", "--strict").code == 0


def test_status_lists_doubtful_pages(tmp_path: Path, run_cli: Any) -> None:
    for name in ("a", "b"):
        pdf(tmp_path / "in" / f"{name}.pdf")
    assert f"doubtful: {WHY}" in run_cli("parse", "in", "-o", "out", act=doubted).err
    people = run_cli("status", "out")
    assert people.code == 0 and "doubtful: 2 pages" in people.out
    assert f"{tmp_path / 'in' / 'a.pdf'}, page 2: {WHY}" in people.out
    facts = json.loads(run_cli("status", "out", "--json").out)
    assert [(one["document"], one["page"], one["reason"]) for one in facts["doubtful_pages"]] == [
        ("a.md", 2, WHY),
        ("b.md", 2, WHY),
    ]


def test_numbers_go_to_a_file_of_their_own(tmp_path: Path, run_cli: Any) -> None:
    pdf(tmp_path / "a.pdf")
    number = NumberReadings(0, 0, 5, (("model", "4.136"), ("recognition", "1,136")), BBox(1, 2, 30, 9))

    def act(name: str, number_of_page: int) -> PageResult:
        provenance = Provenance(((),), numbers=(number,) if number_of_page == 2 else ())
        return page(name, number_of_page, blocks=(Block(Category.TEXT, "4.136 ships"),), provenance=provenance)

    done = run_cli("parse", "a.pdf", "-o", "a.json", "--format", "json", "--numbers-report", "n.csv", act=act)
    assert done.code == 0 and done.options[0].provenance
    with Path("n.csv").open(encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert (row["page"], row["written"], row["model"], row["recognition"]) == ("2", "4.136", "4.136", "1,136")
    [_, second] = read_document(Path("a.json")).pages
    assert second.provenance is not None and second.provenance.numbers == (number,)
