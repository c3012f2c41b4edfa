"""Stages run in order, each part within its limit; a part that crashes or hangs costs itself alone."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from benchmarks.device import driver
from benchmarks.device.driver import Driver, PartProcess, RunOptions
from benchmarks.device.findings import Findings

ROOT = Path(__file__).parents[3]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs stages of :mod:`tests.benchmarks.device.made_part`; what is found, and what the file has."""
    monkeypatch.setattr(driver, "PART", "tests.benchmarks.device.made_part")
    monkeypatch.setattr(driver, "GRACE", 0.5)
    monkeypatch.chdir(ROOT)

    def run(*stages, **more):
        findings = Driver(RunOptions(tmp_path / "data", tmp_path / "out", "cpu", **more), stages).run()
        assert Findings.read(tmp_path / "out" / "results.jsonl").lines == findings.lines
        return findings

    return run


def ends(findings: Findings) -> dict[str, str]:
    return {one["part"]: one["how"] for one in findings.of("part")}


def test_a_part_that_crashes_or_hangs_costs_itself_alone(run, capsys):
    findings = run({"crash": 60, "hang": 3, "speak:a": 60}, {"speak:b": 60})
    how = {"crash": "exit 3", "hang": "killed at its limit", "speak:a": "done", "speak:b": "done"}
    assert ends(findings) == how
    assert [one["part"] for one in findings.of("told")][-1] == "speak:b"
    assert {one["part"] for one in findings.of("told")} >= set(how) - {"hang"}
    assert {one["text"] for one in findings.of("said")} == {"what a library prints"}
    said = capsys.readouterr().out
    assert "PART hang: killed at its limit" in said and "PART crash: exit 3" in said


def test_parts_are_told_their_seconds_and_options(run, tmp_path):
    findings = run({"speak": 20}, {"speak:b": 700}, seconds=600, patience=2.0, tiny=True)
    first, second = findings.of("told")
    assert first["seconds"] == 40 and 500 < second["seconds"] < 600
    assert first["arguments"] == [str(tmp_path / "data"), "cpu", "--tiny"]


def test_what_a_part_started_ends_with_it(run):
    [child] = run({"speak": 60}, {"child": 5}).of("child")
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{child['pid']}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return
        if state == "Z":
            return
        time.sleep(0.05)
    os.kill(child["pid"], 9)
    pytest.fail("it still runs")


def test_no_stage_begins_without_time_for_it(run, monkeypatch, capsys):
    honest = PartProcess.wait

    def wait(self):
        honest(self)
        monkeypatch.setattr(driver, "LEAST_SECONDS", 441)

    monkeypatch.setattr(PartProcess, "wait", wait)
    findings = run({"speak": 60}, {"speak:b": 20}, {"speak:c": 20})
    assert ends(findings) == {"speak": "done"}
    assert findings.of("skipped")[0]["parts"] == ["speak:b", "speak:c"]
    assert "no time left for speak:b, speak:c" in capsys.readouterr().out


def test_it_stops_where_the_first_part_finds_nothing(run, monkeypatch, capsys):
    monkeypatch.setattr(driver, "PART", "tests.benchmarks.device.no_such_module")
    findings = run({"facts": 20}, {"speak": 20})
    assert ends(findings) == {"facts": "exit 1"}
    said = capsys.readouterr().out
    assert "nothing works here: stopped" in said and "no_such_module" in said
