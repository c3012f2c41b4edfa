"""The whole check on the CPU, from an empty folder with only what travels."""

from __future__ import annotations

from pathlib import Path

from benchmarks.device.report import NEVER, page_of
from tests.benchmarks.device.travelled import assert_right, whole_run


def test_every_part_runs_and_finds_what_it_must(tmp_path: Path) -> None:
    findings = whole_run(tmp_path, "cpu")
    assert_right(findings, "eager")
    assert page_of([findings]).startswith(NEVER)
    assert findings.lines[0]["kind"] == "run" and len(findings.lines[0]["commit"]) >= 7
