"""The reader: files to documents of LlamaIndex."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.readers.base import BasePydanticReader
from llama_index.core.schema import Document

from docspec import ParseOptions, Parser
from docspec.documents.sources import source_from_bytes
from docspec.retrieval import Unit, passages

NOT_FOR_MODELS = ["bbox", "lines", "page_width", "page_height", "grade", "words_missing", "doubtful", "category"]
"""Metadata that are kept with a node and are neither embedded nor shown to a language model."""


class DocspecReader(BasePydanticReader):
    """Reads PDFs and images as documents: chunks with page, box and section, or (``unit="page"``) whole pages.

    It stands alone or serves ``SimpleDirectoryReader(folder, file_extractor={".pdf": DocspecReader()})``. A model is
    loaded once and kept until :meth:`close`. Raises :class:`docspec.DocspecError` for wrong options and for a file that
    cannot be read; a page that failed is left out and logged.
    """

    unit: Unit = Field(default="chunk", description="What a document is: a chunk or a page.")
    options: dict[str, Any] = Field(default_factory=dict, description="Fields of docspec.ParseOptions.")

    _parser: Parser = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Checks the options before there is a file."""
        super().model_post_init(context)
        self._parser = Parser(ParseOptions(**self.options), images=False)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex saves the reader."""
        return "DocspecReader"

    def lazy_load_data(
        self,
        file_path: str | Path | Sequence[str | Path],
        extra_info: dict[str, Any] | None = None,
        fs: Any = None,
        **_: Any,
    ) -> Iterable[Document]:
        """The documents of all files in their order; pages are read as they are asked for. ``extra_info`` is added to
        the metadata of each; ``fs`` is the fsspec file system that has the files, if not this machine's."""
        paths = [file_path] if isinstance(file_path, str | Path) else file_path
        return (document for path in paths for document in self._documents(path, extra_info or {}, fs))

    def close(self) -> None:
        """Releases the model and ends docspec's processes; the reader can be used again."""
        self._parser.close()

    def _documents(self, path: str | Path, extra_info: dict[str, Any], fs: Any) -> Iterator[Document]:
        source = path if fs is None else source_from_bytes(fs.cat_file(str(path)), str(path))
        for passage in passages(self._parser.pages(source), self.unit):
            yield Document(
                text=passage.text,
                metadata={**extra_info, **passage.metadata, "source": str(path)},
                excluded_embed_metadata_keys=[*NOT_FOR_MODELS],
                excluded_llm_metadata_keys=[*NOT_FOR_MODELS],
            )
