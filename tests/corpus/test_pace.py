"""What runs keep of the time that pages take, and what that says of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from docspec.core import PageResult, PageTimings, ParseOptions
from docspec.corpus.pace import MOST_PAGES, PUBLISHED, KindPace, Pace, Paces, Stopwatch, file


def page(seconds: float, drafter: str = "text-layer", status: str = "ok") -> PageResult:
    timings = PageTimings(draft=seconds)
    return PageResult("a.pdf", number=1, status=status, text="", drafter=drafter, timings=timings)  # type: ignore[arg-type]


def run_of(*pages: tuple[PageResult, float], begun: float = 100.0) -> Stopwatch:
    """A run that has read ``pages`` at these seconds of the clock."""
    watch = Stopwatch(begun)
    for result, at in pages:
        watch.page_done(result, at)
    return watch


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def test_pages_prepared_ahead_add_less_to_a_run_than_they_take_alone() -> None:
    watch = run_of((page(2.0), 105.0), (page(2.0), 106.0), (page(4.0, "rapidocr"), 108.0))
    pace = watch.pace(ParseOptions())
    assert pace is not None and (pace.model, pace.engine, pace.start) == ("mini", "local", 3.0)
    assert pace.kinds == {"text": KindPace(2, 2.0, 1, 1.0), "recognised": KindPace(1, 4.0, 1, 2.0)}
    assert pace.seconds(["text"]) == 3 + 2
    assert pace.seconds(["recognised", "text", "text"]) == 3 + 4 + 1 + 1


def test_what_was_not_read_is_not_known() -> None:
    alone = run_of((page(2.0), 102.0)).pace(ParseOptions())
    assert alone is not None and alone.seconds(["recognised"]) is None and alone.seconds(["text"] * 3) == 6.0
    assert run_of().pace(ParseOptions()) is None
    assert run_of((page(0.1, status="failed"), 101.0)).pace(ParseOptions()) is None
    assert run_of((page(2.0), 102.0)).pace(ParseOptions(baseline=True)) is None


def test_runs_are_added_and_old_pages_weigh_no_more_than_a_few_hundred() -> None:
    def pace(pages: int, alone: float, **other: str) -> Pace:
        key = {"model": "mini", "engine": "local", "words": "auto", "device": "auto", **other}
        return Pace(**key, runs=1, start=1.0, kinds={"text": KindPace(pages, alone)})

    Paces.read().keep(pace(2, 1.0))
    Paces.read().keep(pace(2, 3.0))
    found = Paces.read().of("mini", "local", "auto")
    assert (
        found is not None and found.kinds["text"].alone == 2.0 and (found.runs, found.measured_on(["text"])) == (2, 4)
    )
    assert found.measured_on(["text", "recognised"]) == 0, "scans are guessed, as none was read"
    assert found.seconds(["recognised"]) == pytest.approx(1.0 + PUBLISHED.kinds["recognised"].alone)
    Paces.read().keep(pace(10_000, 3.0, model="dots"))
    Paces.read().keep(pace(MOST_PAGES, 5.0, model="dots"))
    found = Paces.read().of("dots", "local", "auto")
    assert found is not None and found.kinds["text"].alone == 4.0
    Paces.read().keep(pace(1, 0.5, model="dots", device="cuda"))
    found = Paces.read().of("dots", "local", "auto")
    assert found is not None and found.device == "cuda", "the newest counts, on whichever device"


def test_without_a_run_the_published_figures_are_taken_for_the_bundled_reader_alone() -> None:
    assert Paces.read().of("mini", "local", "auto") is PUBLISHED and PUBLISHED.measured_on(["text"]) == 0
    assert Paces.read().of("dots", "local", "auto") is None
    file().parent.mkdir()
    file().write_text('{"paces": [{"model": 3}]}')
    assert Paces.read().of("mini", "local", "auto") is PUBLISHED


def test_no_run_fails_where_nothing_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docspec").write_text("a file in the way")
    Paces.read().keep(PUBLISHED)
    assert Paces.read() == Paces()

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    Paces.read().keep(PUBLISHED)
    assert Paces.read() == Paces()
