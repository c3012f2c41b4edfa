"""The whole check of ``benchmarks/device`` on the simulated device, from an empty folder with only what travels."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.device.travelled import assert_right, whole_run


def test_every_part_runs_in_graphs_and_finds_what_it_must(device: object, tmp_path: Path) -> None:
    findings = whole_run(tmp_path, "openreg:0")
    assert_right(findings, "cuda")
    assert findings.first("captures")["captured"] > 0
