"""docspec as a document loader of LangChain."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from docspec import ParseOptions, Parser
from docspec.core import InputError
from docspec.retrieval import Unit, passages

__all__ = ["DocspecLoader"]

LOG = logging.getLogger(__name__)


class DocspecLoader(BaseLoader):
    """Loads PDFs and images as documents: chunks with page, box and section, or (``unit="page"``) whole pages.

    ``options`` are the fields of :class:`docspec.ParseOptions`: ``DocspecLoader("a.pdf", pages="1-3")``. The metadata
    are those of :class:`docspec.retrieval.Passage`. Raises :class:`docspec.DocspecError` at once for wrong options. A
    file that cannot be read is logged, and raised once those behind it are loaded (``on_error="skip"``: not at all); a
    page that failed is left out and logged.
    """

    def __init__(
        self,
        file_path: str | Path | Sequence[str | Path],
        *,
        unit: Unit = "chunk",
        on_error: Literal["raise", "skip"] = "raise",
        **options: Any,
    ) -> None:
        self._paths = [file_path] if isinstance(file_path, str | Path) else list(file_path)
        self._options = ParseOptions(**options)
        self._unit = unit
        self._on_error = on_error
        passages((), unit)  # a wrong unit is an error here already

    def lazy_load(self) -> Iterator[Document]:
        """The documents of all files in their order; pages are read as they are asked for."""
        with Parser(self._options, images=False) as parser:
            unread: list[InputError] = []
            for path in self._paths:
                try:
                    for passage in passages(parser.pages(path), self._unit):
                        yield Document(passage.text, metadata={**passage.metadata, "source": str(path)})
                except InputError as error:
                    LOG.error("%s", error)
                    unread.append(error)
            if unread and self._on_error == "raise":
                raise unread[0]
