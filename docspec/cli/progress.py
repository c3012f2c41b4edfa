"""Progress while pages are read: bars on a terminal, lines elsewhere (one a page; now and then of many documents)."""

from __future__ import annotations

import logging
import time
from typing import Any, Self

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from docspec.console import exits, log
from docspec.console.terminal import say, say_error, stderr_console
from docspec.core import PageResult
from docspec.core.observer import NullObserver
from docspec.core.safe_text import one_line
from docspec.corpus.counts import Tally
from docspec.corpus.job import JobResult
from docspec.corpus.run import Watcher
from docspec.reporting.totals import DETAILED, NOTABLE

STAGE_NAMES = {"stage1": "stage 1", "stage2": "stage 2"}
_WIDE = 64
EVERY = 10.0
"""Seconds between two progress lines of a run over many documents."""


class Lines(NullObserver):
    """For logs and pipes: one line per page; with ``several`` documents only with ``-v``, and a progress line every ten
    seconds.

    Each call of the parser also ends the run if a signal was swallowed before (an interrupt in a callback of an import
    is lost).
    """

    def __init__(self, *, several: bool = False) -> None:
        self._several = several
        self._pages = 0
        self._done = 0
        self._last_line = time.monotonic()

    def run_started(self, tally: Tally) -> None:
        self._tally = tally

    def input_started(self, name: str, index: int, count: int) -> None:
        exits.stop_if_asked()

    def loading(self, from_hub: bool) -> None:
        exits.stop_if_asked()

    def document_started(self, source: str, pages: int) -> None:
        self._pages, self._done = pages, 0

    def stage(self, number: int, name: str) -> None:
        exits.stop_if_asked()

    def decoding(self, number: int, stage: str, tokens: int, tokens_per_step: float) -> None:
        exits.stop_if_asked()
        self._say_how_far()

    def page_done(self, result: PageResult) -> None:
        self._done += 1
        quietly = self._several and result.doubtful is None
        self._page_line(result, logging.DEBUG if quietly else logging.INFO)
        self._say_how_far()

    def document_done(self, outcome: JobResult) -> None:
        for message, trace in outcome.complaints:
            say_error(message, trace)
        self._say_how_far()

    def note(self, message: str) -> None:
        exits.stop_if_asked()
        say(message)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._several and kind is None:
            say(self._tally.line())

    def _page_line(self, result: PageResult, level: int) -> None:
        log.tell(level, f"{result.source} {page_line(result)} ({self._done}/{self._pages})")
        for line in detail_lines(result):
            log.tell(logging.DEBUG, line)

    def _say_how_far(self) -> None:
        if self._several and time.monotonic() - self._last_line >= EVERY:
            self._last_line = time.monotonic()
            say(self._tally.line())


class Bar(Lines):
    """Rich bars: pages, stage and speed of the present document, and above it the progress of a run over ``several``.
    They vanish when the run ends."""

    def __init__(self, console: Console, *, several: bool = False) -> None:
        super().__init__(several=several)
        self._console = console
        self._wide = console.width >= _WIDE
        self._progress = Progress(*_columns(self._wide), console=console, transient=True, expand=False)
        self._all: TaskID | None = None
        self._task: TaskID | None = None

    @property
    def is_live(self) -> bool:
        return self._progress.live.is_started

    def __enter__(self) -> Self:
        self._progress.start()
        self._write, log.TERMINAL.write = log.TERMINAL.write, self._line
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._progress.stop()
        log.TERMINAL.write = self._write
        super().__exit__(kind)

    def run_started(self, tally: Tally) -> None:
        super().run_started(tally)
        if self._several:
            self._all = self._progress.add_task("", total=tally.total, pages="", stage="", speed="")
            self._say_how_far()

    def input_started(self, name: str, index: int, count: int) -> None:
        super().input_started(name, index, count)
        if self._task is not None:
            self._progress.remove_task(self._task)
        prefix = f"{index}/{count} " if count > 1 else ""
        room = self._console.width // 3 if self._wide else self._console.width - 28
        title = shortened(one_line(prefix + name.rsplit("/", 1)[-1]), max(room, 8))
        self._task = self._progress.add_task(title, total=None, pages="", stage="opening", speed="")

    def loading(self, from_hub: bool) -> None:
        super().loading(from_hub)
        self._update(stage="loading model")
        if from_hub:  # The hub shows bars of its own, and two kinds of bars do not mix.
            self._progress.stop()

    def document_started(self, source: str, pages: int) -> None:
        super().document_started(source, pages)
        self._progress.start()
        self._update(total=pages, completed=0, pages=f"0/{pages}", stage="")

    def stage(self, number: int, name: str) -> None:
        super().stage(number, name)
        self._update(stage=STAGE_NAMES.get(name, name), speed="")

    def decoding(self, number: int, stage: str, tokens: int, tokens_per_step: float) -> None:
        super().decoding(number, stage, tokens, tokens_per_step)
        speed = f"{tokens_per_step:.1f} tok/step" if self._wide else f"{tokens_per_step:.1f}/step"
        self._update(stage=STAGE_NAMES.get(stage, stage), speed=speed)

    def page_done(self, result: PageResult) -> None:
        self._done += 1
        quietly = result.cut is None and result.doubtful is None
        self._page_line(result, logging.DEBUG if quietly else logging.INFO)
        self._update(completed=self._done, pages=f"{self._done}/{self._pages}")
        self._say_how_far()

    def _update(self, **changes: Any) -> None:
        if self._task is not None:
            self._progress.update(self._task, **changes)

    def _say_how_far(self) -> None:
        if self._all is not None:
            line = self._tally.line() if self._wide else self._tally.short_line()
            finished = self._tally.finished
            self._progress.update(self._all, description=line, completed=finished, pages="")

    def _line(self, message: str) -> None:
        self._progress.console.print(Text(message), soft_wrap=True)


