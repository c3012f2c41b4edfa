"""``python -m benchmarks suite`` from end to end with a tiny model of random weights: every way scored and timed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import run
from benchmarks.cli import app
from benchmarks.other_readers import OTHERS, Written
from benchmarks.suites.item import Item
from benchmarks.suites.journal import read_journals
from benchmarks.suites.reading import ItemReader
from docspec.core import DocspecError, ParseOptions, UsageError
from docspec.parser import Parser

OPTIONS = ["--drafter", "none", "--max-tokens", "12", "--dtype", "float32", "--device", "cpu"]
WAYS = ["draft", "stage 1", "plain", "page"]


def arguments(model, name, folder, output, *more):
    command = ["suite", name, str(folder), "-o", str(output), "--model", str(model), "--mode", "page"]
    return [*command, *OPTIONS, *more]


def suite(*given):
    return CliRunner().invoke(app, arguments(*given), catch_exceptions=False)


@pytest.fixture(scope="module")
def whole(lively_qwen, omni_folder, tmp_path_factory):
    """The output folder of a run over all pages, and what it printed."""
    output = tmp_path_factory.mktemp("whole")
    done = suite(lively_qwen, "omnidocbench", omni_folder, output)
    assert done.exit_code == 0, done.output
    return output, done.output


def test_every_way_is_scored_and_timed_by_kind(whole):
    output, printed = whole
    assert "SIMULATED" in printed and "Financial Report" in printed
    found = json.loads((output / "results.json").read_text(encoding="utf-8"))
    assert found["schema"] == "docspec.bench.suite/1" and found["simulated"] is True
    assert list(found["accuracy"]) == WAYS
    assert found["accuracy"]["plain"] == found["accuracy"]["page"]  # exact acceptance writes the same
    assert found["accuracy"]["plain"]["figures"]["text edit distance"] > 0.5  # random weights do not read
    [page] = [row for row in found["speed"] if row["most_tokens"] is None]
    assert page["pages"] == page["identical"] == 3
    assert page["low"] <= page["median"] <= page["high"]
    assert {row["kind"] for row in found["speed_by_kind"]} == {"Academic Papers", "Financial Report", "Notes"}
    assert sorted(path.name for path in (output / "written" / "plain").iterdir()) == [
        "note.md",
        "paper.md",
        "report.md",
    ]


def test_by_regions_every_way_pays_for_the_same_draft(lively_qwen):
    """Recognising anew for each of them would put its own ups and downs into every ratio."""
    notes = Path(__file__).parents[3] / "samples" / "notes.pdf"
    options = ParseOptions(
        model=str(lively_qwen), read="regions", drafter="text-layer", max_tokens=4, dtype="float32", device="cpu"
    )
    with Parser(options) as parser:
        ways = ItemReader(parser, ["page", "planned", "lookup"], 2).read(Item("notes", notes, "notes"))["ways"]
    [spent] = {second for way in ("plain", "page", "planned", "lookup") for second in ways[way]["draft"]}
    assert spent == ways["draft"]["seconds"][0] > 0


def test_other_tools_read_the_same_pages_in_the_same_run(lively_qwen, monkeypatch, olmocr_folder, tmp_path):
    def ready(furniture=True):
        assert not furniture, "docspec leaves page headers and footers out, too"

        def read(page):
            if page.source.endswith("table_tests/one.pdf"):
                raise ValueError("no such page")
            return Written(f"by another of {page.number}")

        return read

    monkeypatch.setitem(OTHERS, "pymupdf4llm", ready)
    done = suite(lively_qwen, "olmocr-bench", olmocr_folder, tmp_path, "--beside", "pymupdf4llm")
    assert done.exit_code == 0, done.output
    settings, records = read_journals(tmp_path)
    assert settings["beside"] == ["pymupdf4llm"] and "--beside pymupdf4llm" in settings["command"]
    ways = {record["item"]: record["ways"]["pymupdf4llm"] for record in records}
    assert ways["headers_footers/one_pg1"]["text"] == "by another of 1"
    assert ways["table_tests/one_pg1"] == {"text": "", "error": "ValueError: no such page", "seconds": []}
    found = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert list(found["accuracy"]) == [*WAYS, "pymupdf4llm"]
    assert {row["mode"] for row in found["speed"]} == {"page"}
    with pytest.raises(UsageError, match="--beside nobody: choose among pymupdf4llm"):
        suite(lively_qwen, "olmocr-bench", olmocr_folder, tmp_path, "--beside", "nobody")


def without_speed(folder):
    """What a run says besides seconds and, as trees grow by what steps cost here, what was accepted of them."""
    settings, records = read_journals(folder)
    timed = {"seconds", "decode", "draft", "stage1", "prefill", "stage2", "steps", "accepted"}
    ways = [
        {name: {key: value for key, value in way.items() if key not in timed} for name, way in one["ways"].items()}
        for one in records
    ]
    return settings, [record["item"] for record in records], ways


def test_a_run_that_stopped_goes_on_and_says_the_same(whole, lively_qwen, omni_folder, tmp_path):
    output, _ = whole
    lines = (output / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:100])
    with pytest.raises(UsageError, match="--resume goes on with it"):
        suite(lively_qwen, "omnidocbench", omni_folder, tmp_path)
    done = suite(lively_qwen, "omnidocbench", omni_folder, tmp_path, "--resume")
    assert done.exit_code == 0
    assert without_speed(tmp_path) == without_speed(output)
    one, other = (json.loads((folder / "results.json").read_text()) for folder in (output, tmp_path))
    assert one["accuracy"] == other["accuracy"]
    assert [row["tokens"] for row in one["speed"] if row["pages"]] == [
        row["tokens"] for row in other["speed"] if row["pages"]
    ]


def test_shards_make_one_table_and_a_broken_page_costs_only_itself(lively_qwen, made, tmp_path):
    folder = made.omnidocbench(tmp_path / "data")
    (folder / "images" / "paper.png").write_bytes(b"no image at all")
    first = suite(lively_qwen, "omnidocbench", folder, tmp_path / "out", "--shard", "1/2")
    assert first.exit_code == 0 and "2 of 3 pages" in first.output
    assert run(arguments(lively_qwen, "omnidocbench", folder, tmp_path / "out", "--shard", "2/2")) == 3
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    assert (found["pages"], found["failed"]) == (3, ["paper"])
    assert [row["pages"] for row in found["speed"] if row["most_tokens"] is None] == [2]


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (["nothing", "."], "no data set is called 'nothing'"),
        (["olmocr-bench", "."], "does not hold olmOCR-Bench as published"),
        (["ocean-ocr", "./not-there"], "is no folder"),
    ],
)
def test_what_is_no_data_set_is_said_in_one_line(named, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DocspecError, match=said):
        suite("mini", *named, tmp_path / "out")


def test_a_shard_must_be_one_of_them(omni_folder, tmp_path):
    with pytest.raises(UsageError, match=r"--shard 3/2: must be I/N"):
        suite("mini", "omnidocbench", omni_folder, tmp_path, "--shard", "3/2")
