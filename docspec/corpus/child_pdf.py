"""PDFs that are made of a whole input when its document is complete: with a text layer (``--format pdf``) or with
numbered boxes (``--layout-pdf``). A process of their own makes them, because a damaged file may bring MuPDF down."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from docspec.core import OutputError, PageResult, ParseOptions
from docspec.documents import Source
from docspec.documents.claims import FileMade
from docspec.documents.layer_text import LayerPage, LayerWord
from docspec.documents.marked import MarkedPage
from docspec.documents.view import View
from docspec.isolation.child import Child, WorkerLost
from docspec.isolation.pool import machine_memory
from docspec.isolation.worker import DocumentWorker
from docspec.reporting.placed_lines import lines_of
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


class SearchablePdf(ChildPdf):
    """Writes one document with its text layer. A page whose own text is sound keeps it, and gets only the words that a
    recogniser found in its pictures, and those whose letters the file tells wrongly."""

    call = "layered"
    failure = "the text layer cannot be written: writing it {}"

    def page_of(self, result: PageResult) -> LayerPage:
        return layer_of(result)


def layer_of(result: PageResult) -> LayerPage:
    """The layer of a page that was read. Words of the file itself, be they checked or not (``draft``), are written only
    where it tells others."""
    has_own = result.account is not None and result.account.witness == "text layer"
    lines = []
    for block in result.blocks:
        if not has_own or block.words in ("text layer", "recognition"):
            is_kept = has_own or block.words == "draft"
            for line in lines_of(block):
                lines.append(tuple(LayerWord(w.word.text, w.bbox, w.way, is_kept, w.word.boxes) for w in line))
    return LayerPage(result.number, result.width, result.height, tuple(lines), result.seen, not has_own)


class LayoutPdf(ChildPdf):
    """Draws the layout of one document."""

    call = "mark"
    failure = "the layout cannot be drawn: drawing it {}"

    def page_of(self, result: PageResult) -> MarkedPage:
        boxes = tuple((block.category, block.bbox) for block in result.blocks)
        return MarkedPage(result.number, result.width, result.height, boxes, result.seen)
