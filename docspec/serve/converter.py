"""Converts documents for the gateway with :class:`docspec.Parser`. Its model is the one behind the gateway, or runs in
a process of its own, so that the gateway stays small and survives a crash of the model."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from docspec.core import Failure, ModelError, PageResult, ParseOptions, UsageError
from docspec.core.safe_text import safe_text
from docspec.documents import PageSelection, parse_page_ranges
from docspec.documents.sources import source_from_bytes
from docspec.places import Quotation, locate
from docspec.reporting.formats import document_text, renderer_for
from docspec.reporting.renderer import Format, Layout
from docspec.serve.turns import Stopped, Turns
from docspec.serve.wishes import DRAFTERS, Recognise, Wishes

if TYPE_CHECKING:
    from docspec.parser import Parser

FORMATS: dict[str, Format] = {"md": "md", "json": "docling", "html": "html", "text": "md"}
"""The supported formats of docling-serve and docspec's name for each; ``text`` is Markdown without picture marks."""

PART = 4
"""Pages that are read at a turn; the first turns have fewer, so that a short document is answered soon."""

Wanted = Callable[[], bool]
"""Whether somebody still wants a document."""

FIELDS = {"md": "md_content", "json": "json_content", "html": "html_content", "text": "text_content"}


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
        self._parsers: dict[Recognise, Parser] = {}
        self._lock = threading.Lock()

    def pages(self, given: Submission, wanted: Wanted = lambda: True) -> Iterator[PageResult]:
        """The results of a document's pages as they become ready, in turn with other documents. Raises
        :class:`docspec.core.DocspecError`, and :class:`Stopped` if it is not ``wanted`` while it waits."""
        parser = self._own(given.wishes.recognise)
        end = None if given.wishes.seconds is None else time.monotonic() + given.wishes.seconds
        try:
            with self._turns.place(given.client) as place:
                with self._turns.turn(place, 0, wanted):
                    document = parser.open(source_from_bytes(given.data, given.title))
                numbers = self._numbers(given.pages, document.page_count, given.title)
                done = 0
                while part := numbers[done : done + min(PART, max(1, done))]:
                    if end is not None and time.monotonic() > end:
                        yield from (_late(given, number) for number in numbers[done:])
                        return
                    with self._turns.turn(place, len(part), wanted):
                        chosen = PageSelection(tuple((number, number) for number in part))
                        results = list(parser.pages(document, chosen, goes_on=done > 0))
                    done += len(part)
                    for result in results:
                        yield replace(result, image=None)
        except ModelError:  # servers that were given up: the next document asks them anew
            self.close()
            raise

    def convert(self, given: Submission, read: Callable[[int], bool] = lambda pages: True) -> dict[str, Any]:
        """A document as docling-serve returns it. ``read`` is called with the number of finished pages, also while
        the document waits for its turn; if it returns false, the conversion stops."""
        results = self._whole(given, read)
        failed = [result for result in results if result.status == "failed"]
        status = "success" if not failed else "failure" if len(failed) == len(results) else "partial_success"
        return {
            "document": {"filename": given.title, **rendered(results, given)},
            "status": status,
            "errors": [
                {
                    "component_type": "pipeline",
                    "module_name": "docspec",
                    "error_message": result.error or "the page failed",
                    "page_no": result.number,
                }
                for result in failed
            ],
            "processing_time": round(sum(result.timings.total for result in results), 3),
            "timings": {},
            **({"warnings": list(given.wishes.warnings)} if given.wishes.warnings else {}),
        }

    def find(self, given: Submission, text: str, read: Callable[[int], bool] = lambda pages: True) -> dict[str, Any]:
        """Where ``text`` stands in a document; ``read`` is that of :meth:`convert`."""
        results = self._whole(given, read)
        failed = [result.error or "the page failed" for result in results if result.status == "failed"]
        return {"found": [_quoted(one) for one in locate(results, text)], "errors": failed}

    def _whole(self, given: Submission, read: Callable[[int], bool]) -> list[PageResult]:
        results: list[PageResult] = []
        with closing(self.pages(given, lambda: read(len(results)))) as pages:  # type: ignore[type-var]
            for result in pages:
                results.append(result)
                if not read(len(results)):
                    raise Stopped
        return results

    def close(self) -> None:
        parsers, self._parsers = self._parsers, {}
        for parser in parsers.values():
            parser.close()

    def _own(self, recognise: Recognise) -> Parser:
        """The parser that recognises so; most gateways only ever need one."""
        with self._lock:
            if recognise not in self._parsers:
                from docspec.parser import Parser

                options = replace(self._options, drafter=DRAFTERS[recognise] or self._options.drafter, places=True)
                devices = () if options.has_other_engine else (options.device,)
                self._parsers[recognise] = Parser(options, devices=devices)
            return self._parsers[recognise]

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


def _quoted(one: Quotation) -> dict[str, Any]:
    """A quotation with its boxes as whole pixels."""
    return asdict(one) | {"boxes": [list(box.rounded()) for box in one.boxes]}


def _late(given: Submission, number: int) -> PageResult:
    why = f"{given.title}, page {number}: not read within {given.wishes.seconds:g} s (document_timeout)"
    return PageResult(given.title, number, "failed", error=why, failure=Failure.TIMED_OUT)


def rendered(results: Sequence[PageResult], given: Submission) -> dict[str, Any]:
    """The pages in each of the formats, keyed by docling-serve's field names."""
    contents: dict[str, Any] = {}
    for name in given.formats:
        layout = Layout(plain_markdown=name == "text", page_separator=given.wishes.page_break)
        text = document_text(results, FORMATS[name], layout, given.title)
        contents[FIELDS[name]] = json.loads(text) if name == "json" else text
    return contents


def markdown_of(result: PageResult) -> str:
    """The page as Markdown without pictures, fit for a terminal."""
    return safe_text(renderer_for("md", Layout()).page(result, {}))
