"""The converter: files to documents of Haystack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from haystack import Document, component, logging
from haystack.components.converters.utils import normalize_metadata
from haystack.dataclasses import ByteStream

from docspec import DocspecError, ParseOptions, Parser
from docspec.documents.sources import source_from_bytes
from docspec.retrieval import Unit, passages

logger = logging.getLogger(__name__)


@component
class DocspecConverter:
    """Converts PDFs and images to documents: chunks with page, box and section, or (``unit="page"``) whole pages.

    ``options`` are the fields of :class:`docspec.ParseOptions`; wrong ones raise :class:`docspec.DocspecError`. A model
    is loaded at the first page that needs it and kept until :meth:`close`.
    """

    def __init__(self, unit: Unit = "chunk", options: dict[str, Any] | None = None) -> None:
        self.unit = unit
        self.options = options
        passages((), unit)  # a wrong unit is an error here already
        self._parser = Parser(ParseOptions(**(options or {})), images=False)

    @component.output_types(documents=list[Document])
    def run(
        self, sources: list[str | Path | ByteStream], meta: dict[str, Any] | list[dict[str, Any]] | None = None
    ) -> dict[str, list[Document]]:
        """The documents of all sources, with the metadata of :class:`docspec.retrieval.Passage`, those of the source
        itself and ``meta``, which is for all sources or has one dictionary for each. A source that cannot be read and
        a page that failed are logged and left out."""
        documents: list[Document] = []
        for source, given in zip(sources, normalize_metadata(meta, len(sources)), strict=True):
            try:
                documents += self._documents(source, given)
            except DocspecError as error:
                logger.warning("Could not read {source}. Skipping it. Error: {error}", source=str(source), error=error)
        return {"documents": documents}

    def close(self) -> None:
        """Releases the model and ends docspec's processes; the component can be used again."""
        self._parser.close()

    def _documents(self, source: str | Path | ByteStream, meta: dict[str, Any]) -> list[Document]:
        if isinstance(source, ByteStream):
            name = str(source.meta.get("file_path") or source.meta.get("file_name") or "bytes")
            meta = {**source.meta, **meta}
            opened: Any = source_from_bytes(source.data, name)
        else:
            name, opened = str(source), source
        found = passages(self._parser.pages(opened), self.unit)
        return [Document(content=one.text, meta={**one.metadata, "source": name, **meta}) for one in found]
