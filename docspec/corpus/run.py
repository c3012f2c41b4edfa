"""Reading documents one after the other to their destinations; one that fails never stops the rest."""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, BinaryIO

from docspec.console import exits
from docspec.core import (
    DocspecError,
    DrafterError,
    Failure,
    InputError,
    ModelError,
    OutputError,
    PageResult,
    ParseOptions,
    UsageError,
)
from docspec.core.safe_text import first_line
from docspec.corpus.counts import DocumentCounts
from docspec.corpus.job import Job, JobResult
from docspec.corpus.journal import Journal
from docspec.corpus.layout_pdf import LayoutPdf
from docspec.corpus.reading import Opened
from docspec.corpus.resume import Resume
from docspec.corpus.tally import Tally
from docspec.corpus.watcher import Watcher
from docspec.corpus.writing import OutputChoice
from docspec.documents import PageSelection, Source
from docspec.documents.remote import fetched
from docspec.documents.sources import Unreadable
from docspec.reporting.timing import DocumentEntry, Report
from docspec.reporting.writer import PageWriter


class CorpusRun:
    """Reads jobs with the reader of ``make_reader`` (a :class:`docspec.corpus.reading.DocumentReader`). It is made when
    the first job can be read, and closed at the end.

    ``resume`` keeps results for later runs, ``None`` forgets them. ``counts`` are the results so far, ``gave_up``
    whether the run ended because too many failed.
    """

    def __init__(
        self,
        options: ParseOptions,
        selection: PageSelection,
        writing: OutputChoice,
        report: Report,
        watcher: Watcher,
        make_reader: Callable[[Sequence[Job]], Any],
        resume: Resume | None = None,
        max_failures: int | None = None,
    ) -> None:
        self._options = options
        self._selection = selection
        self._writing = writing
        self._report = report
        self._watcher = watcher
        self._make_reader = make_reader
        self._resume = resume
        self._max_failures = max_failures
        self._reader: Any = None
        self._jobs: Sequence[Job] = ()
        self._journal: Journal | None = None
        self._tally = Tally(0)
        self.counts = DocumentCounts()
        self.gave_up = False

    def read(self, jobs: Sequence[Job], stdout: BinaryIO) -> None:
        """Reads ``jobs`` in order. Raises what ends the run: a model that cannot be had, standard output closed, an
        interrupt, a manifest that cannot be written."""
        self._tally = tally = Tally(len(jobs))
        self._jobs = jobs
        self._watcher.run_started(tally)
        try:
            with self._watcher:
                for index, job in enumerate(jobs, start=1):
                    self._watcher.input_started(job.source.name, index, len(jobs))
                    self._one(job, stdout)
                    exits.stop_if_asked()
                    if self._max_failures is not None and tally.failed >= self._max_failures:
                        self.gave_up = index < len(jobs)
                        return
        finally:
            if self._reader is not None:
                if self._reader.parser.loads_late and self._reader.parser.is_loaded:
                    self._describe_target(self._reader.parser.load_seconds)
                steps = self._reader.parser.step_report
                self._report.steps = None if steps is None else asdict(steps)
                self._report.engine = self._reader.parser.engine_report
                self._reader.close()

    def _one(self, job: Job, stdout: BinaryIO) -> None:
        outcome = JobResult(job)
        self._begin(job)
        entry = self._report.start_document(job.source.name, None, job.place.path)
        started = time.perf_counter()
        with contextlib.ExitStack() as ending:
            try:
                self._read(outcome, entry, stdout, ending)
            except Exception as error:
                nowhere = isinstance(error, OutputError) and job.place.path is None  # nor for documents to come
                if nowhere or isinstance(error, ModelError | DrafterError | UsageError | BrokenPipeError):
                    entry.error = reason(error)
                    raise
                exits.stop_if_asked()
                outcome.error = error if isinstance(error, DocspecError) else _unexpected(job.source.name, error)
                outcome.trace = traceback.format_exc()
                entry.error, entry.failure = str(outcome.error), outcome.error.failure
                if self._resume is not None:
                    self._resume.hash_input(outcome)
                ending.enter_context(exits.held())
            except BaseException as error:
                entry.error = reason(error)
                raise
            finally:
                if self._journal is not None:
                    self._journal.close()
            outcome.seconds = time.perf_counter() - started
            if self._resume is not None:
                try:
                    self._resume.finish(outcome)
                except BaseException as error:
                    entry.error = entry.error or reason(error)
                    raise
            if self._journal is not None:
                self._journal.remove()
            self._count(outcome)

    def _read(self, outcome: JobResult, entry: DocumentEntry, stdout: BinaryIO, ending: contextlib.ExitStack) -> None:
        """Reads one document. Signals that come after its last page wait until ``ending`` is closed."""
        job, self._journal = outcome.job, None
        if isinstance(job.source, Unreadable):
            raise job.source.error
        opened: Opened = self._reader.open(job)
        document, _, left_out = opened
        with document:
            entry.sha256 = outcome.sha256 = document.sha256
            numbers = self._selection.resolve(document.page_count, document.name)
            # The view shows whole pages, which a journal does not hold.
            if self._resume is not None and len(numbers) > 1 and job.place.view is None:
                figures = self._writing.has_figures(job.place)
                self._journal = self._resume.journal(job, document.sha256, with_pictures=figures)
            journalled = frozenset() if self._journal is None else self._journal.numbers
            held = journalled if left_out is None else left_out
            if len(held) < len(numbers):
                self._load_target()
            with self._writer(job, document, stdout) as writer:
                for result in self._pages(opened, numbers, held):
                    exits.stop_if_asked()
                    writer.add(result)
                    self._report.add_page(result)
                    outcome.add(result)
                if document.damage is not None:
                    outcome.damage.append(f"{document.name}: {document.damage}")
                ending.enter_context(exits.held())
            outcome.files = writer.files

    def _writer(self, job: Job, document: Any, stdout: BinaryIO) -> PageWriter:
        more = []
        if job.place.layout_pdf is not None:
            assert isinstance(job.source, Source)
            more.append(LayoutPdf(job.place.layout_pdf, fetched(job.source), self._options))
        simulated = bool((self._report.target or {}).get("random"))
        return self._writing.writer(document.name, document.sha256, job.place, stdout, more, simulated)

    def _begin(self, job: Job) -> None:
        """Makes the reader for the first document that can be read; one that reads ahead loads the model at once, which
        does not count as that document's time."""
        if self._reader is None and not isinstance(job.source, Unreadable):
            self._reader = self._make_reader(self._jobs)
            if self._reader.reads_ahead:
                self._load_target()

    def _pages(self, opened: Opened, numbers: Sequence[int], held: frozenset[int]) -> Iterator[PageResult]:
        """The results of pages ``numbers`` in order: those that the journal has held, the others read now."""
        self._tally.document_started(len(numbers))
        missing = [number for number in numbers if number not in held]
        if held:
            say = f"goes on, {len(numbers) - len(missing)} of {len(numbers)} pages were read before"
            self._watcher.note(f"{opened[0].name}: {say}")
        new = self._reader.pages(opened, PageSelection.of(missing)) if missing else iter(())
        try:
            for number in numbers:
                if self._journal is not None and number in held:
                    result = self._journal.page(number)
                else:
                    result = next(new)
                    if self._journal is not None:
                        self._journal.add(result)
                self._tally.page_done(result, anew=number not in held)
                yield result
        finally:
            if isinstance(new, Generator):
                new.close()

    def _count(self, outcome: JobResult) -> None:
        self.counts.add(outcome)
        self._tally.document_done(outcome)
        self._watcher.document_done(outcome)

    def _load_target(self) -> None:
        if self._report.target is None and not self._reader.parser.loads_late:
            name = self._options.model
            fetched_here = "/" in name and not self._options.is_served
            self._watcher.loading(fetched_here and not Path(name).expanduser().exists())
            started = time.perf_counter()
            self._reader.parser.target_info  # noqa: B018 - loads it
            self._describe_target(time.perf_counter() - started)

    def _describe_target(self, load_seconds: float) -> None:
        info = self._reader.parser.target_info
        self._report.load_seconds = load_seconds
        self._report.target = asdict(info) if is_dataclass(info) and not isinstance(info, type) else vars(info)


def reason(error: BaseException) -> str:
    """Why a run ended before its end, in the report."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return "standard output was closed" if isinstance(error, BrokenPipeError) else first_line(error)


def _unexpected(name: str, error: Exception) -> DocspecError:
    """One input met a fault of ours or of a library; it fails, the others go on."""
    if isinstance(error, MemoryError):
        return InputError(f"{name}: out of memory; try fewer --pages or a lower --dpi", Failure.OUT_OF_MEMORY)
    message = f"{name}: unexpected {type(error).__name__}: {error} (run again with -vv for the details)"
    return InputError(message, Failure.UNEXPECTED)
