"""What a corpus costs on paper: seconds a page multiplied out, with the limit that drafting sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docspec.bench.cli.cost import estimate, measured
from docspec.cli import app
from docspec.core import InputError


def report(path: Path, **changes: Any) -> Path:
    """100 pages, 0.9 s of verifying each and 3.6 of drawing and drafting."""
    seconds = {"render": 60.0, "draft": 300.0, "prefill": 30.0, "stage1": 20.0, "stage2": 40.0, "total": 450.0}
    target = {"name": "some/reader", "device": "cuda:0", "dtype": "bfloat16"}
    totals = {"pages": 100, "seconds": seconds}
    path.write_text(json.dumps({"totals": totals, "target": target, "simulated": False, **changes}))
    return path


def test_seconds_a_page_are_multiplied_out(tmp_path: Path) -> None:
    page = measured(report(tmp_path / "r.json"))
    assert (page.verify, page.prepare, page.target) == (0.9, 3.6, "some/reader on cuda:0, bfloat16")
    eight, sixty_four = estimate(page, 1_000_000, 8), estimate(page, 1_000_000, 64)
    assert eight.device_hours == sixty_four.device_hours == 250.0
    assert eight.days == pytest.approx(250 / 8 / 24) and sixty_four.days == pytest.approx(eight.days / 8)
    assert (eight.processes, sixty_four.processes) == (32, 256)
    assert eight.days_with(32) == pytest.approx(eight.days) and eight.days_with(16) == pytest.approx(2 * eight.days)


def test_the_table_says_what_it_was_made_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = report(tmp_path / "r.json", simulated=True)
    out = tmp_path / "o.json"
    assert app.run(["bench", "cost", str(path), "--devices", "8", "--drafters", "2", "--json", str(out)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Estimate for 1,000,000 pages" in said and "simulated" in said and "250" in said and "2.6" in said
    [row] = json.loads(out.read_text())["rows"]
    assert row["processes"] == 32


def test_what_is_no_report_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[]")
    empty = report(tmp_path / "e.json", totals={"pages": 0, "seconds": {}})
    for path in (tmp_path / "x.json", tmp_path / "none.json", empty):
        with pytest.raises(InputError, match="report of docspec"):
            measured(path)
