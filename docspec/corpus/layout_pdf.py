"""``--layout-pdf``: the input with numbered boxes, written when the document is complete.

It is drawn in a process of its own, as pages are when they are read: a damaged file may bring MuPDF down.
"""

from __future__ import annotations

from pathlib import Path

from docspec.core import OutputError, PageResult, ParseOptions
from docspec.documents import Source
from docspec.documents.marked import MarkedPage
from docspec.documents.view import View
from docspec.isolation.child import Child, WorkerLost
from docspec.isolation.pool import machine_memory
from docspec.isolation.worker import DocumentWorker
from docspec.reporting.writer import AtomicFile, PageWriter

PAGE_SECONDS = 30.0
"""Longest that a page may take."""


class LayoutPdf(PageWriter):
    """Draws the layout of one document."""

    def __init__(self, path: Path, source: Source, options: ParseOptions) -> None:
        self._path, self._source, self._options = path, source, options
        self._file = AtomicFile(path)
        self._pages: list[MarkedPage] = []

    def add(self, result: PageResult) -> None:
        boxes = tuple((block.category, block.bbox) for block in result.blocks)
        self._pages.append(MarkedPage(result.number, result.width, result.height, boxes, result.seen))

    def commit(self) -> None:
        self._file.write_bytes(self._drawn())
        self._file.commit()
        self.files = [self._file.path]

    def discard(self) -> None:
        self._file.discard()

    def _drawn(self) -> bytes:
        child = Child(DocumentWorker, machine_memory() // 2)
        try:
            data: bytes = child.call(
                "mark",
                self._source,
                self._options.password,
                View.of(self._options),
                self._pages,
                seconds=PAGE_SECONDS * (1 + len(self._pages)),
            )
            return data
        except WorkerLost as lost:
            raise OutputError(f"{self._path}: the layout cannot be drawn: drawing it {lost}") from None
        finally:
            child.kill()
