"""docspec as a pipeline of ParseBench, on pages in the layout in which its documents are published.

``DOCSPEC_PARSE_BENCH_PYTHON`` names the Python (3.12 or newer) of an environment as
``integrations/parse-bench/README.md`` makes one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.made_report import ROWS, make_report

ROOT = Path(__file__).parents[2]
PYTHON = os.environ.get("DOCSPEC_PARSE_BENCH_PYTHON")


def html(rows: list[tuple[str, ...]]) -> str:
    kinds = ["th"] + ["td"] * (len(rows) - 1)
    cells = ["".join(f"<{kind}>{cell}</{kind}>" for cell in row) for kind, row in zip(kinds, rows, strict=True)]
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def line(category: str, kind: str, rule: dict[str, Any], **more: Any) -> str:
    facts = {"pdf": f"pdfs/{category}/report.pdf", "category": category, "id": json.dumps(rule), "type": kind}
    return json.dumps({**facts, "rule": rule, **more}) + "\n"


@pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_PARSE_BENCH_PYTHON names no Python that has parse-bench")
def test_its_own_scorers_read_what_docspec_writes(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for category in ("table", "text_content"):
        (data / "pdfs" / category).mkdir(parents=True)
        make_report(data / "pdfs" / category / "report.pdf")
    (data / "table.jsonl").write_text(line("table", "expected_markdown", {}, expected_markdown=html(ROWS)))
    rules = [
        ("missing_specific_sentence", {"sentence": "The harbour is dry for two hours at each low tide."}),
        ("order", {"before": "Heights in March", "after": "Entering at night"}),
        ("missing_specific_word", {"word": "zeppelin"}),  # which it has not: three rules of four hold
        ("missing_specific_word", {"word": "lights"}),
    ]
    (data / "text_content.jsonl").write_text("".join(line("text_content", kind, rule) for kind, rule in rules))
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
