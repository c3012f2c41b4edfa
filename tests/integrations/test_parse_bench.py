"""docspec as a pipeline of ParseBench, on pages in the layout in which its documents are published.

``DOCSPEC_PARSE_BENCH_PYTHON`` names the Python (3.12 or newer) of an environment as
``integrations/parse-bench/README.md`` makes one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.made_parse_bench import make_parse_bench

ROOT = Path(__file__).parents[2]
PYTHON = os.environ.get("DOCSPEC_PARSE_BENCH_PYTHON")


@pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_PARSE_BENCH_PYTHON names no Python that has parse-bench")
def test_its_own_scorers_read_what_docspec_writes(tmp_path: Path) -> None:
    data = make_parse_bench(tmp_path / "data")
    ran = subprocess.run(
        [
            *(str(PYTHON), str(ROOT / "integrations/parse-bench/parse_bench_docspec.py"), "run", "docspec"),
            *("--input_dir", str(data), "--output_dir", str(tmp_path / "out"), "--open_report", "False"),
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    found = {
        group: json.loads((tmp_path / f"out/docspec/{group}/_evaluation_report.json").read_text())["aggregate_metrics"]
        for group in ("table", "text_content")
    }
    assert found["table"]["avg_grits_trm_composite"] == 1
    assert found["text_content"]["avg_rule_pass_rate"] == 0.75
