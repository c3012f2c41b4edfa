"""The Python interface: ``parse`` for one document, ``Parser`` for many with one loaded model.

The command line is a thin layer over :class:`Parser`. Pages stream: one page is held at a time, whatever the
length of the document, beside the next one, which is rendered and drafted meanwhile in a process of its own.
"""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from docspec import offline
from docspec.accounting import Placer, accounted, seen, visible_words
from docspec.core import DocspecError, Event, InputError, PageImage, PageResult, ParseOptions, UsageError
from docspec.core.choices import PlacesFrom
from docspec.core.closing import Closing
from docspec.core.concurrency import FairLock
from docspec.core.observer import NullObserver, Observer
from docspec.documents import Document, PageFailure, PageSelection, Source, parse_page_ranges
from docspec.documents.remote import fetched
from docspec.documents.sources import STDIN_NAME, shown, source_from_bytes, source_from_path
from docspec.documents.view import View
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.document import IsolatedDocument, Unread
from docspec.isolation.pool import Isolation, PageRef
from docspec.page_stream import Found, PageStream
from docspec.proposing.registry import proposer_names, skipping
from docspec.results import ParsedDocument
from docspec.verifier import Verifier

if TYPE_CHECKING:
    from docspec.dialects import Dialect
    from docspec.hierarchy.page import PageParser
    from docspec.hierarchy.regions.known_pages import RunningHeads
    from docspec.opening import RemoteInfo
    from docspec.targets.registry import LoadedTarget, TargetInfo
    from docspec.targets.stepping.step import StepReport

