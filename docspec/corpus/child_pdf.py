"""PDFs that are made of a whole input when its document is complete, in a process of their own, as pages are when they
are read: a damaged file may bring MuPDF down."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from docspec.core import OutputError, PageResult, ParseOptions
from docspec.documents import Source
from docspec.documents.claims import FileMade
from docspec.documents.view import View
from docspec.isolation.child import Child, WorkerLost
from docspec.isolation.pool import machine_memory
from docspec.isolation.worker import DocumentWorker
from docspec.reporting.writer import AtomicFile, PageWriter

PAGE_SECONDS = 30.0
"""Longest that a page may take."""


class ChildPdf(PageWriter):
    """Writes one document. ``call`` is the child's, which takes the pages; ``failure`` says what could not be done,
    with a place for why."""

    call: ClassVar[str]
    failure: ClassVar[str]

    def __init__(self, path: Path, source: Source, options: ParseOptions) -> None:
        self._path, self._source, self._options = path, source, options
        self._file = AtomicFile(path)
        self._pages: list[Any] = []

    @abstractmethod
    def page_of(self, result: PageResult) -> Any:
        """What the child is told of a page."""

    def add(self, result: PageResult) -> None:
        self._pages.append(self.page_of(result))

    def commit(self) -> None:
        data, remarks = self._made()
        self._file.write_bytes(data)
        self._file.commit()
        self.files = [self._file.path]
        self.remarks = [f"{self._path}: {remark}" for remark in remarks]

    def discard(self) -> None:
        self._file.discard()

    def _made(self) -> FileMade:
        child = Child(DocumentWorker, machine_memory() // 2)
        try:
            made: FileMade = child.call(
                self.call,
                self._source,
                self._options.password,
                View.of(self._options),
                self._pages,
                seconds=PAGE_SECONDS * (1 + len(self._pages)),
            )
            return made
        except WorkerLost as lost:
            raise OutputError(f"{self._path}: {self.failure.format(lost)}") from None
        finally:
            child.kill()
