"""The run behind ``docspec parse``: inputs become jobs, ``corpus`` reads them, and the result is reported.

Errors that can be known are reported before a model is loaded.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from docspec import offline
from docspec.cli.outputs import Outputs
from docspec.cli.progress import display_for
from docspec.cli.request import RunRequest, check_request
from docspec.console import exits, log
from docspec.console.terminal import document_stream, quiet_libraries, say, say_error, say_warning, stderr_console
from docspec.core import DocspecError, OutputError, ParseOptions, UsageError
from docspec.corpus.counts import DocumentCounts
from docspec.corpus.identity import identity_of
from docspec.corpus.job import CorpusOptions, Job
from docspec.corpus.listing import list_documents, without_outputs
from docspec.corpus.manifest import Manifest, manifest_name
from docspec.corpus.mirror import Mirror
from docspec.corpus.pace import Paces
from docspec.corpus.reading import DocumentReader
from docspec.corpus.records import Shard, recorded_command, retry_command
from docspec.corpus.resume import Division, Resume
from docspec.corpus.run import CorpusRun, Watcher, reason
from docspec.corpus.status import lines_unread
from docspec.documents import Expansion, Source, parse_page_ranges
from docspec.documents.remote import is_remote
from docspec.documents.sources import shown
from docspec.reporting.collisions import check
from docspec.reporting.numbers import NumbersReport
from docspec.reporting.renderer import Layout
from docspec.reporting.timing import Report
from docspec.versions import DISTRIBUTION, machine, version_of, versions

LONG = 400
"""Signs of a command from which on it is not told: a shell has written it, of names in a folder."""


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
            report.error = f"ended after {mine.failed + mine.partial} documents that failed (max-failures)"
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
            command = retry_command(recorded_command(self.words))
            say(f"to read them again: {command if len(command) < LONG else 'the same command with --retry-failed'}")

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


def make_parser(options: ParseOptions, observer: Watcher, devices: str | None) -> Any:
    """The parser of the run; imported here, so that help and usage errors need no torch."""
    from docspec.opening import devices_of
    from docspec.parser import Parser

    return Parser(options, observer, () if devices is None else devices_of(devices), images=False)


@dataclass
class Batch:
    """One call of ``docspec parse``; ``words`` are those of the command line, ``config`` is the config file."""

    options: ParseOptions
    outputs: Outputs
    layout: Layout
    corpus: CorpusOptions
    quiet: bool = False
    verbosity: int = 0
    words: Sequence[str] = ()
    log_file: Path | None = None
    config: Path | None = None

    def __post_init__(self) -> None:
        self._writing = self.outputs.writing(self.layout)
        self._report = Report(self.options, versions(), machine(), keep=self.outputs.report is not None)
        if self.outputs.numbers_report is not None:
            self._report.numbers = NumbersReport()
        self._division = Division(())
        self._run: CorpusRun | None = None
        self._mirror: Mirror | None = None

    def run(self, inputs: Sequence[str]) -> int:
        """Reads ``inputs`` and returns the exit code. Raises errors that are fatal before or during the run; the report
        is written all the same, except for wrong usage."""
        started = time.perf_counter()
        quiet_libraries(self.verbosity)
        if self.options.offline:
            offline.enforce()
        try:
            with document_stream() as stdout:
                try:
                    self._read(inputs, stdout)
                    error: BaseException | None = None
                except UsageError:
                    raise
                except BaseException as raised:
                    error = raised
                with exits.held():
                    done = (self._report, self.outputs, self._division, self._run)
                    return Ending(*done, self.corpus.strict, self.quiet, self.words).say(error, started)
        finally:
            if self.options.offline:
                offline.release()

    def _read(self, inputs: Sequence[str], stdout: BinaryIO) -> None:
        check_request(inputs, self.options, self.outputs, self.corpus)
        selection = parse_page_ranges(self.options.pages)
        shard = None if self.corpus.shard is None else Shard.parsed(self.corpus.shard)
        expansion = without_outputs(list_documents(inputs, self.corpus), inputs, self.outputs.folders)
        self._say_skipped(expansion)
        self._report.skipped = [(shown(Path(one.path)), one.reason) for one in expansion.skipped]
        output = self.outputs.output
        if output is not None and is_remote(output):
            self._mirror = Mirror(output)
            self.outputs = replace(self.outputs, output=str(self._mirror.folder))
        request = RunRequest(
            self.options, self.outputs, self.corpus, self.log_file, self.config, self._mirror is not None
        )
        jobs = request.jobs(inputs, expansion)
        mine = [job for job in jobs if shard is None or shard.holds(job.document)]
        folder = request.folder(inputs, jobs)
        if self.corpus.manifest == "none":
            folder = None
        request.check_own_files(jobs, None if folder is None else folder / manifest_name(shard), self._writing)
        if self.log_file is not None:
            log.open_file(self.log_file)
        with contextlib.ExitStack() as closing:
            resume = None
            self._division = Division(tuple(mine))
            if folder is not None:
                manifest = Manifest(folder, shard)
                closing.callback(manifest.close)
                if self._mirror is not None:
                    self._mirror.fetch(manifest.path)
                    manifest.read()
                    closing.callback(self._mirror.put_manifest, manifest.path, now=True)
                if manifest.history.unread:
                    say_warning(lines_unread(manifest.history))
                identity, version = identity_of(self.options, self._writing), version_of(DISTRIBUTION)
                resume = Resume(manifest, identity, version, self._mirror)
                self._division = resume.divide(mine, self.corpus)
            self._say_division()
            todo = self._division.todo
            readable = [job for job in todo if isinstance(job.source, Source)]
            beside = [file for job in readable for file in self._writing.files_beside(job.destination)]
            check([job.destination for job in readable], [job.source for job in readable], self.outputs.report, beside)
            if resume is not None:
                called = recorded_command(self.words)
                resume.begin(called, self.options.model, jobs, self._division.todo, shard)
            request.note_single(inputs, jobs)
            display = display_for(self.quiet, several=len(mine) > 1)
            self._run = CorpusRun(
                self.options,
                selection,
                self._writing,
                self._report,
                display,
                lambda jobs: self._reader(jobs, display, resume),
                resume,
                self.corpus.max_failures,
            )
            self._run.read(todo, stdout)

    def _reader(self, jobs: Sequence[Job], display: Watcher, resume: Resume | None) -> Any:
        if self.corpus.scheduler == "ray":
            from docspec.corpus.ray_reader import RayReader

            held = {} if resume is None else resume.held(jobs)
            figures = any(self._writing.has_figures(job.destination) for job in jobs)
            return RayReader(self.options, self.corpus, jobs, held, display, with_pictures=figures)
        parser = make_parser(self.options, display, self.corpus.devices)
        return DocumentReader(parser, jobs, frozenset() if resume is None else resume.begun(jobs))

    def _say_skipped(self, expansion: Expansion) -> None:
        if self.verbosity or not expansion.sources:
            for skipped in expansion.skipped:
                say(f"skipped {shown(Path(skipped.path))}: {skipped.reason}")
        elif expansion.skipped:
            count = len(expansion.skipped)
            say(f"{count} file{'' if count == 1 else 's'} skipped (-v says which and why)")

    def _say_division(self) -> None:
        done, failed = len(self._division.done), len(self._division.failed)
        if done or failed:
            parts = [f"{done:,} done before"] if done else []
            parts += [f"{failed:,} failed before (--retry-failed reads them again)"] if failed else []
            say(f"{', '.join(parts)}, {len(self._division.todo):,} to be read")