Input = Source | str | Path | bytes | IO[bytes]


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One input of several; iterate over it for the results of its pages as they are read. ``document`` is ``None`` if
    it could not be opened, and ``error`` says why."""

    name: str
    document: IsolatedDocument | None
    error: DocspecError | None
    _pages: Iterator[PageResult]

    def __iter__(self) -> Iterator[PageResult]:
        return self._pages


class Parser(Closing):
    """Parses documents with one target, loaded at first use and kept.

    Raises :class:`docspec.core.ModelError` when the target cannot be loaded, :class:`docspec.core.DrafterError`
    when a drafter asked for by name cannot work, and :class:`docspec.core.InputError` for an input that cannot be
    read. A page that fails comes as a result with status ``failed``.

    Threads may share a parser: their pages are read in turn. A process that was forked off has to make its own; it is
    refused with :class:`docspec.core.UsageError`.

    With ``devices`` (``("cuda:0", "cuda:1")``; one may be named several times) pages are verified by a process on each,
    with the same results; observers are then told only of finished pages.

    At the end of a ``with`` block it is closed for good, and says so (:class:`docspec.core.UsageError`).

    Without ``images`` results hold the image of their page only if pictures are cut out of it or the model has read it:
    other pages are not drawn in full size. ``spare`` child processes more are kept for documents of one page, beside
    long ones that other threads read.
    """

    def __init__(
        self,
        options: ParseOptions | None = None,
        observer: Observer | None = None,
        devices: Sequence[str] = (),
        images: bool = True,
        *,
        spare: int = 0,
    ) -> None:
        self.options = options or ParseOptions()
        if devices and self.options.has_other_engine:
            raise UsageError("--devices and an engine in another process: choose one of them")
        if devices and self.options.baseline:
            raise UsageError("--devices and --baseline: choose one of them (processes slow each other)")
        proposer_names(self.options.align)  # a wrong name is an error of the request, not of its pages
        if self.options.skips is not None:
            skipping()
        self.observer: Observer = observer or NullObserver()
        self.devices = tuple(devices)
        served = self.options.reads_with == "server"
        alone = served or self.loads_late
        verifiers = 2 if served else max(1, len(devices))
        isolation = Isolation(self.options, verifiers=verifiers, alone=alone, spare=spare)
        self._verifier = Verifier(self.options, self.observer, self.devices)
        self._turn = FairLock()
        self._placer = Placer(self.options)
        self._stream = PageStream(self.options, isolation, self._verifier, self.observer, images, self._turn)
        self._heads: weakref.WeakKeyDictionary[IsolatedDocument, RunningHeads] = weakref.WeakKeyDictionary()
        self._online: Callable[[], Any] | None = None
        self._process = os.getpid()
        self._is_closed = False
        self._go_offline()

    @property
    def target_info(self) -> TargetInfo | RemoteInfo:
        """The target's description, which another program's engine has less of; loads it."""
        self._go_offline()
        return self._verifier.info

    @property
    def loads_late(self) -> bool:
        """Whether the target is loaded at the first page that needs it, and not before."""
        return self.options.loads_late

    @property
    def is_loaded(self) -> bool:
        """Whether the target has been loaded."""
        return self._verifier.is_loaded

    @property
    def load_seconds(self) -> float:
        """Seconds of loading the target in this process."""
        return self._verifier.load_seconds

    @property
    def step_report(self) -> StepReport | None:
        """How verification steps are run at present; ``None`` before the target is loaded."""
        return self._verifier.step_report

    @property
    def engine_report(self) -> dict[str, Any] | None:
        """The report of an engine in another process on its work so far; ``None`` without one."""
        return self._verifier.report()

    def open(self, source: Input) -> IsolatedDocument:
        """Opens an input in a child process: a path, a :class:`docspec.documents.Source`, the bytes of a PDF or an
        image, or a file that is open in binary mode, such as a ``BytesIO``. Raises :class:`docspec.core.InputError`."""
        self._check_process()
        self._go_offline()
        self._stream.isolation.start()
        if self.loads_late:
            self._verifier.open()  # imports while a child starts
        return self._stream.isolation.open(_source_of(source))

    def pages(
        self,
        source: Input | IsolatedDocument,
        selection: PageSelection | None = None,
        *,
        goes_on: bool = False,
        places: PlacesFrom | None = None,
    ) -> Iterator[PageResult]:
        """The results of the selected pages (``selection``, else those of the options), one at a time. ``goes_on``: the
        earlier pages of this open document were read before, and what they repeat is known. ``places`` are the places
        of words that these pages have, whatever the options say (``None``: as they say)."""
        document = source if isinstance(source, IsolatedDocument) else self.open(source)
        numbers = (selection or self._selection).resolve(document.page_count, document.name)
        self._check_process()
        self._go_offline()
        with self._turn:
            self._verifier.open()  # before the document's time runs
        if not goes_on:
            self.observer.document_started(document.name, len(numbers))
            document.begin()
            self._heads.pop(document, None)
        ahead = 0 if len(numbers) < 2 else self._stream.ahead
        single = document.page_count == 1
        stream = self._stream.read(((document, number) for number in numbers), ahead, numbers, single, places)
        placer = self._placer.giving(places)
        for _, result, drafted in self._checked(stream):
            yield self._done(document, result, drafted, placer)

    def parse(self, source: Input | IsolatedDocument) -> ParsedDocument:
        """All selected pages at once, without their images. Stream long documents with :meth:`pages` instead."""
        document = source if isinstance(source, IsolatedDocument) else self.open(source)
        pages = tuple(replace(page, image=None) for page in self.pages(document))
        return ParsedDocument(document.name, pages, sha256=document.sha256)

    def parse_many(self, sources: Iterable[Input]) -> Iterator[ParsedDocument]:
        """:meth:`parse` for many inputs, in their order. One that cannot be read is a result with its ``error``."""
        for reading in self.documents(sources):
            pages = tuple(replace(page, image=None) for page in reading)
            if reading.error is None:
                sha256 = "" if reading.document is None else reading.document.sha256
                yield ParsedDocument(reading.name, pages, sha256=sha256)
            else:
                yield ParsedDocument(reading.name, pages, str(reading.error), reading.error.failure)

    def documents(self, sources: Iterable[Input]) -> Iterator[Reading]:
        """Many inputs in their order, each to be iterated over for its pages before the next one is asked for. The
        next one is opened, drawn and drafted while the last pages of one are verified, in a thread that also takes
        the next of ``sources``."""
        self._check_process()
        self._go_offline()
        known = len(sources) if isinstance(sources, Sized) else 1
        self._stream.isolation.start(min(known, self._stream.ahead))  # while the target is loaded
        stream = self._checked(self._stream.read(self._pages_of(sources), self._stream.ahead))
        with contextlib.closing(stream):
            for document, results in groupby(stream, key=lambda item: item[0]):
                if isinstance(document, IsolatedDocument):
                    document.begin()
                    numbers = self._selection.resolve(document.page_count, document.name)
                    self.observer.document_started(document.name, len(numbers))
                    done = (self._done(document, result, drafted, self._placer) for _, result, drafted in results)
                    try:
                        yield Reading(document.name, document, None, done)
                    finally:
                        self._stream.abandon(document)  # its pages that were not requested are not verified
                else:
                    yield Reading(document.name, None, document.error, iter(()))

    def left_pages(self) -> list[tuple[IsolatedDocument, PageResult]]:
        """Pages that were read ahead and not taken when :meth:`pages` or :meth:`documents` last ended, by an error or
        because they were closed."""
        left, self._stream.left = self._stream.left, []
        return [
            (document, self._of_document(document, result, drafted, self._placer))
            for document, result, drafted in left
            if isinstance(document, IsolatedDocument)
        ]

    def page_images(
        self, document: Document, selection: PageSelection | str | None = None
    ) -> Iterator[PageImage | PageFailure]:
        """The selected pages of ``document``, opened in this process, as the target sees them."""
        from docspec.documents.images import through_pdf

        for page in document.pages(selection, view=View.of(self.options, visible_words)):
            dpi = self._stream.image_dpi
            yield page if dpi is None or isinstance(page, PageFailure) else through_pdf(page, dpi)

    def parse_page(self, page: PageImage) -> PageResult:
        """The result of one page that was rendered elsewhere, drafted in this process; never raises for a fault of the
        page."""
        self._check_process()
        with self._turn:
            parser = self.page_parser
            drafted = parser.draft(seen(page))
            return accounted(parser.verify(drafted), drafted, self._placer)

    def verify(self, prepared: Sequence[DraftedPage]) -> list[PageResult]:
        """The results of pages that were drawn and drafted elsewhere, verified side by side."""
        self._check_process()
        self._go_offline()
        with contextlib.nullcontext() if self._verifier.threads else self._turn:
            return self._verifier.verify(prepared)

    def __exit__(self, *raised: object) -> None:
        super().__exit__(*raised)
        self._is_closed = True

    def close(self) -> None:
        """Releases the model, ends the children, and undoes the changes of ``offline``; the parser can be used again
        and will load the model again."""
        self._stream.isolation.close()
        self._verifier.close()
        if self._online is not None:
            self._online()
            self._online = None

    def _go_offline(self) -> None:
        if self.options.offline and self._online is None:
            offline.enforce()
            self._online = weakref.finalize(self, offline.release)

    @property
    def _selection(self) -> PageSelection:
        return parse_page_ranges(self.options.pages)

    def _pages_of(self, sources: Iterable[Input]) -> Iterator[PageRef]:
        """The selected pages of all ``sources``; for one that cannot be read, a page 0 of it."""
        for given in sources:
            try:
                document = self.open(given)
                numbers = self._selection.resolve(document.page_count, document.name)
            except InputError as error:
                yield Unread(_name_of(given), error), 0
                continue
            for number in numbers:
                if self._stream.is_abandoned(document):
                    break
                yield document, number

    def _checked(self, stream: Generator[Found]) -> Generator[Found]:
        """``stream``, for as long as this is the process that made the parser."""
        with contextlib.closing(stream):
            while True:
                self._check_process()
                result = next(stream, None)
                if result is None:
                    return
                yield result

    def _check_process(self) -> None:
        if self._is_closed:
            raise UsageError("this parser is closed: its with block has ended; read within it, or make another Parser")
        if os.getpid() != self._process:
            raise UsageError("this parser belongs to the process that forked this one; make a Parser here")

    def _done(
        self, document: IsolatedDocument, result: PageResult, drafted: DraftedPage | None, placer: Placer
    ) -> PageResult:
        result = self._of_document(document, result, drafted, placer)
        self.observer.page_done(result)
        return result

    def _of_document(
        self, document: IsolatedDocument, result: PageResult, drafted: DraftedPage | None, placer: Placer
    ) -> PageResult:
        """``result`` with what is known of its document: what its pages repeat, and its damage; then with its account,
        which is that of the words as they are written."""
        if document not in self._heads:
            self._heads[document] = _running_heads()
        result = self._heads[document].marked(result)
        if drafted is not None:
            result = accounted(result, drafted, placer)
        if document.damage is None:
            return result
        return replace(result, events=(Event("damaged_input", document.damage), *result.events))

    @property
    def loaded(self) -> LoadedTarget:
        """The target itself, its card and its description; loaded at first use. Raises
        :class:`docspec.core.UsageError` if another program has it."""
        self._go_offline()
        return self._verifier.loaded

    @loaded.setter
    def loaded(self, loaded: LoadedTarget) -> None:
        self._verifier.loaded = loaded

    @property
    def dialect(self) -> Dialect:
        """The target's forms of prompts and answers, by its card and its image processor."""
        self._go_offline()
        return self._verifier.dialect

    @property
    def page_parser(self) -> PageParser:
        """The reader of pages in this process; made at first use. Raises :class:`docspec.core.UsageError` if another
        program reads them."""
        self._go_offline()
        return self._verifier.pages


