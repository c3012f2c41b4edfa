"""Reading documents one after the other to their destinations; one that fails never stops the rest."""

from __future__ import annotations

import contextlib
import errno
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, Protocol

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
from docspec.core.observer import Observer
from docspec.core.safe_text import first_line
from docspec.corpus.child_pdf import LayoutPdf, SearchablePdf
from docspec.corpus.counts import DocumentCounts, Tally
from docspec.corpus.job import Job, JobResult
from docspec.corpus.journal import Journal
from docspec.corpus.pace import Pace
from docspec.corpus.reading import OpenedDocument, Reader
from docspec.corpus.resume import Resume
from docspec.corpus.writing import OutputChoice
from docspec.documents import PageSelection, Source
from docspec.documents.inputs import Unreadable
from docspec.documents.remote import fetched
from docspec.reporting.renderer import has_labels
from docspec.reporting.timing import Report
from docspec.reporting.writer import PageWriter

NO_ROOM = {getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EROFS") if hasattr(errno, name)}
"""Errors of writing that are the disk's and no document's: further ones would fail of them, too."""


class Watcher(Observer, Protocol):
    """A parser's observer that is told of documents too, between ``__enter__`` and ``__exit__``."""

    def run_started(self, tally: Tally) -> None:
        """``tally`` is kept up to date from now on."""
        ...

    def input_started(self, name: str, index: int, count: int) -> None:
        """The ``index``-th (1-based) of ``count`` inputs is being opened."""
        ...

    def loading(self, from_hub: bool) -> None:
        """The model is being loaded, which may take a while; ``from_hub``: it may have to be fetched first."""
        ...

    def document_done(self, outcome: JobResult) -> None:
        """The result of a document, and the messages about it (``complaints``)."""
        ...

    def __enter__(self) -> Watcher: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None: ...


@dataclass
class CorpusRun:
    """Reads jobs with the reader of ``make_reader``. It is made when the first job can be read, and closed at the end.

    ``resume`` keeps results for later runs, ``None`` forgets them. ``counts`` are the results so far, ``gave_up``
    whether the run ended because too many failed.
    """

    options: ParseOptions
    selection: PageSelection
    writing: OutputChoice
    report: Report
    watcher: Watcher
    make_reader: Callable[[Sequence[Job]], Reader]
    resume: Resume | None = None
    max_failures: int | None = None

    def __post_init__(self) -> None:
        self._jobs: Sequence[Job] = ()
        self._journal: Journal | None = None
        self._tally = Tally(0)
        self.gave_up = False

    @cached_property
    def _reader(self) -> Reader:
        return self.make_reader(self._jobs)

    @property
    def _has_reader(self) -> bool:
        return "_reader" in self.__dict__

    @property
    def counts(self) -> DocumentCounts:
        return self._tally.counts

    @property
    def pace(self) -> Pace | None:
        """What pages took."""
        return self._tally.watch.pace(self.options)

    def read(self, jobs: Sequence[Job], stdout: BinaryIO) -> None:
        """Reads ``jobs`` in order. Raises what ends the run: a model that cannot be had, standard output closed, a full
        disk, an interrupt, a manifest that cannot be written."""
        self._tally = tally = Tally(len(jobs))
        self._jobs = jobs
        self.watcher.run_started(tally)
        try:
            with self.watcher:
                for index, job in enumerate(jobs, start=1):
                    self.watcher.input_started(job.source.name, index, len(jobs))
                    self._one(job, stdout)
                    exits.stop_if_asked()
                    if self.max_failures is not None and tally.failed >= self.max_failures:
                        self.gave_up = index < len(jobs)
                        return
        finally:
            if self._has_reader:
                if self._reader.parser.loads_late and self._reader.parser.is_loaded:
                    parser = self._reader.parser
                    self._describe_target(parser.target_info, parser.load_seconds)
                steps = self._reader.parser.step_report
                self.report.steps = None if steps is None else asdict(steps)
                self.report.engine = self._reader.parser.engine_report
                try:
                    self._keep_left()
                finally:
                    self._reader.close()

    def _one(self, job: Job, stdout: BinaryIO) -> None:
        self._begin(job)
        entry = self.report.start_document(job.source.name, None, job.destination.path)
        outcome = JobResult(job, entry)
        started = time.perf_counter()
        with contextlib.ExitStack() as ending:
            try:
                self._read(outcome, stdout, ending)
            except Exception as error:
                nowhere = isinstance(error, OutputError) and job.destination.path is None  # nor for documents to come
                if nowhere or isinstance(error, ModelError | DrafterError | UsageError | BrokenPipeError):
                    entry.error = reason(error)
                    raise
                if isinstance(error, OutputError) and getattr(error.__cause__, "errno", None) in NO_ROOM:
                    entry.error = reason(error)
                    again = "" if self.resume is None else "; make room, and the same command goes on"
                    raise OutputError(f"{error}{again}") from error
                exits.stop_if_asked()
                outcome.error = error if isinstance(error, DocspecError) else _unexpected(job.source.name, error)
                outcome.trace = traceback.format_exc()
                entry.error, entry.failure = str(outcome.error), outcome.error.failure
                if self.resume is not None:
                    self.resume.hash_input(outcome)
                ending.enter_context(exits.held())
            except BaseException as error:
                entry.error = reason(error)
                raise
            finally:
                if self._journal is not None:
                    self._journal.close()
            outcome.seconds = time.perf_counter() - started
            if self.resume is not None:
                try:
                    self.resume.finish(outcome)
                except BaseException as error:
                    entry.error = entry.error or reason(error)
                    raise
            if self._journal is not None:
                self._journal.remove()
            self._tally.document_done(outcome)
            self.watcher.document_done(outcome)

    def _read(self, outcome: JobResult, stdout: BinaryIO, ending: contextlib.ExitStack) -> None:
        """Reads one document. Signals that come after its last page wait until ``ending`` is closed."""
        job, self._journal = outcome.job, None
        if isinstance(job.source, Unreadable):
            raise job.source.error
        document = self._reader.open(job)
        with document:
            outcome.entry.sha256 = outcome.sha256 = document.sha256
            numbers = self.selection.resolve(document.page_count, document.name)
            if self.resume is not None and (len(numbers) > 1 or self.resume.is_begun(job)):
                self._journal = self._journal_of(job, document.sha256)
            held = frozenset() if self._journal is None else self._journal.numbers
            if len(held) < len(numbers):
                self._load_target()
            with self._writer(job, document, stdout) as writer:
                for result in self._pages(document, numbers, held):
                    exits.stop_if_asked()
                    if self.writing.layout.keep_furniture and result.account is not None:
                        result = replace(result, account=result.account.with_furniture())
                    if self.writing.layout.picture_text == "none" and result.account is not None:
                        pictures = {number for number, block in enumerate(result.blocks) if has_labels(block)}
                        result = replace(result, account=result.account.without_labels(pictures))
                    writer.add(result)
                    self.report.add_page(result)
                    outcome.add(result)
                if document.damage is not None:
                    outcome.damage.append(f"{document.name}: {document.damage}")
                ending.enter_context(exits.held())
            outcome.files = writer.files
            for remark in writer.remarks:
                self.watcher.note(remark)

    def _writer(self, job: Job, document: OpenedDocument, stdout: BinaryIO) -> PageWriter:
        assert isinstance(job.source, Source)
        source = job.source
        more = []
        if job.destination.layout_pdf is not None:
            more.append(LayoutPdf(job.destination.layout_pdf, fetched(source), self.options))
        simulated = bool((self.report.target or {}).get("random"))

        def searchable(path: Path) -> PageWriter:
            return SearchablePdf(path, fetched(source), self.options)

        return self.writing.writer(
            document.name, document.sha256, job.destination, stdout, more, simulated, searchable=searchable
        )

    def _begin(self, job: Job) -> None:
        """Makes the reader for the first document that can be read; one that reads ahead loads the model at once, which
        does not count as that document's time."""
        if not self._has_reader and not isinstance(job.source, Unreadable) and self._reader.reads_ahead:
            self._load_target()

    def _pages(self, document: OpenedDocument, numbers: Sequence[int], held: frozenset[int]) -> Iterator[PageResult]:
        """The results of pages ``numbers`` in order: those that the journal has held, the others read now."""
        self._tally.document_started(len(numbers))
        missing = [number for number in numbers if number not in held]
        if held:
            say = f"goes on, {len(numbers) - len(missing)} of {len(numbers)} pages were read before"
            self.watcher.note(f"{document.name}: {say}")
        new = self._reader.pages(document, PageSelection.of(missing)) if missing else iter(())
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

    def _journal_of(self, job: Job, sha256: str) -> Journal | None:
        """The pages of a document that are kept; ``None`` if none are."""
        if self.resume is None or job.destination.view is not None:  # it shows whole pages, which no journal holds
            return None
        return self.resume.journal(job, sha256, with_pictures=self.writing.has_figures(job.destination))

    def _keep_left(self) -> None:
        """Keeps the pages that were read ahead when the run ended before its end: the next one goes on with them."""
        jobs = {job.source.name: job for job in self._jobs}
        with exits.held(), contextlib.suppress(OutputError):
            for document, pages in groupby(self._reader.left_pages(), key=itemgetter(0)):
                journal = self._journal_of(jobs[document.name], document.sha256)
                if journal is not None:
                    with contextlib.closing(journal):
                        for _, result in pages:
                            journal.add(result)

    def _load_target(self) -> None:
        if self.report.target is None and not self._reader.parser.loads_late:
            name = self.options.model
            fetched_here = "/" in name and not self.options.has_other_engine
            self.watcher.loading(fetched_here and not Path(name).expanduser().exists())
            started = time.perf_counter()
            info = self._reader.parser.target_info
            self._describe_target(info, time.perf_counter() - started)

    def _describe_target(self, info: Any, load_seconds: float) -> None:
        self.report.load_seconds = load_seconds
        self.report.target = asdict(info) if is_dataclass(info) and not isinstance(info, type) else vars(info)


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
