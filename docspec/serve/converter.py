"""Converts documents for the gateway with :class:`docspec.Parser`. Its model is the one behind the gateway, or runs in
a process of its own, so that the gateway stays small and survives a crash of the model."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from docspec.core import DocspecError, Failure, ModelError, PageResult, ParseOptions, UsageError
from docspec.core.choices import PlacesFrom
from docspec.core.safe_text import safe_text
from docspec.documents import PageSelection, parse_page_ranges
from docspec.documents.sources import source_from_bytes
from docspec.places import Quotation, locate
from docspec.reporting.figures import EmbeddedFigures, passage
from docspec.reporting.formats import renderer_for
from docspec.reporting.renderer import Layout
from docspec.serve.exports import chunked, exported
from docspec.serve.settings import RecogniseMode
from docspec.serve.turns import Stopped, Turns
from docspec.serve.wishes import DRAFTERS, Wishes

if TYPE_CHECKING:
    from docspec.parser import Parser

PART = 4
"""Pages that are read at a turn; the first turns have fewer, so that a short document is answered soon."""

MOST_PARSERS = 6
"""Ways of reading and languages that have children of their own at a time."""

MOST_SHOWN = 16
"""Places of a text that are shown."""

Wanted = Callable[[], bool]
"""Whether somebody still wants a document."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A document that a ``client`` submits: the content of the file, and the client's name for it, which is only
    displayed. ``formats`` are those of docling-serve; ``pages`` are as the command line has them (``None``: all)."""

    data: bytes
    title: str
    formats: tuple[str, ...] = ("md",)
    pages: str | None = None
    wishes: Wishes = field(default_factory=Wishes)
    client: str = ""


class Converter:
    """Converts documents with ``options``, up to ``most`` pages of each, ``documents`` of them side by side, in
    :class:`docspec.serve.turns.Turns`."""

    def __init__(self, options: ParseOptions, most: int, documents: int = 1) -> None:
        self._options = options
        self._most = most
        self._turns = Turns(documents)
        self._parsers: dict[tuple[RecogniseMode, str | None], Parser] = {}
        self._lock = threading.Lock()

    def pages(
        self, given: Submission, wanted: Wanted = lambda: True, shown: Callable[[PageResult], None] | None = None
    ) -> Iterator[PageResult]:
        """The results of a document's pages as they become ready, in turn with other documents; ``shown`` is given
        each with its image, which the results lack. Raises :class:`docspec.core.DocspecError`, and :class:`Stopped` if
        it is not ``wanted`` while it waits."""
        parser = self._own(given.wishes)
        places: PlacesFrom | None = "drafts" if given.wishes.quote and self._options.places == "none" else None
        end = None if given.wishes.seconds is None else time.monotonic() + given.wishes.seconds
        try:
            with self._turns.place(given.client) as place:
                with self._turns.turn(place, 0, wanted):
                    source = source_from_bytes(given.data, given.title)
                    document = parser.open(replace(source, password=given.wishes.password))
                numbers = self._numbers(given.pages, document.page_count, given.title)
                done = 0
                while part := numbers[done : done + min(PART, max(1, done))]:
                    if end is not None and time.monotonic() > end:
                        yield from (_late(given, number) for number in numbers[done:])
                        return
                    with self._turns.turn(place, len(part), wanted):
                        chosen = PageSelection(tuple((number, number) for number in part))
                        results = list(parser.pages(document, chosen, goes_on=done > 0, places=places))
                    done += len(part)
                    for result in results:
                        if shown is not None:
                            shown(result)
                        yield replace(result, image=None)
        except ModelError:  # servers that were given up: the next document asks them anew
            self.close()
            raise

    def convert(self, given: Submission, read: Callable[[int], bool] = lambda pages: True) -> dict[str, Any]:
        """A document as docling-serve returns it. ``read`` is called with the number of finished pages, also while
        the document waits for its turn; if it returns false, the conversion stops. Where the wishes have a quote, the
        answer is that of :meth:`find`."""
        if given.wishes.quote:
            return self.find(given, read)
        figures: dict[int, Mapping[int, str]] = {}

        def shown(result: PageResult) -> None:
            figures[result.number] = EmbeddedFigures().page(result)

        results = self._whole(given, read, shown if given.wishes.pictures else None)
        told = _told(results, given)
        if given.wishes.chunks:
            details = [{"status": told["status"], "errors": told.pop("errors"), "timings": {}}]
            return {"chunks": chunked(results, given.title), "convert_details": details, **told}
        contents = exported(results, given.formats, given.title, given.wishes.page_break, figures)
        return {"document": {"filename": given.title, **contents}, "timings": {}, **told}

    def find(self, given: Submission, read: Callable[[int], bool] = lambda pages: True) -> dict[str, Any]:
        """Where the quote of the wishes stands in a document; ``read`` is that of :meth:`convert`. With pictures, the
        first :data:`MOST_SHOWN` places have a ``picture``, the passage as the page shows it: a data URL of a PNG, or
        ``None`` where it has no box."""
        pictures: dict[Quotation, str | None] = {}

        def shown(result: PageResult) -> None:
            """Places on one page are among those of the whole document, or others are better."""
            for one in locate(result, given.wishes.quote)[:MOST_SHOWN]:
                pictures[one] = passage(result, one.boxes)

        results = self._whole(given, read, shown if given.wishes.pictures else None)
        quotations = locate(results, given.wishes.quote)
        found = [_quoted(one) for one in quotations]
        if given.wishes.pictures:
            for one, quotation in zip(found[:MOST_SHOWN], quotations, strict=False):
                one["picture"] = pictures.get(quotation)
        return {"found": found, **_told(results, given)}

    def _whole(
        self, given: Submission, read: Callable[[int], bool], shown: Callable[[PageResult], None] | None = None
    ) -> list[PageResult]:
        results: list[PageResult] = []
        with closing(self.pages(given, lambda: read(len(results)), shown)) as pages:  # type: ignore[type-var]
            for result in pages:
                results.append(result)
                if not read(len(results)):
                    raise Stopped
        return results

    def close(self) -> None:
        parsers, self._parsers = self._parsers, {}
        for parser in parsers.values():
            parser.close()

    def _own(self, wishes: Wishes) -> Parser:
        """The parser that reads as ``wishes`` say; most gateways only ever need one. Raises
        :class:`docspec.core.UsageError` if too many languages are asked for: each has children of its own."""
        recognise, language = wishes.recognise, wishes.language
        with self._lock:
            if (key := (recognise, language)) not in self._parsers:
                from docspec.parser import Parser

                if len(self._parsers) >= MOST_PARSERS:
                    raise UsageError("ocr_lang: too many languages at a time here; leave it out, scripts are found")
                options = replace(self._options, drafter=DRAFTERS[recognise] or self._options.drafter)
                options = options if language is None else replace(options, language=language)
                devices = () if options.has_other_engine else (options.device,)
                self._parsers[key] = Parser(options, devices=devices, spare=1)
            return self._parsers[key]

    def _numbers(self, pages: str | None, count: int, title: str) -> Sequence[int]:
        """The selected pages that exist. Raises :class:`docspec.core.UsageError` if there are none or too many."""
        ranges = [(first, min(last or count, count)) for first, last in parse_page_ranges(pages).ranges or ((1, None),)]
        selection = PageSelection(tuple((first, last) for first, last in ranges if first <= last))
        if not selection.ranges:
            raise UsageError(f"{title}: it has {count} pages, and none of those that were asked for")
        chosen = selection.resolve(count, title)
        if len(chosen) > self._most:
            raise UsageError(f"{title}: {len(chosen)} pages; this gateway reads up to {self._most} of a document")
        return chosen


def failure_of(error: Exception, given: Submission, message: str) -> dict[str, Any]:
    """A document that was not read as docling-serve tells it, with the category of the failure: ``empty``, or one of
    :class:`docspec.core.Failure`."""
    known = error.failure if isinstance(error, DocspecError) and error.failure is not None else Failure.UNEXPECTED
    category = known.value if given.data else "empty"
    message = message.replace("--password", "pdf_password")
    failure = {"category": category, "message": message, "retryable": False, "phase": "execution"}
    where = {"component_type": "document_backend", "module_name": "docspec"}
    errors = [{**where, "error_message": message, "category": category}]
    return {"kind": "TaskFailureResult", "failure": failure, "status": "failure", "errors": errors}


def _error(result: PageResult) -> dict[str, Any]:
    """Why a page failed: in words, and by its category (:class:`docspec.core.Failure`)."""
    message = result.error or "the page failed"
    where = {"component_type": "pipeline", "module_name": "docspec", "page_no": result.number}
    return {**where, "error_message": message, "category": (result.failure or Failure.UNEXPECTED).value}


def _told(results: Sequence[PageResult], given: Submission) -> dict[str, Any]:
    """What became of a document, as docling-serve tells it."""
    failed = [result for result in results if result.status == "failed"]
    return {
        "status": "success" if not failed else "failure" if len(failed) == len(results) else "partial_success",
        "errors": [_error(result) for result in failed],
        "processing_time": round(sum(result.timings.total for result in results), 3),
        **({"warnings": list(given.wishes.warnings)} if given.wishes.warnings else {}),
    }


def _quoted(one: Quotation) -> dict[str, Any]:
    """A quotation with its boxes as whole pixels."""
    return asdict(one) | {"boxes": [list(box.rounded()) for box in one.boxes]}


def _late(given: Submission, number: int) -> PageResult:
    why = f"{given.title}, page {number}: not read within {given.wishes.seconds:g} s (document_timeout)"
    return PageResult(given.title, number, "failed", error=why, failure=Failure.TIMED_OUT)


def markdown_of(result: PageResult) -> str:
    """The page as Markdown without pictures, fit for a terminal."""
    return safe_text(renderer_for("md", Layout()).page(result, {}))
