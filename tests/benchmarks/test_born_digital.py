"""Born-digital files beside pymupdf4llm: every contestant writes Markdown, takes turns, and its time is counted."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from benchmarks.__main__ import run
from benchmarks.born_digital import compare, contestants
from benchmarks.cli.born_digital import print_timings
from benchmarks.race import Contestant, ContestantTiming, timed
from docspec.core import DocspecError

LINE = "Every harbour on this coast keeps a list of the boats that went out and did not come back. "


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A file with one page of running text."""
    document = pymupdf.open()
    document.new_page(width=420, height=595).insert_textbox(pymupdf.Rect(50, 60, 370, 500), LINE * 8, fontsize=10)
    document.save(tmp_path / "page.pdf")
    return tmp_path / "page.pdf"


def test_all_write_the_page_and_take_turns(page: Path) -> None:
    timings = compare([page], repeats=1)
    assert [(timing.name, timing.task.partition(",")[0]) for timing in timings] == [
        ("docspec", "1 files"),
        ("pymupdf4llm", "1 files"),
        ("pymupdf4llm, no OCR", "1 files"),
        ("docspec", "first page"),
        ("pymupdf4llm", "first page"),
    ]
    assert all(len(timing.wall) == len(timing.processor) == 1 for timing in timings)
    assert all(timing.processor[0] > 0.1 for timing in timings), "interpreter, imports and children are counted"


def test_one_that_fails_or_writes_nothing_is_an_error(tmp_path: Path) -> None:
    for words in (["false"], ["true"]):
        with pytest.raises(DocspecError, match="idle failed"):
            timed(Contestant("idle", "nothing", lambda folder, words=words: words), tmp_path)


def test_several_processes_are_a_contestant_of_their_own(page: Path, tmp_path: Path) -> None:
    names = [one.name for one in contestants([page], 2, tmp_path / "other.py")]
    assert "pymupdf4llm, no OCR, 2 processes" in names


def test_each_task_has_a_table_that_fits_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = ["docspec", "pymupdf4llm, no OCR, 16 processes"]
    tasks = ["1234 files", "first page, cold"]
    timings = [ContestantTiming(name, task, [1234.5, 617.25], [9876.5], {}) for task in tasks for name in names]
    print_timings(timings, "Born-digital")
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= 80
    for task in tasks:
        assert printed.count(f"Born-digital: {task}") == 1
    rows = [line for line in printed.splitlines() if "processes" in line]
    assert [row.split("processes")[1].split() for row in rows] == [
        ["925.88", "617.25", "1234.50", "9876.50", "1.00"]
    ] * 2


def test_runs_with_other_options_take_turns_and_their_words_are_compared(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ways = ["--way", "bare=", "--way", "again=--drafter text-layer"]
    assert run(["runs", str(page), "--repeats", "1", *ways]) == 0
    printed = capsys.readouterr().out
    assert "docspec parse: 1 files" in printed and "again: 1 of 1 files as with bare" in printed
    assert run(["runs", str(page), "--way", "--words model"]) == 2
