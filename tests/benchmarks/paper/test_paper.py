"""``python -m benchmarks paper``: the paper's tables with docspec's rows beside them, over small made data sets."""

from __future__ import annotations

import json

import pymupdf
import pytest
from typer.testing import CliRunner

from benchmarks.cli import app
from benchmarks.paper import tables as tables_of
from benchmarks.paper.tables import PUBLISHED, SOURCE, tables
from benchmarks.suites.item import Scores
from benchmarks.suites.results import SuiteResults

LINES = ["The ferry left the harbour at noon.", "Nobody on the quay had seen it go."]


def way(tokens, seconds, accepted=0, steps=1, **more):
    timed = {name: [seconds] for name in ("seconds", "decode", "draft", "stage1", "prefill", "stage2")}
    return {
        "text": "x",
        "status": "ok",
        "tokens": tokens,
        "steps": steps,
        "accepted": accepted,
        "identical": True,
        **timed,
        **more,
    }


def results(suite="omnidocbench", title="OmniDocBench v1.5", kinds=("Notes", "Newspaper"), tokens=(100, 3000)):
    """Two pages: one read twice as fast, one four times, the latter longer than the paper's filter allows."""
    records = [
        {
            "item": kind,
            "kind": kind,
            "ways": {
                "draft": {"text": "x", "seconds": [0.5]},
                "plain": way(count, 8.0),
                "tau 0.75": way(count, 8.0 / speed, accepted=30, steps=10, draft=[0.5]),
            },
        }
        for kind, count, speed in zip(kinds, tokens, (2, 4), strict=True)
    ]
    scores = {
        name: Scores({}, overall=score, overall_name="of this test")
        for name, score in (("draft", 80.0), ("plain", 90.0), ("tau 0.75", 89.0))
    }
    return SuiteResults(suite, title, {"simulated": False}, records, 5, scores)


def grids(*given, model_type="qwen3_vl"):
    by_name = {one.suite: one for one in given}
    made = tables(by_name, {name: f"run {name}" for name in by_name}, "a model", model_type)
    return {grid.number: grid for grid in made}


def test_published_figures_have_a_value_for_every_column():
    assert "2602.12957" in SOURCE
    assert list(PUBLISHED["tables"]) == ["1", "A1", "2", "A2", "3", "4", "5", "6", "7", "8"]
    for table in PUBLISHED["tables"].values():
        assert all(len(row["values"]) == len(table["columns"]) for row in table["rows"])


def test_ratios_are_of_sums_filters_leave_pages_out_and_kinds_have_their_columns():
    grid = grids(results())["1"]
    every, short = grid.ours
    place = grid.columns.index
    assert every.name == "both stages, tau 0.75" and short.name == "both stages, tau 0.75*"
    assert every.values[:3] == (3.0, 16 / 6, 16 / 6)
    assert every.values[place("Notes")] == 2 and every.values[place("Newspaper")] == 4
    assert every.values[place("Slides")] is None
    assert short.values[2] == 2 and short.values[place("Newspaper")] is None
    assert "1 pages have more than 2,048 tokens. 0 pages have more than 8,192" in grid.caption
    assert "2 of 5 pages" in grid.caption
    assert [row.values[2] for row in grids(results())["A1"].ours] == [16 / 6]


def test_every_cell_of_ours_has_its_command_and_every_one_of_the_papers_its_source():
    for grid in grids(results()).values():
        for row in grid.as_json(SOURCE)["rows"]:
            for cell in row["cells"].values():
                if row["whose"] == "docspec":
                    assert cell["command"] == "run omnidocbench"
                else:
                    assert cell["source"].endswith(f"2602.12957, table {grid.number}")
    assert "[1] `run omnidocbench`" in grids(results())["1"].as_markdown()


def test_a_head_is_the_method_that_it_was_taught_as(tmp_path):
    facts = {"config": {"kind": "hivis"}, "target": "mini", "simulated": True}
    (tmp_path / "head.json").write_text(json.dumps(facts))
    assert tables_of._method(f"head:{tmp_path}") == "hivis"
    assert tables_of._taught(f"head:{tmp_path}") == " (hivis, taught for mini, simulated)"
    assert [tables_of._method(mode) for mode in ("head:/nowhere", "model:x", "page")] == ["head", "model", "page"]
    assert tables_of._taught("model:x") == ""


def test_what_was_not_read_and_what_is_not_here_is_said():
    made = grids(results())
    assert made["2"].ours == () and "olmocr-bench was not given" in made["2"].caption
    remarks = {row.name: row.remark for row in made["4"].ours if row.remark}
    assert remarks["VSD"].startswith("not run: name it with --proposer model:")
    assert "docspec_methods.teaching --head vispec" in remarks["ViSpec"]
    assert "docspec_methods.teaching --head hivis" in remarks["HiViS (arXiv 2509.23928)"]
    assert remarks["ParallelVLM"].startswith("not run: name it with --proposer parallel:")
    assert made["6"].ours[0].remark.startswith("needs DeepSeek-OCR")
    assert grids(results(), model_type="deepseek_ocr2")["6"].ours[0].values[:3] == (3.0, 16 / 6, 16 / 6)
    values = {row.name: row.values for row in made["7"].ours}
    assert values["draft"] == (80.0, None, None) and values["both stages, tau 0.75"] == (89.0, None, None)


