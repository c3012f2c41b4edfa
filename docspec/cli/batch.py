"""The run behind ``docspec parse``: inputs become jobs, ``corpus`` reads them, and the result is reported.

Errors that can be known are reported before a model is loaded.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from docspec import offline
from docspec.cli.ending import Ending
from docspec.cli.outputs import Outputs
from docspec.cli.progress import display_for
from docspec.cli.request import RunRequest, check_request
from docspec.console import exits, log
from docspec.console.terminal import document_stream, quiet_libraries, say, say_warning
from docspec.core import ParseOptions, UsageError
from docspec.corpus.identity import identity_of
from docspec.corpus.job import Job
from docspec.corpus.listing import list_documents, without_outputs
from docspec.corpus.manifest import Manifest, manifest_name
from docspec.corpus.mirror import Mirror
from docspec.corpus.options import CorpusOptions
from docspec.corpus.reading import DocumentReader
from docspec.corpus.records import Shard, recorded_command
from docspec.corpus.resume import Division, Resume
from docspec.corpus.run import CorpusRun, Watcher
from docspec.corpus.status import lines_unread
from docspec.documents import Expansion, Source, parse_page_ranges
from docspec.documents.remote import is_remote
from docspec.documents.sources import shown
from docspec.reporting.collisions import check
from docspec.reporting.numbers import NumbersReport
from docspec.reporting.renderer import Layout
from docspec.reporting.timing import Report
from docspec.versions import DISTRIBUTION, machine, version_of, versions


def make_parser(options: ParseOptions, observer: Watcher, devices: str | None) -> Any:
    """The parser of the run; imported here, so that help and usage errors need no torch."""
    from docspec.parser import Parser
    from docspec.targets.devices import devices_of

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