def display_for(quiet: bool, *, several: bool = False) -> Watcher:
    """The display that suits standard error; with ``quiet`` its lines are for the log file alone."""
    console = stderr_console()
    if console.is_terminal and not console.is_dumb_terminal and not quiet:
        return Bar(console, several=several)
    return Lines(several=several)


def page_line(result: PageResult) -> str:
    """``page 3: 812 tokens, 5.6 tokens/step, 2.31 s; cut at the token budget``, or the reason for no tokens."""
    head = f"page {result.number}:"
    if result.status == "failed":
        return f"{head} failed: {one_line(result.error or 'unknown error')}"
    if result.status == "blank":
        return f"{head} blank, {result.timings.total:.2f} s"
    stats = result.stage2
    tokens = len(result.token_ids) or (stats.tokens if stats is not None else 0)
    speed = f", {stats.tokens_per_step:.1f} tokens/step" if stats is not None and stats.steps else ""
    notable = "".join(
        f"; {one_line(event.detail) if event.kind in DETAILED else NOTABLE[event.kind]}"
        for event in result.events
        if event.kind in NOTABLE and event.detail not in (result.doubtful or "")
    )
    decoded = f"{tokens:,} tokens{speed}, " if tokens else ""
    doubt = "" if result.doubtful is None else f"; doubtful: {one_line(result.doubtful)}"
    return f"{head} {decoded}{result.timings.total:.2f} s{notable}{doubt}"


def detail_lines(result: PageResult) -> list[str]:
    """The lines of a page with ``-v``: its drafter and events."""
    reason = f" ({result.drafter_reason})" if result.drafter_reason else ""
    regions = f"{result.regions} region" + ("" if result.regions == 1 else "s")
    lines = [f"  page {result.number}: draft from {result.drafter}{reason}, {regions}"]
    lines += [f"  page {result.number}: {event.kind}: {event.detail}" for event in result.events]
    return lines


def shortened(name: str, cells: int) -> str:
    """``name`` in at most ``cells`` terminal cells; the middle is cut, since ends tell files apart."""
    if cell_len(name) <= cells:
        return name
    tail = min(cells // 2, len(name))
    while tail and cell_len(name[-tail:]) > cells // 2:
        tail -= 1
    end = name[-tail:] if tail else ""
    return set_cell_size(name, cells - cell_len(end) - 1).rstrip() + "…" + end


def _columns(wide: bool) -> list[ProgressColumn]:
    columns: list[ProgressColumn] = [TextColumn("{task.description}", markup=False)]
    if wide:
        columns.append(BarColumn(bar_width=16))
    columns.append(TextColumn("{task.fields[pages]}", markup=False))
    columns.append(TextColumn("{task.fields[stage]}", style="cyan", markup=False))
    columns.append(TextColumn("{task.fields[speed]}", style="green", markup=False))
    if wide:
        columns.append(TimeElapsedColumn())
    return columns
