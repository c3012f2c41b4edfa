"""The timing report says what was done, adds up, and follows its schema."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from schema_check import load_schema, problems

from docspec.core import Baseline, Cut, PageTimings, ParseOptions, StageStats
from docspec.hierarchy.page_state import compared
from docspec.reporting.timing import Report
from docspec.reporting.totals import Totals
from docspec.targets.stepping.step import StepReport


def report(options: ParseOptions | None = None) -> Report:
    return Report(options or ParseOptions(), {"docspec": "0.1.0", "paddlex": None}, {"system": "Linux", "cpus": 2})


def test_report_follows_its_schema(tmp_path: Path, make_page: Any) -> None:
    made = report(ParseOptions(drafts=tmp_path))
    made.target = {"name": "tiny", "random": False, "parameters": 5}
    made.start_document("a.pdf", "00", tmp_path / "a.md")
    made.add_page(make_page(1, baseline=Baseline(41, 0.3, 1.0, 2.0, 1.5, True)))
    made.add_page(make_page(3, cut=Cut("budget", 41)))
    made.add_page(make_page(2, status="failed", error="out of memory", stage1=None, stage2=None))
    made.start_document("b.pdf").error = "b.pdf: not a PDF"
    made.write(tmp_path / "r.json")
    value = json.loads((tmp_path / "r.json").read_text())
    assert problems(value, load_schema("report")) == []
    assert value["schema"] == "docspec.report/1"
    assert [entry["status"] for entry in value["documents"]] == ["partial", "failed"]
    assert value["options"]["drafts"] == str(tmp_path)
    earlier = json.loads(json.dumps(value))
    del earlier["totals"]["stage2"]["host_seconds"]
    assert problems(earlier, load_schema("report")) == []
    value["documents"][0]["pages"][0]["seconds"]["lunch"] = 1
    assert problems(value, load_schema("report"))


def test_page_entry_has_counts_of_both_stages(make_page: Any) -> None:
    made = report()
    made.start_document("a.pdf")
    made.add_page(make_page(1))
    page = made.as_object()["documents"][0]["pages"][0]
    assert (page["drafter"], page["drafter_reason"]) == ("text-layer", "trustworthy text layer")
    assert (page["regions"], page["prompt_tokens"], page["output_tokens"]) == (4, 120, 41)
    assert page["stage1"]["aal"] == 3.0 and page["stage1"]["tokens_per_step"] == 4.0
    assert page["stage2"]["aal"] == 4.0 and page["stage2"]["tokens_per_step"] == 5.0
    assert page["seconds"]["total"] == pytest.approx(1.18)
    assert page["events"] == [{"kind": "stage1_skipped", "detail": "nothing to check"}]
    assert page["baseline"] is None


def test_totals_are_sums_and_ratios_of_sums(make_page: Any) -> None:
    made = report()
    made.start_document("a.pdf")
    pages = [
        make_page(
            number,
            token_ids=(1, 2, 3),
            timings=timings,
            baseline=compared(
                (1, 2, 3), timings, plain, StageStats(prefill_seconds=0.4, decode_seconds=decode), 0.1, layout
            ),
        )
        for number, timings, plain, decode, layout in (
            (1, PageTimings(0.4, 0.2, 0.3, 0.35, 0.5), (1, 2, 3), 3.0, 0.15),
            (2, PageTimings(0.1, 0.0, 0.2, 0.0, 0.7), (1, 2), 0.9, 0.0),
        )
    ]
    for page in pages:
        made.add_page(page)
    made.add_page(make_page(3, status="blank", stage1=None, stage2=None))
    totals = made.as_object()["totals"]
    assert (totals["pages"], totals["ok"], totals["blank"], totals["failed"]) == (3, 2, 1, 0)
    assert totals["stage2"]["steps"] == 16 and totals["stage2"]["aal"] == 4.0
    assert totals["output_tokens"] == 6
    assert totals["seconds"]["render"] == pytest.approx(0.51)
    decode = (3.15 + 0.9) / (0.2 + 0.35 + 0.5 + 0.7)
    whole = (0.4 + 0.5 + 3.15 + 0.1 + 0.5 + 0.9) / (1.75 + 1.0)
    expected = {"pages": 2, "identical": 1, "sr_decode": round(decode, 4), "sr_e2e": round(whole, 4)}
    assert totals["baseline"] == expected


def test_the_ratio_of_one_page_is_that_of_its_totals(make_page: Any) -> None:
    timings = PageTimings(0.4, 0.2, 0.3, 0.35, 0.5)
    stats = StageStats(prefill_seconds=0.4, decode_seconds=3.0)
    baseline = compared((1,), timings, (1,), stats, 0.1, 0.15)
    totals = Totals()
    totals.add(make_page(1, timings=timings, baseline=baseline))
    assert totals.sr_decode == pytest.approx(baseline.sr_decode)
    assert totals.sr_e2e == pytest.approx(baseline.sr_e2e)


def test_random_weights_are_declared() -> None:
    made = report()
    made.target = {"random": True}
    assert made.as_object()["simulated"] is True
    assert "random weights" in made.as_object()["note"]
    made.target = {"random": False}
    assert made.as_object()["simulated"] is False and "note" not in made.as_object()


def test_how_steps_were_run_is_told_where_a_model_ran() -> None:
    made = report()
    assert "steps" not in made.as_object()
    made.steps = asdict(StepReport("cuda", "the quickest that works here", 9, 12, 3.5))
    told = made.as_object()
    assert told["steps"]["warmup_seconds"] == 3.5
    assert not problems(told, load_schema("report"))


def test_password_is_never_written(tmp_path: Path) -> None:
    report(ParseOptions(password="open sesame")).write(tmp_path / "r.json")
    text = (tmp_path / "r.json").read_text()
    assert "sesame" not in text
    assert json.loads(text)["options"]["password"] is True