def test_pages_of_ones_own_stand_in_and_are_never_called_omnidocbench():
    made = grids(results("pairs", "pages with their true Markdown", ("notes-scan", "newspaper")))
    notes, newspaper = made["1"].columns.index("Notes"), made["1"].columns.index("Newspaper")
    rows = {row.name: row.values for row in made["1"].ours}
    printed, scanned = rows["both stages, tau 0.75"], rows["both stages, tau 0.75, scans"]
    assert printed[newspaper] == 4 and printed[notes] is None
    assert scanned[notes] == 2 and scanned[newspaper] is None
    for number in ("1", "4", "5", "8"):
        assert "not OmniDocBench" in made[number].caption
    assert made["7"].columns[-1] == "samples" and made["7"].ours[0].values[-1] == 80.0


def test_a_method_that_was_run_is_a_row_of_its_own():
    run = results()
    for record in run.records:
        record["ways"]["model:small"] = way(record["ways"]["plain"]["tokens"], 4.0, accepted=50, steps=10)
    rows = {row.name: row for row in grids(run)["4"].ours}
    assert rows["proposer model:small"].values == (5.0, 2.0)
    assert "VSD" not in rows


def test_captions_say_how_far_runs_lie_apart():
    run = results()
    for record in run.records:
        record["ways"]["tau 0.75"]["seconds"] = [2.0, 4.0, 8.0]
        record["ways"]["plain"]["seconds"] = [6.0, 8.0, 10.0]
    made = grids(run)
    assert "over its slowest: 0.75 to 5.00." in made["1"].caption
    assert "over its slowest: both stages, tau 0.75 0.75 to 5.00." in made["4"].caption


def test_methods_read_in_another_way_have_tables_4_and_5_to_themselves():
    page, regions = (results("pairs", "pages with their true Markdown") for _ in range(2))
    for record in page.records:
        record["ways"]["window n=2"] = way(record["ways"]["plain"]["tokens"], 2.0, accepted=70, steps=10)
    for record in regions.records:
        tokens = record["ways"]["plain"]["tokens"]
        record["ways"] = {"plain": way(tokens, 8.0), "head:mini-vispec": way(tokens, 4.0, accepted=50, steps=10)}
    by_name = {"pairs": page, tables_of.METHODS: regions}
    made = {grid.number: grid for grid in tables(by_name, {name: f"run {name}" for name in by_name}, "x", "qwen3_vl")}
    [head, *others] = made["4"].ours
    assert (head.name, head.values) == ("proposer head:mini-vispec (vispec, taught for mini)", (5.0, 2.0))
    assert head.command == "run methods" and "Read by regions" in made["4"].caption
    assert "ViSpec" not in {row.name for row in others}
    assert {row.command for row in made["5"].ours} == {"run methods"}
    assert [row.name for row in made["1"].ours] == ["both stages, tau 0.75", "both stages, tau 0.75*"]
    assert [(row.name, row.values[0]) for row in made["W"].ours] == [("window n=2", 7.0)]
    assert made["7"].columns[-1] == "samples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("pairs")
    pdf = pymupdf.open()
    page = pdf.new_page(width=240, height=160)
    for row, line in enumerate(LINES):
        page.insert_text((12, 24 + 40 * row), line, fontsize=9)
    pdf.save(root / "notes.pdf")
    (root / "notes.md").write_text("\n\n".join(LINES), encoding="utf-8")
    return root


def test_the_report_is_written_whole_and_labelled_simulated(lively_qwen, folder, tmp_path):
    arguments = ["paper", "--suite", str(folder), "-o", str(tmp_path), "--model", str(lively_qwen)]
    options = ["--max-tokens", "8", "--dtype", "float32", "--device", "cpu", "--drafter", "text-layer"]
    command = [*arguments, *options, "--mode", "tau 0.75", "--figure-pages", "0"]
    assert CliRunner().invoke(app, command, catch_exceptions=False).exit_code == 0
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    for number in ("1", "A1", "2", "A2", "3", "4", "5", "6", "7", "8"):
        assert f"## Table {number}:" in report
    assert report.count("SIMULATED: random weights") > 4
    assert "Not made (--figure-pages 0)" in report
    whole = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert whole["simulated"] is True and whole["published"] == SOURCE
    [table] = [one for one in whole["tables"] if one["number"] == "8"]
    [row] = [one for one in table["rows"] if one["name"] == "both stages, tau 0.75"]
    assert "--max-tokens 8" in row["cells"]["SR_e2e"]["command"]
    again = CliRunner().invoke(app, [*command, "--resume"], catch_exceptions=False)
    assert again.exit_code == 0
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == report  # nothing is read twice
