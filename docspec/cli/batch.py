"""The run behind ``docspec parse``: every input in turn to its destination, one failing input never stopping
the rest.

Everything that can be known to be wrong is said before a model is loaded.
"""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any, BinaryIO

from docspec import offline
from docspec.cli.progress import Display, display_for
from docspec.console import exits
from docspec.console.terminal import (
    document_stream,
    quiet_libraries,
    say,
    say_error,
    say_trace,
    stderr_console,
)
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
from docspec.documents import expand_inputs, parse_page_ranges
from docspec.documents.sources import is_folder
from docspec.reporting.destinations import STDOUT, Destination, check, infer_format, plan
from docspec.reporting.figures import EmbeddedFigures, FigureFiles, FigureSink, NoFigures
from docspec.reporting.formats import renderer_for
from docspec.reporting.renderer import Format, Layout
from docspec.reporting.timing import Report
from docspec.reporting.writer import AtomicFile, DocumentWriter, StreamSink, TextSink
from docspec.versions import machine, versions


@dataclass(frozen=True, slots=True)
class Outputs:
    """What was asked for on the output side, as given on the command line."""

    output: str | None
    format: Format | None
    figures: str | None
    layout: Layout
    report: Path | None


def make_parser(options: ParseOptions, observer: Observer) -> Any:
    """The parser of the run; imported here, so that help and usage errors need no torch."""
    from docspec.parser import Parser

    return Parser(options, observer)


