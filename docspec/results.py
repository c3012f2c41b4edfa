"""A document's pages as text: the result of the Python interface."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docspec.core import DocumentResult, Failure, InputError
from docspec.reporting.destinations import infer_format
from docspec.reporting.formats import document_text
from docspec.reporting.renderer import Format, Layout
from docspec.reporting.writer import write_whole


@dataclass(frozen=True, slots=True)
class ParsedDocument(DocumentResult):
    """All pages of one input, in any format that the command line writes. Page images are not kept, so that pictures
    are left out; ``docspec.core.PageResult.image`` has them while pages are streamed."""

    sha256: str = ""

    def to_markdown(self, **layout: Any) -> str:
        """The document as Markdown; ``layout`` are fields of :class:`docspec.reporting.renderer.Layout`."""
        return self.render("md", **layout)

    def to_html(self, **layout: Any) -> str:
        """The document as one HTML page without scripts."""
        return self.render("html", **layout)

    def render(self, format: Format, **layout: Any) -> str:
        """The document in ``format``."""
        return document_text(self.pages, format, Layout(**layout), self.source, self.sha256)

    def save(self, path: str | Path, format: Format | None = None, **layout: Any) -> Path:
        """Writes the document whole or not at all, by default in the format that the name ends with. Raises
        :class:`docspec.core.OutputError`, and :class:`docspec.core.InputError` for a document that could not be
        read."""
        if self.error is not None:
            raise InputError(self.error, self.failure or Failure.UNREADABLE)
        path = Path(path)
        write_whole(path, self.render(format or infer_format(str(path), None), **layout))
        return path
