"""The check as it arrives on a machine with a GPU: an empty folder with what travels, and nothing else of the clone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.device.findings import Findings
from benchmarks.device.prepare import prepare, travelling

ROOT = Path(__file__).parents[3]
PARTS = (
    *("facts", "families:0", "bundled", "doctor", "pages:dots.ocr", "steps:dots.ocr", "attention", "parse", "speed"),
    "compile",
)
"""Every kind of part, once."""


def whole_run(folder: Path, device: str) -> Findings:
    """What the check finds on ``device`` with ``--tiny``; every part ends by itself and nothing is wrong."""
    tree = folder / "tree"
    for file in travelling(ROOT):
        there = tree / file.relative_to(ROOT)
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_bytes(file.read_bytes())
    prepare(tree / ".device", None, wheels=False, tell=print)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "benchmarks.device", ".device", "--out", "out", "--device", device, "--tiny"]
    command += ["--seconds", "900", "--patience", "8", "--only", ",".join(PARTS)]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=1000)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    findings = Findings.read(tree / "out" / "results.jsonl")
    assert findings.of("error") == [] and findings.of("skipped") == []
    parts = {one["part"]: one["how"] for one in findings.of("part")}
    assert set(parts.values()) == {"done"}
    assert {part.partition(":")[0] for part in parts} == {part.partition(":")[0] for part in PARTS}
    assert "=== summary ===" in done.stdout and (tree / "out" / "summary.txt").read_text() in done.stdout
    return findings


def assert_right(findings: Findings, mode: str) -> None:
    """Every comparison came out as it must, with steps in ``mode``."""
    [family] = findings.of("family")
    for graphs in ("off", "auto"):
        assert all(family[graphs][way] for way in ("plain", "side_by_side", "alone", "pieces")), family
    assert family["auto"]["mode"] == mode and family["bfloat16"]["strict_is_plain"]
    verdicts = {check["verdict"] for one in findings.of("fidelity") for check in one["checks"]}
    assert verdicts and verdicts <= {"identical", "cut"}
    assert all(one["crops"] for one in findings.first("near ties", page="all")["totals"].values())
    assert len(findings.of("doctor")) == 11 and all(one["ok"] is not False for one in findings.of("doctor"))
    pages = findings.of("page")
    assert {page["way"] for page in pages} == {"masked"}
    assert all(page["plain"]["follows"] and page["trees"]["follows"] for page in pages)
    assert all(page["trees"]["mode"] == mode and page["tokens_a_step"] > 2 for page in pages)
    assert {one["way"] for one in findings.of("step", mode=mode)} == {"masked"}
    errors = [one["error"] for one in findings.of("attention")]
    assert errors and max(errors) < 2e-6
    assert [one["rc"] for one in findings.of("parse")] == [0]
    assert all(one["identical"] for one in findings.of("speed"))
    assert findings.first("compiled")["same_choices"] and findings.first("compiled pages")["same"]
    for kind in ("prefill", "generate", "host", "kernels", "python", "calibrated", "captures", "speed steps"):
        assert findings.of(kind), kind