class Batch:
    """One call of ``docspec parse``. Owns the report and the list of what failed."""

    def __init__(
        self, options: ParseOptions, outputs: Outputs, *, quiet: bool = False, verbosity: int = 0
    ) -> None:
        self._options = options
        self._outputs = outputs
        self._quiet = quiet
        self._format: Format = infer_format(outputs.output, outputs.format)
        self._display: Display = display_for(quiet, verbosity)
        self._report = Report(options, versions(), machine())
        self._selection = parse_page_ranges(None)
        self._errors: list[DocspecError] = []
        self._failed_pages: list[PageResult] = []
        self._damaged: list[str] = []
        self._done = 0
        self._count = 0
        self._verbosity = verbosity

    def run(self, inputs: Sequence[str]) -> int:
        """Reads ``inputs`` and returns the exit code. Raises what is fatal before or during the run; the report is
        written all the same, but for a request that makes no sense."""
        started = time.perf_counter()
        quiet_libraries(self._verbosity)
        if self._options.offline:
            offline.enforce()
        try:
            with document_stream() as stdout:
                try:
                    self._check_words(inputs)
                    self._selection = parse_page_ranges(self._options.pages)
                    sources = self._expand(inputs)
                    self._read_all(sources, self._plan(inputs, sources), stdout)
                    error: BaseException | None = None
                except UsageError:
                    raise
                except BaseException as raised:
                    error = raised
                with exits.held():
                    return self._ended(error, started)
        finally:
            if self._options.offline:
                offline.release()

    def _ended(self, error: BaseException | None, started: float) -> int:
        """Writes the report of the run that ended with ``error``, says what failed, returns the exit code; raises
        ``error`` where it is fatal."""
        if isinstance(error, Exception) and not isinstance(error, DocspecError):
            error = exits.asked_to_stop() or error  # a library made another error of the signal
        done = exits.code_of_run(self._done, len(self._failed_pages) + len(self._damaged), self._errors)
        self._report.exit_code = done if error is None else exits.code_of(error)
        self._report.interrupted = isinstance(error, KeyboardInterrupt)
        self._report.error = None if error is None else _reason(error)
        self._finish(started)
        if isinstance(error, KeyboardInterrupt):
            say(f"interrupted: {self._progress_so_far()}")
        elif error is not None:
            raise error
        return self._report.exit_code

    def _check_words(self, inputs: Sequence[str]) -> None:
        """An empty word is a variable of a script that was not set, and never the current folder."""
        outputs = self._outputs
        for name, word in (*(("INPUT", each) for each in inputs), ("-o", outputs.output)):
            if word == "":
                raise UsageError(f"{name} is empty; name a file, a folder or -")
        if outputs.report is not None and str(outputs.report) in STDOUT:
            raise UsageError("--report needs a file: standard output is the document's")

    def _expand(self, inputs: Sequence[str]) -> list[Any]:
        expansion = expand_inputs(inputs)
        for error in expansion.errors:
            entry = self._report.start_document(_subject(str(error)))
            entry.error, entry.failure = str(error), error.failure
            self._errors.append(error)
        if self._verbosity or not expansion.sources:
            for skipped in expansion.skipped:
                self._display.note(f"skipped {skipped.path}: {skipped.reason}")
        elif expansion.skipped:
            count = len(expansion.skipped)
            self._display.note(f"{count} file{'' if count == 1 else 's'} skipped (-v says which and why)")
        self._count = len(expansion.sources) + len(expansion.errors)
        return list(expansion.sources)

    def _plan(self, inputs: Sequence[str], sources: Sequence[Any]) -> list[Destination]:
        into_folder = len(inputs) > 1 or any(given != "-" and is_folder(Path(given)) for given in inputs)
        outputs = self._outputs
        if not sources:
            return []
        places = plan(sources, outputs.output, self._format, outputs.figures, into_folder=into_folder)
        check(places, sources, outputs.report)
        return places

    def _read_all(self, sources: Sequence[Any], places: Sequence[Destination], stdout: BinaryIO) -> None:
        if not sources:
            return
        parser = make_parser(self._options, self._display)
        try:
            with self._display:
                for index, (source, place) in enumerate(zip(sources, places, strict=True), start=1):
                    self._display.input_started(source.name, index, len(sources))
                    self._read_one(parser, source, place, stdout)
        finally:
            steps = parser.step_report
            self._report.steps = None if steps is None else asdict(steps)
            parser.close()

    def _read_one(self, parser: Any, source: Any, place: Destination, stdout: BinaryIO) -> None:
        entry = self._report.start_document(source.name, None, place.path)
        try:
            with parser.open(source) as document:
                entry.sha256 = document.sha256
                self._selection.resolve(document.page_count, document.name)  # said before a model is loaded
                self._load_target(parser)
                with self._writer(document, place, stdout) as writer:
                    for result in parser.pages(document):
                        exits.stop_if_asked()
                        writer.add(result)
                        self._report.add_page(result)
                        if result.status == "failed":
                            self._failed_pages.append(_without_pixels(result))
                        else:
                            self._note_damage(result)
                if document.damage is not None:
                    self._damaged.append(f"{document.name}: {document.damage}")
            self._done += 1
        except Exception as error:
            nowhere = isinstance(error, OutputError) and place.path is None  # nor for the documents to come
            if nowhere or isinstance(error, ModelError | DrafterError | UsageError | BrokenPipeError):
                entry.error = _reason(error)
                raise
            exits.stop_if_asked()
            failure = error if isinstance(error, DocspecError) else _unexpected(source.name, error)
            entry.error, entry.failure = str(failure), failure.failure
            self._errors.append(failure)
            if self._verbosity >= 2:
                say_trace(traceback.format_exc())
        except BaseException as error:
            entry.error = _reason(error)
            raise

    def _note_damage(self, result: PageResult) -> None:
        """A page that was read although some of it may be missing is written out, and said."""
        here = [event.detail for event in result.events if event.kind == "damaged_page"]
        self._damaged += [f"{result.source}, page {result.number}: {detail}" for detail in here]

    def _load_target(self, parser: Any) -> None:
        if self._report.target is None:
            name = self._options.model
            self._display.loading("/" in name and not Path(name).expanduser().exists())
            started = time.perf_counter()
            info = parser.target_info
            self._report.load_seconds = time.perf_counter() - started
            self._report.target = (
                asdict(info) if is_dataclass(info) and not isinstance(info, type) else vars(info)
            )

    def _writer(self, document: Any, place: Destination, stdout: BinaryIO) -> DocumentWriter:
        sink: TextSink = StreamSink(stdout) if place.path is None else AtomicFile(place.path)
        renderer = renderer_for(self._format, self._outputs.layout)
        return DocumentWriter(
            sink, renderer, self._figures(place), source=document.name, sha256=document.sha256
        )

    def _figures(self, place: Destination) -> FigureSink:
        if place.figures is not None:
            return FigureFiles(place.figures, Path.cwd() if place.path is None else place.path.parent)
        embed = self._format == "html" and self._outputs.figures != "none"
        return EmbeddedFigures() if embed else NoFigures()

    def _finish(self, started: float) -> None:
        self._report.wall_seconds = time.perf_counter() - started
        if self._outputs.report is not None:
            self._write_report(self._outputs.report)
        if not self._quiet and self._report.totals.pages and self._report.exit_code != exits.PIPE_CLOSED:
            from docspec.reporting.summary import summary

            console = stderr_console()
            with contextlib.suppress(
                OSError, SystemExit
            ):  # Rich's answer to a closed pipe; nobody reads it then
                console.print(summary(self._report, console.width))
        for page in self._failed_pages:
            message = page.error or "unknown error"
            say_error(message if page.source in message else f"{page.source}, page {page.number}: {message}")
            if page.trace is not None and self._verbosity >= 2:
                say_trace(page.trace)
        for message in [*self._damaged, *map(str, self._errors)]:
            say_error(message)
        if self._count > 1 and self._errors and not self._quiet:
            say(f"{self._done} of {self._count} inputs written")

    def _write_report(self, path: Path) -> None:
        """A report that cannot be written is an error of the run, but hides no other one."""
        try:
            self._report.write(path)
        except OutputError as error:
            if self._report.error is not None and self._report.error.startswith(f"{path}: "):
                return  # it is what ended the run
            self._report.exit_code = self._report.exit_code or exits.FATAL
            self._errors.append(error)

    def _progress_so_far(self) -> str:
        whole = f"{self._done} of {self._count} inputs complete"
        unfinished = [entry for entry in self._report.documents if entry.error == "interrupted"]
        if not unfinished:
            return whole
        entry = unfinished[-1]
        count = entry.totals.pages
        if not count:
            return f"{whole}; nothing of {entry.source} is kept"
        pages = f"{count} page{'' if count == 1 else 's'} of {entry.source} had been read"
        return f"{whole}; {pages}, " + (
            "nothing of it is kept" if entry.output else "all of them written out"
        )


def _subject(message: str) -> str:
    """The input that an error line is about: what stands before its first colon."""
    return message.partition(": ")[0]


def _reason(error: BaseException) -> str:
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


def _without_pixels(result: PageResult) -> PageResult:
    """What is said of a failed page at the end."""
    return PageResult(
        result.source,
        result.number,
        result.status,
        error=result.error,
        failure=result.failure,
        trace=result.trace,
    )
