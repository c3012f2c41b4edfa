"""The closing summary is short and fits the terminal."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from docspec.core import Baseline, Event, ParseOptions
from docspec.reporting.summary import summary
from docspec.reporting.timing import Report


def rendered(report: Report, width: int) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(summary(report, width))
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.fixture
def report(make_page: Any) -> Report:
    made = Report(ParseOptions(), {})
    made.target = {"random": True}
    made.start_document("a.pdf")
    made.add_page(make_page(1, baseline=Baseline(41, 0.3, 1.2, 2.4, 1.6, True)))
    made.add_page(make_page(2, status="failed", error="x", stage1=None, stage2=None))
    return made


def test_summary_tells_counts_phases_and_speed(report: Report) -> None:
    text = "\n".join(rendered(report, 80))
    assert "2 pages: 1 read, 1 failed" in text
    assert "stage 2" in text and "4.00" in text and "5.00" in text
    assert "1.38x decoding, 1.28x end to end; identical 1 of 1" in text
    assert "random weights" in text


def test_summary_tells_what_a_reader_of_the_output_must_know(make_page: Any) -> None:
    cut, skipped = Event("budget_reached", "100 tokens"), Event("stage1_skipped", "would not pay")
    made = Report(ParseOptions(), {})
    made.start_document("a.pdf")
    for number, events in enumerate([(cut, skipped), (cut, cut), (skipped,), (Event("loop_stopped", "x"),)], 1):
        made.add_page(make_page(number, events=events))
    lines = rendered(made, 80)
    assert lines[1:3] == ["1 page cut where the output began to repeat itself", "2 pages cut at the token budget"]
    assert not any("stage1_skipped" in line or "would not pay" in line for line in lines)


@pytest.mark.parametrize("width", [40, 50, 80, 200])
def test_summary_fits_its_width_without_cutting_numbers(report: Report, width: int) -> None:
    lines = rendered(report, width)
    assert len(lines) < 16
    assert all(cell_len(line) <= width for line in lines)
    assert not any("…" in line for line in lines)


def test_where_no_model_decoded_nothing_is_told_of_decoding(make_page: Any) -> None:
    made = Report(ParseOptions(), {})
    made.start_document("a.pdf")
    made.add_page(make_page(1, stage1=None, stage2=None))
    phases = [line.split() for line in rendered(made, 80)[1:] if line.strip(" ─")]
    assert [cells[0] for cells in phases] == ["phase", "render", "draft", "total"]
    assert all(len(cells) == 2 for cells in phases)
