"""Documents from a parser, one after the other: begun ahead across files, like the pages of one document."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from docspec.core import PageResult
from docspec.corpus.job import Job
from docspec.documents import PageSelection, Source

if TYPE_CHECKING:
    from docspec.parser import Parser


class OpenedDocument(Protocol):
    """A document as a run needs it."""

    name: str
    sha256: str
    page_count: int
    damage: str | None


class Reader(Protocol):
    """What a run reads with: here (:class:`DocumentReader`) or on a cluster. ``parser`` knows the target;
    ``reads_ahead``: documents are begun before they are asked for, which needs the model."""

    @property
    def parser(self) -> Any: ...

    @property
    def reads_ahead(self) -> bool: ...

    def open(self, job: Job) -> Any:
        """The document of ``job``, an :class:`OpenedDocument` that is left as a context; raises its error."""
        ...

    def pages(self, document: Any, selection: PageSelection) -> Iterator[PageResult]:
        """The pages of the document that was opened last."""
        ...

    def left_pages(self) -> Sequence[tuple[OpenedDocument, PageResult]]:
        """Begins nothing more; returns the pages that were read ahead and not asked for, each with its document."""
        ...

    def close(self) -> None:
        """Ends what reads."""
        ...


class DocumentReader:
    """Opens the documents of ``jobs`` in their order. Those with a journal are opened when they are asked for. Of
    the others, the next ones are opened, drawn and drafted while the last pages of one are verified. ``parser`` knows
    the target."""

    def __init__(self, parser: Parser, jobs: Sequence[Job], gone_on_with: frozenset[str]) -> None:
        self.parser = parser
        self._alone = gone_on_with if len(jobs) > 1 else frozenset(job.document for job in jobs)
        self._fresh = [job for job in jobs if isinstance(job.source, Source) and job.document not in self._alone]
        self._stream: Iterator[Any] | None = None
        self._begun: Iterator[PageResult] | None = None

    @property
    def reads_ahead(self) -> bool:
        """Whether documents are begun before they are asked for, which needs the model."""
        return bool(self._fresh)

    def open(self, job: Job) -> Any:
        """The document of ``job``; raises its error."""
        self._begun = None
        if job.document in self._alone:
            assert isinstance(job.source, Source)
            return self.parser.open(job.source)
        reading = None if self._stream is None else next(self._stream, None)
        if reading is None:  # at the beginning, and where a fault in a document ended the stream
            rest = self._fresh[self._fresh.index(job) :]
            self._stream = self.parser.documents([each.source for each in rest if isinstance(each.source, Source)])
            reading = next(self._stream)
        if reading.error is not None:
            raise reading.error
        self._begun = iter(reading)
        return reading.document

    def pages(self, document: Any, selection: PageSelection) -> Iterator[PageResult]:
        """The pages of the document that was opened last; ``selection`` counts for one that is opened alone."""
        return self.parser.pages(document, selection) if self._begun is None else self._begun

    def left_pages(self) -> list[tuple[Any, PageResult]]:
        """Begins nothing more; returns the pages that were read ahead and not asked for, each with its document."""
        if isinstance(self._stream, Generator):
            self._stream.close()
        return list(self.parser.left_pages())

    def close(self) -> None:
        """Begins nothing more, and ends the parser."""
        if isinstance(self._stream, Generator):
            self._stream.close()
        self.parser.close()
