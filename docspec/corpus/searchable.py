"""``--format pdf``: the input with an invisible text layer, written when the document is complete.

It is put together in a process of its own, as pages are when they are read: a damaged file may bring MuPDF down. A page
whose own text is sound keeps it, and gets only the words that a recogniser found in its pictures.
"""

from __future__ import annotations

from pathlib import Path

from docspec.core import OutputError, PageResult, ParseOptions
from docspec.documents import Source
from docspec.documents.text_layer import LayerPage, LayerWord
from docspec.documents.view import View
from docspec.isolation.child import Child, WorkerLost
from docspec.isolation.pool import machine_memory
from docspec.isolation.worker import DocumentWorker
from docspec.reporting.placed_lines import lines_of
from docspec.reporting.writer import AtomicFile, PageWriter

PAGE_SECONDS = 30.0
"""Longest that a page may take."""


class SearchablePdf(PageWriter):
    """Writes one document."""

    def __init__(self, path: Path, source: Source, options: ParseOptions) -> None:
        self._path, self._source, self._options = path, source, options
        self._file = AtomicFile(path)
        self._pages: list[LayerPage] = []

    def add(self, result: PageResult) -> None:
        self._pages.append(layer_of(result))

    def commit(self) -> None:
        self._file.write_bytes(self._layered())
        self._file.commit()
        self.files = [self._file.path]

    def discard(self) -> None:
        self._file.discard()

    def _layered(self) -> bytes:
        child = Child(DocumentWorker, machine_memory() // 2)
        try:
            data: bytes = child.call(
                "layered",
                self._source,
                self._options.password,
                View.of(self._options),
                self._pages,
                seconds=PAGE_SECONDS * (1 + len(self._pages)),
            )
            return data
        except WorkerLost as lost:
            raise OutputError(f"{self._path}: the text layer cannot be written: writing it {lost}") from None
        finally:
            child.kill()


def layer_of(result: PageResult) -> LayerPage:
    """The layer of a page that was read."""
    has_own = result.account is not None and result.account.witness == "text layer"
    lines = tuple(
        tuple(LayerWord(one.word.text, one.bbox, one.way) for one in line)
        for block in result.blocks
        if not has_own or block.words == "recognition"
        for line in lines_of(block)
    )
    return LayerPage(result.number, result.width, result.height, lines, result.seen, not has_own)
