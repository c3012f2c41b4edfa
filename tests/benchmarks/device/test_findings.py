"""Findings are read as they were written; summary and page are made of recorded lines."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.cli import app
from benchmarks.cli.device import RESULTS
from benchmarks.device import plan
from benchmarks.device.driver import parsed
from benchmarks.device.findings import Findings, plain
from benchmarks.device.markdown import figure, table
from benchmarks.device.report import NEVER, TITLE, page_of
from benchmarks.device.summary import summary

ROOT = Path(__file__).parents[3]
WAYS = {"mode": "cuda", "why": "", "captured": 3, "plain": True, "side_by_side": True, "alone": True, "pieces": True}
RECORDED = [
    {"kind": "run", "part": "driver", "commit": "abc1234", "at_utc": "2026-11-26 10:00"},
    {
        "kind": "facts",
        "part": "facts",
        "device": "A card",
        "memory_gib": 80.0,
        "processors": 100,
        "cpus": 8,
        "python": "3.12.3",
        "torch": "2.11.0",
        "transformers": "5.23.0",
        "smi": "A card, 580.1, 81920 MiB",
    },
    {"kind": "bandwidth", "part": "facts", "triad_gb_s": 2000.0},
    {"kind": "family", "part": "families:0", "name": "good_one", "off": WAYS, "auto": WAYS},
    {"kind": "family", "part": "families:0", "name": "bad_one", "off": WAYS, "auto": {**WAYS, "alone": False}},
    {"kind": "error", "part": "parse", "what": "parse 1", "error": "ValueError: a | b", "where": ["a.py:1", "b.py:2"]},
    {"kind": "part", "part": "parse", "how": "killed at its limit", "seconds": 31.26},
    {"kind": "skipped", "part": "driver", "parts": ["compile"]},
]


def recorded() -> list[dict]:
    return json.loads(json.dumps(RECORDED))


def step(tree: int, way: str = "masked", **more: object) -> dict:
    whole = {"kind": "step", "part": "steps:m", "model": "m", "way": way, "mode": "cuda", "prefix": 6000, "rows": 1}
    return {**whole, "tree": tree, "wall_ms": 10.0 + tree, "device_ms": 9.0, "floor_ms": 0.5, **more}


def test_the_summary_says_what_was_right_and_what_went_wrong():
    lines = summary(Findings([*recorded(), step(64), step(1)])).splitlines()
    assert "families in float32: 1 of 2 right; steps: {'cuda': 2}" in lines
    assert any(line.startswith("NOT bad_one") for line in lines)
    assert "step m masked cuda 6000 (ms/floor): 1x64 74.00/0.50 1x1 11.00/0.50" in lines
    assert "ERROR parse: parse 1: ValueError: a | b b.py:2 < a.py:1" in lines
    assert "PART parse: killed at its limit after 31.3 s" in lines
    assert lines[-1] == "no time left for compile"


def test_the_page_has_a_table_for_each_question():
    page = page_of([Findings([*recorded(), step(64), step(1), step(64, "chunked")])])
    assert page.startswith(TITLE + "\n") and "\n## A card, abc1234, 2026-11-26\n" in page
    assert "| driver | 580.1 |" in page and "| memory's bandwidth (triad) | 2,000 GB/s |" in page
    assert "### Families: 1 of 2 write what `generate` writes" in page
    assert "| bad_one | cuda: all the same | cuda: differs: alone |  |" in page
    assert "| attention | steps | prefix | rows | floor | 1 nodes | 64 nodes |" in page
    assert "| masked | cuda | 6,000 | 1 | 0.50 | 11.0 | 74.0 |" in page
    assert "| chunked | cuda | 6,000 | 1 | 0.50 |  | 74.0 |" in page
    assert "| parse | parse 1: ValueError: a \\| b |" in page and "| compile | no time was left |" in page
    assert "### Pages" not in page  # none was read


def test_without_a_gpu_the_first_line_says_so():
    on_cpu = [{key: value for key, value in one.items() if key != "device"} for one in recorded()]
    for runs in ([], [Findings(on_cpu)]):
        page = page_of(runs)
        assert page.startswith(NEVER + "\n") and "abc1234" not in page and "benchmarks device run" in page


def test_the_latest_run_comes_first():
    later = recorded()
    later[0] |= {"commit": "def5678", "at_utc": "2026-11-27 10:00"}
    page = page_of([Findings(recorded()), Findings(later)])
    assert page.index("def5678") < page.index("abc1234")


def test_the_page_in_the_documentation_is_that_of_the_results_here(tmp_path):
    page = tmp_path / "page.md"
    done = CliRunner().invoke(app, ["device", "report", "--page", str(page)])
    assert done.exit_code == 0, done.output
    assert page.read_text() == (ROOT / "docs" / "gpu-measured.md").read_text()


@pytest.mark.parametrize("file", sorted(RESULTS.glob("*.jsonl")), ids=lambda file: file.name)
def test_results_name_no_place_of_a_machine(file):
    assert re.findall(r"(?<![\w.>])/(?:home|opt|root|tmp|usr|work|workspace|mnt|data)/\S*", file.read_text()) == []
    assert summary(Findings.read(file)).count("\n") > 20


@pytest.mark.parametrize("text", ["no json", "[1]", '{"no": "kind"}', "7"])
def test_a_file_that_is_not_the_check_s_is_an_error_with_its_line(tmp_path, text):
    file = tmp_path / "results.jsonl"
    file.write_text('{"kind": "run"}\n' + text + "\n")
    done = CliRunner().invoke(app, ["device", "report", str(file), "--page", str(tmp_path / "page.md")])
    assert done.exit_code != 0 and not (tmp_path / "page.md").exists()
    with pytest.raises(ValueError, match="line 2"):
        Findings.read(file)


def test_what_a_part_prints_is_a_finding_or_something_said():
    assert parsed('{"kind": "a", "b": 1}\n') == {"kind": "a", "b": 1}
    for line in ("Loading 3 of 4\n", "12\n", '{"a": 1}\n', "null"):
        assert parsed(line) == {"kind": "said", "text": line.strip()}


def test_values_become_what_json_holds():
    given = {1: (2.0000001, math.inf), "a": {"b": math.nan, "c": True}, "d": None, "e": Path("f")}
    expected = {"1": [2.0, "inf"], "a": {"b": "nan", "c": True}, "d": None, "e": "f"}
    assert plain(given) == expected and json.loads(json.dumps(plain(given))) == expected


def test_parts_are_chosen_whole_or_by_kind():
    assert plan.chosen(()) == list(plan.STAGES)
    assert plan.chosen(("steps:dots.ocr", "doctor")) == [{"doctor": 80}, {"steps:dots.ocr": 35}]
    assert [len(stage) for stage in plan.chosen(("families", "facts"))] == [1, plan.FAMILY_SHARES]
    with pytest.raises(ValueError, match="no part is called stepz; there are facts, "):
        plan.chosen(("facts", "stepz"))


def test_every_part_has_a_module():
    kinds = {part.partition(":")[0] for stage in plan.STAGES for part in stage}
    modules = {file.stem for file in (ROOT / "benchmarks" / "device" / "parts").glob("[a-z]*.py")}
    assert kinds == modules


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1234.5, "1,234"), (12.34, "12.3"), (1.234, "1.23"), (0.0123, "0.012"), (0.0, "0.00"), (7, "7"), (True, "yes")],
)
def test_figures_have_three_digits(value, shown):
    assert figure(value) == shown


def test_a_table_without_rows_is_nothing():
    assert table("Heading", ("a",), []) == ""


def test_running_without_a_prepared_folder_or_with_a_wrong_part_is_one_line(tmp_path):
    done = CliRunner().invoke(app, ["device", "run", "--data", str(tmp_path), "--out", str(tmp_path / "out")])
    assert done.exit_code != 0 and not (tmp_path / "out").exists()
    (tmp_path / "prepared.json").write_text("{}")
    done = CliRunner().invoke(app, ["device", "run", "--data", str(tmp_path), "--only", "stepz"])
    assert done.exit_code != 0
