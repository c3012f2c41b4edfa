"""Documents from a parser, one after the other: begun ahead across files, like the pages of one document."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any

from docspec.core import PageResult
from docspec.corpus.job import Job
from docspec.documents import PageSelection, Source

Opened = tuple[Any, Iterator[PageResult] | None, frozenset[int] | None]
"""A document, its pages if they were begun already, and which pages these leave out."""


class DocumentReader:
    """Opens the documents of ``jobs`` in their order. Those with a journal are opened when they are asked for. Of
    the others, the next ones are opened, drawn and drafted while the last pages of one are verified. ``parser`` knows
    the target."""

    def __init__(self, parser: Any, jobs: Sequence[Job], gone_on_with: frozenset[str]) -> None:
        self.parser = parser
        self._alone = gone_on_with if len(jobs) > 1 else frozenset(job.document for job in jobs)
        self._fresh = [job for job in jobs if isinstance(job.source, Source) and job.document not in self._alone]
        self._stream: Iterator[Any] | None = None

    @property
    def reads_ahead(self) -> bool:
        """Whether documents are begun before they are asked for, which needs the model."""
        return bool(self._fresh)

    def open(self, job: Job) -> Opened:
        """The document of ``job``; raises its error."""
        if job.document in self._alone:
            return self.parser.open(job.source), None, None
        reading = None if self._stream is None else next(self._stream, None)
        if reading is None:  # at the beginning, and where a fault in a document ended the stream
            rest = self._fresh[self._fresh.index(job) :]
            self._stream = self.parser.documents([each.source for each in rest])
            reading = next(self._stream)
        if reading.error is not None:
            raise reading.error
        return reading.document, iter(reading), frozenset()

    def pages(self, opened: Opened, selection: PageSelection) -> Iterator[PageResult]:
        """The pages of an opened document; ``selection`` counts for one that is opened alone."""
        document, pages, _ = opened
        return self.parser.pages(document, selection) if pages is None else pages

    def close(self) -> None:
        """Begins nothing more, and ends the parser."""
        if isinstance(self._stream, Generator):
            self._stream.close()
        self.parser.close()
