"""The end of a run of ``docspec parse``: writes its report, prints its result, and gives its exit code."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from docspec.cli.outputs import Outputs
from docspec.console import exits
from docspec.console.terminal import say, say_error, say_warning, stderr_console
from docspec.core import DocspecError, OutputError
from docspec.corpus.counts import DocumentCounts
from docspec.corpus.pace import Paces
from docspec.corpus.records import recorded_command, retry_command
from docspec.corpus.resume import Division, Resume
from docspec.corpus.run import CorpusRun, reason
from docspec.reporting.timing import Report


@dataclass(frozen=True, slots=True)
class Ending:
    """A run that has ended: its ``report``, its documents and their results (``run`` is ``None`` if none was begun),
    and how it was called. ``strict``: doubtful pages count as missing."""

    report: Report
    outputs: Outputs
    division: Division
    run: CorpusRun | None
    strict: bool
    quiet: bool
    words: Sequence[str]

    @property
    def resume(self) -> Resume | None:
        """What the same command goes on with."""
        return None if self.run is None else self.run.resume

    def say(self, error: BaseException | None, started: float) -> int:
        """Writes the report of the run, which began at ``started`` and was ended by ``error``, prints the result, and
        returns the exit code. Raises a fatal ``error``."""
        if isinstance(error, Exception) and not isinstance(error, DocspecError):
            error = exits.asked_to_stop() or error  # a library turned the signal into another error
        before = DocumentCounts.of((*self.division.done, *self.division.failed))
        mine = DocumentCounts() if self.run is None else self.run.counts
        total = before + mine
        report = self.report
        incomplete = total.damaged + total.partial + (total.doubtful if self.strict else 0)
        report.exit_code = exits.code_of_run(total.written, incomplete, total.failed)
        if error is not None:
            report.exit_code, report.error = exits.code_of(error), reason(error)
        elif self.run is not None and self.run.gave_up:
            report.error = f"ended after {mine.failed + mine.partial} documents that failed (--max-failures)"
        report.interrupted = isinstance(error, KeyboardInterrupt)
        report.wall_seconds = time.perf_counter() - started
        if self.run is not None and (pace := self.run.pace) is not None:
            Paces.read().keep(pace)
        unwritten = self._write_report()
        self._say_summary()
        if unwritten is not None:
            say_error(str(unwritten))
        self._say_counts(mine, total)
        if isinstance(error, KeyboardInterrupt):
            say_warning(f"interrupted: {self._so_far(mine)}")
        elif error is not None:
            raise error
        return report.exit_code

    def _write_report(self) -> OutputError | None:
        """A report that cannot be written is an error of the run, but hides no other one."""
        report = self.report
        unwritten = [
            error
            for path, write in (
                (self.outputs.numbers_report, None if report.numbers is None else report.numbers.write),
                (self.outputs.report, report.write),
            )
            if path is not None and write is not None and (error := self._written(path, write)) is not None
        ]
        return unwritten[0] if unwritten else None

    def _written(self, path: Path, write: Callable[[Path], None]) -> OutputError | None:
        """The error of writing a report to ``path``, unless it is the one that ended the run."""
        report = self.report
        if self.resume is not None and self.resume.mirror is not None:
            for entry in report.documents:
                entry.output = None if entry.output is None else self.resume.mirror.place_of(entry.output)
        try:
            write(path)
        except OutputError as error:
            if report.error is not None and report.error.startswith(f"{path}: "):
                return None  # it ended the run
            report.exit_code = report.exit_code or exits.FATAL
            return error
        return None

    def _say_summary(self) -> None:
        if not self.quiet and self.report.totals.pages and self.report.exit_code != exits.PIPE_CLOSED:
            from docspec.reporting.summary import summary

            console = stderr_console()
            with contextlib.suppress(OSError, SystemExit):  # Rich raises these at a closed pipe
                console.print(summary(self.report, console.width))

    def _say_counts(self, mine: DocumentCounts, total: DocumentCounts) -> None:
        """Reports failures of many documents by category, and how to read them again."""
        if mine.total > 1 and mine.failed:
            say(f"{mine.written:,} of {mine.total:,} inputs written")
        if total.total > 1 and total.failures:
            say(f"failed: {total.categories}")
        is_wanting = total.failures or (self.strict and total.doubtful)
        if total.total > 1 and is_wanting and self.resume is not None:
            say(f"to read them again: {retry_command(recorded_command(self.words))}")

    def _so_far(self, mine: DocumentCounts) -> str:
        whole = f"{mine.written} of {len(self.division.todo)} inputs complete"
        entry = self.report.documents[-1] if self.report.documents else None
        if entry is None or entry.error != "interrupted":
            return whole
        count = entry.totals.pages
        if not count:
            return f"{whole}; nothing of {entry.source} is kept"
        pages = f"{count} page{'' if count == 1 else 's'} of {entry.source} had been read"
        kept = "the same command goes on there" if self.resume is not None else "nothing of it is kept"
        return f"{whole}; {pages}, " + (kept if entry.output else "all of them written out")
