"""``docspec doctor --device`` on the simulated device: all is well there, and what is broken is seen."""

from __future__ import annotations

import json
import time

import pytest
import torch
from typer.testing import CliRunner

from docspec.bench import device as checkup
from docspec.bench import device_checks as checks
from docspec.bench import step
from docspec.cli.app import app
from docspec.targets.stepping.choice import FirstThatWorks
from docspec.targets.stepping.inputs import Inputs


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Sizes that a simulated device gets through in seconds."""
    for name, value in (("TOKENS", 40), ("PREFIX", 100), ("TREES", (1, 8)), ("ROWS", (1, 2)), ("REPEATS", 1)):
        monkeypatch.setattr(checks, name, value)
    monkeypatch.setattr(step, "ELEMENTS_ELSEWHERE", 2**14)


@pytest.fixture
def line_of(lively_qwen, monkeypatch):
    """The line of one check alone."""

    def run(name):
        monkeypatch.setattr(checkup, "CORRECT", tuple(check for check in checkup.CORRECT if check.name == name))
        monkeypatch.setattr(checkup, "FAST", ())
        return {line.name: line for line in checkup.examine_device("openreg:0", str(lively_qwen))}[name]

    return run


def test_every_check_is_a_line_and_nothing_is_wrong(lively_qwen, device, tmp_path):
    """On the terminal, and with its figures in the file."""
    file = tmp_path / "report.json"
    done = CliRunner().invoke(
        app, ["doctor", "--device", "openreg:0", "--model", str(lively_qwen), "--report", str(file)]
    )
    assert done.exit_code == 0, done.output
    assert done.output.count("yes") >= 9 and "docspec reads right here" in done.output
    told = json.loads(file.read_text())
    assert told["fine"] and len(told["lines"]) == 11
    found = {line["name"]: line for line in told["lines"]}
    same = found["float32: drafts, plain, generate"]
    assert same["ok"] and same["figures"]["tokens"] > 20
    graphs = found["graphs over changed inputs and caches"]
    assert graphs["ok"] and graphs["figures"]["captured"] > 2 and graphs["figures"]["differ"] == 0
    assert found["a capture that fails"]["figures"]["after"] == "cuda"
    assert found["waiting in a step"]["figures"]["waits"] == {"eager": 1, "cuda": 1}
    assert found["memory beside the estimate"]["ok"]
    assert {t["mode"] for t in found["milliseconds a step"]["figures"]["times"]} == {"eager", "cuda"}


def test_it_ends_in_time_and_says_what_it_left_out(lively_qwen, device):
    found = list(checkup.examine_device("openreg:0", str(lively_qwen), seconds=0.0))
    assert [line.ok for line in found if "not checked" in line.detail] == [None] * 8


def test_a_check_is_ended_from_within(lively_qwen, device, monkeypatch):
    """On a device that takes an eighth of a second a step, the first page alone would take five."""
    seconds, each, steps = 2.0, 0.125, []
    honest = FirstThatWorks.advance

    def slow(self, pending, cache):
        time.sleep(each)
        steps.append(1)
        return honest(self, pending, cache)

    monkeypatch.setattr(FirstThatWorks, "advance", slow)
    found = list(checkup.examine_device("openreg:0", str(lively_qwen), seconds))
    assert len(steps) <= seconds / each + 1
    assert [line.ok for line in found if "not checked" in line.detail] == [None] * 8


def test_wrong_masks_are_seen(line_of, monkeypatch):
    """Negative control: a mask that shows everything to everybody."""
    monkeypatch.setattr(
        Inputs, "mask", lambda self, view: torch.ones((*self.tokens.shape, view), dtype=torch.bool, device="openreg:0")
    )
    assert line_of("float32: drafts, plain, generate").ok is False


def test_graphs_that_read_old_inputs_are_seen(line_of, monkeypatch):
    from docspec.targets.stepping.bucketed import StaticStep

    honest = StaticStep.load

    def stale(self, step, cache):
        if self.replay is None:
            honest(self, step, cache)

    monkeypatch.setattr(StaticStep, "load", stale)
    assert line_of("graphs over changed inputs and caches").ok is False


def test_a_device_that_is_not_there_is_an_error(device):
    done = CliRunner().invoke(app, ["doctor", "--device", "cuda:7"])
    assert done.exit_code != 0
