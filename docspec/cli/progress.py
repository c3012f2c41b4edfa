"""What a person sees while pages are read: a bar on a terminal, one plain line a page elsewhere, nothing with
``-q``.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Protocol

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from docspec.console import exits
from docspec.console.terminal import say, stderr_console
from docspec.core import PageResult
from docspec.core.observer import NullObserver, Observer
from docspec.core.safe_text import one_line
from docspec.reporting.totals import CUTS, NOTABLE

STAGE_NAMES = {"stage1": "stage 1", "stage2": "stage 2"}
_WIDE = 64


class Display(Observer, Protocol):
    """An observer that occupies the terminal between ``__enter__`` and ``__exit__``."""

    def input_started(self, name: str, index: int, count: int) -> None:
        """The ``index``-th (1-based) of ``count`` inputs is being opened."""
        ...

    def loading(self, from_hub: bool) -> None:
        """The model is being loaded, which may take a while; ``from_hub``: it may have to be fetched
        first.
        """
        ...

    def __enter__(self) -> Display: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Silent(NullObserver):
    """``-q``: errors are printed by others, nothing here.

    What a parser tells are the moments at which a signal that something swallowed (an interrupt in a callback of an
    import goes nowhere) ends the run after all.
    """

    def input_started(self, name: str, index: int, count: int) -> None:
        exits.stop_if_asked()

    def loading(self, from_hub: bool) -> None:
        exits.stop_if_asked()

    def stage(self, number: int, name: str) -> None:
        exits.stop_if_asked()

    def decoding(self, number: int, stage: str, tokens: int, tokens_per_step: float) -> None:
        exits.stop_if_asked()

    def note(self, message: str) -> None:
        exits.stop_if_asked()

    def __enter__(self) -> Silent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class Lines(Silent):
    """One line a page, for logs and pipes. ``verbosity`` 1 and above adds what did not go the plain way."""

    def __init__(self, verbosity: int = 0) -> None:
        self._verbosity = verbosity
        self._pages = 0
        self._done = 0

    def document_started(self, source: str, pages: int) -> None:
        self._pages, self._done = pages, 0

    def page_done(self, result: PageResult) -> None:
        self._done += 1
        self._line(f"{result.source} {page_line(result)} ({self._done}/{self._pages})")
        if self._verbosity:
            for line in detail_lines(result):
                self._line(line)

    def note(self, message: str) -> None:
        super().note(message)
        self._line(message)

    def _line(self, message: str) -> None:
        say(message)


class Bar(Lines):
    """A Rich bar per document: pages, the current stage, tokens per step. Gone when the run ends."""

    def __init__(self, console: Console, verbosity: int = 0) -> None:
        super().__init__(verbosity)
        self._console = console
        self._wide = console.width >= _WIDE
        self._progress = Progress(*_columns(self._wide), console=console, transient=True, expand=False)
        self._task: TaskID | None = None

    @property
    def is_live(self) -> bool:
        """Whether the bar is on the terminal at the moment."""
        return self._progress.live.is_started

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def input_started(self, name: str, index: int, count: int) -> None:
        if self._task is not None:
            self._progress.remove_task(self._task)
        prefix = f"{index}/{count} " if count > 1 else ""
        room = self._console.width // 3 if self._wide else self._console.width - 28
        title = shortened(one_line(prefix + name.rsplit("/", 1)[-1]), max(room, 8))
        self._task = self._progress.add_task(title, total=None, pages="", stage="opening", speed="")

    def loading(self, from_hub: bool) -> None:
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
        if self._verbosity or result.cut is not None:
            super().page_done(result)
        else:
            self._done += 1
        self._update(completed=self._done, pages=f"{self._done}/{self._pages}")

    def _update(self, **changes: Any) -> None:
        if self._task is not None:
            self._progress.update(self._task, **changes)

    def _line(self, message: str) -> None:
        self._progress.console.print(Text(f"docspec: {one_line(message)}"), soft_wrap=True)


def display_for(quiet: bool, verbosity: int) -> Display:
    """The display that suits standard error."""
    if quiet:
        return Silent()
    console = stderr_console()
    if console.is_terminal and not console.is_dumb_terminal:
        return Bar(console, verbosity)
    return Lines(verbosity)


def page_line(result: PageResult) -> str:
    """``page 3: 812 tokens, 5.6 tokens/step, 2.31 s; cut at the token budget``, or why there are none."""
    head = f"page {result.number}:"
    if result.status == "failed":
        return f"{head} failed: {one_line(result.error or 'unknown error')}"
    if result.status == "blank":
        return f"{head} blank, {result.timings.total:.2f} s"
    stats = result.stage2
    tokens = len(result.token_ids) or (stats.tokens if stats is not None else 0)
    speed = f", {stats.tokens_per_step:.1f} tokens/step" if stats is not None and stats.steps else ""
    notable = "".join(
        f"; {event.detail if event.kind in CUTS else NOTABLE[event.kind]}"
        for event in result.events
        if event.kind in NOTABLE
    )
    return f"{head} {tokens:,} tokens{speed}, {result.timings.total:.2f} s{notable}"


def detail_lines(result: PageResult) -> list[str]:
    """What ``-v`` adds to a page: its drafter and events."""
    reason = f" ({result.drafter_reason})" if result.drafter_reason else ""
    regions = f"{result.regions} region" + ("" if result.regions == 1 else "s")
    lines = [f"  page {result.number}: draft from {result.drafter}{reason}, {regions}"]
    lines += [f"  page {result.number}: {event.kind}: {event.detail}" for event in result.events]
    return lines


def shortened(name: str, cells: int) -> str:
    """``name`` in at most ``cells`` terminal cells; the middle gives way, since ends tell files apart."""
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
