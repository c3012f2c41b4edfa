"""ParseBench: its layout read, and its figures by its own package where an environment with it is named.

``DOCSPEC_PARSE_BENCH_PYTHON`` is as for ``tests/integrations/test_parse_bench.py``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.suites.olmocr_bench import OlmocrBench
from benchmarks.suites.parsebench import ParseBench
from benchmarks.suites.registry import suite_in
from docspec.core import InputError, UsageError
from tests.made_parse_bench import html, line, make_parse_bench
from tests.made_report import ROWS

PYTHON = os.environ.get("DOCSPEC_PARSE_BENCH_PYTHON")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_parse_bench(tmp_path / "data")


def test_documents_are_read_page_by_page_and_once_for_all_their_categories(folder: Path) -> None:
    (folder / "layout.jsonl").write_text(line("layout", "layout", {"bbox": [0, 0, 1, 1]}))
    same = {"pdf": "pdfs/text_content/report.pdf", "category": "text_formatting", "id": "1", "rule": {}}
    (folder / "text_formatting.jsonl").write_text(json.dumps({**same, "type": "is_bold"}))
    items = suite_in(folder).items()
    assert [(item.id, item.page) for item in items] == [
        ("table/report_pg1", 1),
        ("table/report_pg2", 2),
        ("text/report_pg1", 1),
        ("text/report_pg2", 2),
    ]
    assert items[2].attributes["categories"] == "text_content text_formatting"


def test_folders_of_another_data_set_are_not_taken_for_it(folder: Path, olmocr_folder: Path) -> None:
    assert isinstance(suite_in(folder), ParseBench) and isinstance(suite_in(olmocr_folder), OlmocrBench)
    (folder / "table.jsonl").write_text("[1]\n")
    with pytest.raises(InputError, match="line 1 is no rule of ParseBench"):
        ParseBench(folder).items()


def test_without_its_package_one_line_says_what_to_install(folder: Path, tmp_path: Path) -> None:
    suite = ParseBench(folder)
    with pytest.raises(UsageError, match="pip install parse-bench"):
        suite.score(suite.items(), {})
    with pytest.raises(UsageError, match="has no bin/parse-bench"):
        suite.score_by(tmp_path, suite.items(), {}, tmp_path / "scorer")


@pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_PARSE_BENCH_PYTHON names no Python that has parse-bench")
def test_scores_are_those_of_the_package(folder: Path, tmp_path: Path) -> None:
    suite = ParseBench(folder)
    items = suite.items()
    pipes = "\n".join(f"| {' | '.join(row)} |" for row in (ROWS[0], ("---",) * len(ROWS[0]), *ROWS[1:]))
    prose = "The harbour is dry for two hours at each low tide.\n\nHeights in March"
    written = {
        "table/report_pg1": pipes,
        "text/report_pg1": prose,
        "text/report_pg2": "Entering at night\n\nTwo red lights in line lead through the gap.",
    }
    scores = suite.score_by(Path(str(PYTHON)).parents[1], items, written, tmp_path / "scorer")
    assert scores.figures["table grits_trm_composite"] == 100
    assert scores.figures["text_content rule_pass_rate"] == 75
    assert scores.by_kind["table"] == 100 and scores.overall == pytest.approx(
        (scores.by_kind["table"] + scores.by_kind["text_content"]) / 2
    )
    nothing = suite.score_by(Path(str(PYTHON)).parents[1], items, {}, tmp_path / "nothing")
    assert nothing.by_kind["table"] == 0 and nothing.figures["text_content rule_pass_rate"] == 0
    assert html(ROWS) not in pipes, "pipes are turned to HTML, which alone it reads"
