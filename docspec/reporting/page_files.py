"""Writes a document as PAGE-XML: the first page to the file that is named, each further one to a file beside it.

The files appear when the document is complete.
"""

from __future__ import annotations

from pathlib import Path

from docspec.core import PageResult
from docspec.reporting.page_xml import PageXmlRenderer
from docspec.reporting.renderer import SUFFIXES, Layout
from docspec.reporting.writer import AtomicFile, PageWriter


class PageFiles(PageWriter):
    """``NAME.page.xml``, and ``NAME-2.page.xml`` for page 2 where it is not the first one."""

    def __init__(self, path: Path, layout: Layout, source: str) -> None:
        self._path, self._layout, self._source = path, layout, source
        self._open: list[AtomicFile] = [AtomicFile(path)]
        self._written = 0
        self._renderer = PageXmlRenderer(layout)

    def begin(self) -> None:
        self._renderer.begin(self._source, "")

    def add(self, result: PageResult) -> None:
        if self._written:
            stem = self._path.name.removesuffix(SUFFIXES["page"])
            self._open.append(AtomicFile(self._path.with_name(f"{stem}-{result.number}{SUFFIXES['page']}")))
        self._written += 1
        self._open[-1].write(self._renderer.page(result, {}))

    def commit(self) -> None:
        for file in self._open:
            file.commit()
        self.files = [file.path for file in self._open]

    def discard(self) -> None:
        for file in self._open:
            file.discard()