def _source_of(given: Input) -> Source:
    if isinstance(given, Source):
        return fetched(given)
    if isinstance(given, str | Path | bytes):
        return source_from_bytes(given) if isinstance(given, bytes) else source_from_path(given)
    if not hasattr(given, "read"):
        raise UsageError(f"an input is a path, bytes or a file that is open, and no {type(given).__name__}")
    data = given.read()
    if not isinstance(data, bytes):
        raise UsageError(f"{_name_of(given)}: open it in binary mode (rb)")
    return source_from_bytes(data, _name_of(given))


def _name_of(given: Input) -> str:
    if isinstance(given, bytes):
        return STDIN_NAME
    if isinstance(given, str | Path):
        return shown(Path(given))
    name = getattr(given, "name", None)  # of a file that is open it may be a number
    return name if isinstance(name, str) else STDIN_NAME


def parse(source: Input, **options: Any) -> ParsedDocument:
    """Parses one document with :class:`docspec.core.ParseOptions` given as keywords: ``parse("report.pdf",
    pages="1-3")``. Raises what :class:`Parser` raises."""
    with Parser(ParseOptions(**options)) as parser:
        return parser.parse(source)


def _running_heads() -> RunningHeads:
    """What the pages of one document repeat; importing it imports Pillow."""
    from docspec.hierarchy.regions.known_pages import RunningHeads

    return RunningHeads()
