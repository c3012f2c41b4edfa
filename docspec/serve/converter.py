"""Converts documents for the gateway with :class:`docspec.Parser`. Its model is the one behind the gateway, or runs in
a process of its own, so that the gateway stays small and survives a crash of the model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from docspec.core import ModelError, PageResult, ParseOptions, UsageError
from docspec.core.safe_text import safe_text
from docspec.documents import PageSelection, parse_page_ranges
from docspec.documents.sources import source_from_bytes
from docspec.reporting.formats import document_text, renderer_for
from docspec.reporting.renderer import Format, Layout
from docspec.serve.turns import Stopped, Turns

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
    client: str = ""


class Converter:
    """Converts documents with ``options``, up to ``most`` pages of each, ``documents`` of them side by side, in
    :class:`docspec.serve.turns.Turns`."""

    def __init__(self, options: ParseOptions, most: int, documents: int = 1) -> None:
        self._options = options
        self._most = most
        self._turns = Turns(documents)
        self._parser: Parser | None = None
        self._lock = threading.Lock()

    def pages(self, given: Submission, wanted: Wanted = lambda: True) -> Iterator[PageResult]:
        """The results of a document's pages as they become ready, in turn with other documents. Raises
        :class:`docspec.core.DocspecError`, and :class:`Stopped` if it is not ``wanted`` while it waits."""
        parser = self._own()
        try:
            with self._turns.place(given.client) as place:
                with self._turns.turn(place, 0, wanted):
                    document = parser.open(source_from_bytes(given.data, given.title))
                numbers = self._numbers(given.pages, document.page_count, given.title)
                done = 0
                while part := numbers[done : done + min(PART, max(1, done))]:
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
        results: list[PageResult] = []
        with closing(self.pages(given, lambda: read(len(results)))) as pages:  # type: ignore[type-var]
            for result in pages:
                results.append(result)
                if not read(len(results)):
                    raise Stopped
        failed = [result for result in results if result.status == "failed"]
        status = "success" if not failed else "failure" if len(failed) == len(results) else "partial_success"
        return {
            "document": {"filename": given.title, **rendered(results, given.title, given.formats)},
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
        }

    def close(self) -> None:
        parser, self._parser = self._parser, None
        if parser is not None:
            parser.close()

    def _own(self) -> Parser:
        with self._lock:
            if self._parser is None:
                from docspec.parser import Parser

                devices = () if self._options.has_other_engine else (self._options.device,)
                self._parser = Parser(self._options, devices=devices)
            return self._parser

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


def rendered(results: Sequence[PageResult], title: str, formats: Sequence[str]) -> dict[str, Any]:
    """The pages in each of ``formats``, keyed by docling-serve's field names."""
    contents: dict[str, Any] = {}
    for name in formats:
        text = document_text(results, FORMATS[name], Layout(plain_markdown=name == "text"), title)
        contents[FIELDS[name]] = json.loads(text) if name == "json" else text
    return contents


def markdown_of(result: PageResult) -> str:
    """The page as Markdown without pictures, fit for a terminal."""
    return safe_text(renderer_for("md", Layout()).page(result, {}))
