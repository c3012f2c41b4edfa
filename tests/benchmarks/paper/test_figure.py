"""Figure 3: its points are kept, so that it is drawn again without reading anything."""

from __future__ import annotations

import json

import pytest

from benchmarks.drafts import Plan
from benchmarks.paper import figure
from benchmarks.suites.omnidocbench import OmniDocBench
from docspec.core import ParseOptions

pytest.importorskip("matplotlib")


def test_points_are_measured_once_and_drawn_again(lively_qwen, omni_folder, tmp_path, monkeypatch):
    few = {"noise": (0.2,)}
    monkeypatch.setattr(figure, "Plan", lambda **more: Plan(drafters=("none",), levels=few, **more))
    options = ParseOptions(model=str(lively_qwen), device="cpu", dtype="float32", max_tokens=6)
    suite = OmniDocBench(omni_folder)
    drawn = figure.draw_figure(suite, options, tmp_path, 1, 1, resume=False)
    assert "SIMULATED" in drawn["note"] and [point["label"] for point in drawn["points"]] == ["none"]
    picture = (tmp_path / "figure-3.svg").read_bytes()
    monkeypatch.setattr(figure, "measure", None)  # nothing is read again
    assert figure.draw_figure(suite, options, tmp_path, 1, 1, resume=True) == drawn
    assert (tmp_path / "figure-3.svg").read_bytes() == picture
    assert json.loads((tmp_path / "figure-3.json").read_text())["simulated"] is True
    text = figure.figure_text(drawn, "nothing")
    assert "| none |" in text and "figure-3.svg" in text
