"""What a framework's own classes make of files by docspec, as JSON: ``python load.py FRAMEWORK FOLDER``.

Run by test_loaders.py with the Python of an environment that has the frameworks. ``FOLDER`` has ``report.pdf``, and
``broken.pdf``, which cannot be read."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any


def langchain(folder: Path) -> dict[str, Any]:
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document
    from langchain_core.load import dumps, loads
    from langchain_docspec import DocspecLoader

    def told(documents: list[Document]) -> list[dict[str, Any]]:
        assert all(isinstance(one, Document) for one in documents)
        return [{"text": one.page_content, "metadata": one.metadata} for one in documents]

    report = folder / "report.pdf"
    loader = DocspecLoader(report, offline=True)
    assert isinstance(loader, BaseLoader)
    documents = loader.load()
    assert told(loads(dumps(documents), allowed_objects="all")) == told(documents)
    lazy = DocspecLoader([report, folder / "broken.pdf"], unit="page", offline=True).lazy_load()
    first = [next(lazy), next(lazy)]
    return {
        "documents": told(documents),
        "again": told(asyncio.run(loader.aload())),
        "pages": told(first),
        "broken": raised(lambda: next(lazy)),
        "wrong": raised(lambda: DocspecLoader(report, dpi=0)),
    }


def llama_index(folder: Path) -> dict[str, Any]:
    from llama_index.core import Document, SimpleDirectoryReader
    from llama_index.core.readers.base import BasePydanticReader
    from llama_index.core.schema import MetadataMode
    from llama_index.readers.docspec import DocspecReader

    def told(documents: list[Document]) -> list[dict[str, Any]]:
        assert all(isinstance(one, Document) for one in documents)
        return [{"text": one.text, "metadata": one.metadata} for one in documents]

    report = folder / "report.pdf"
    reader = DocspecReader(options={"offline": True})
    assert isinstance(reader, BasePydanticReader)
    documents = reader.load_data(report)
    shown = documents[1].get_content(MetadataMode.LLM)
    assert "section: Tides at Low Harbour > Heights in March" in shown and "bbox" not in shown
    saved = DocspecReader.from_dict(reader.to_dict())
    assert told(asyncio.run(saved.aload_data(str(report)))) == told(documents)
    directory: dict[str, Any] = {"input_dir": str(folder), "file_extractor": {".pdf": reader}}
    by_directory = SimpleDirectoryReader(**directory).load_data()  # it logs what cannot be read
    by_workers = SimpleDirectoryReader(**directory).load_data(num_workers=2)
    assert [one.text for one in by_workers] == [one.text for one in by_directory]
    assert {one.metadata["file_name"] for one in by_directory} == {"report.pdf"}
    found = {
        "documents": told(documents),
        "again": [{"text": one.text, "metadata": _own(one.metadata)} for one in by_directory],
        "pages": told(DocspecReader(unit="page", options={"offline": True}).load_data([report])),
        "broken": raised(lambda: reader.load_data(folder / "broken.pdf")),
        "wrong": raised(lambda: DocspecReader(options={"dpi": 0})),
    }
    reader.close()
    return found


def _own(metadata: dict[str, Any]) -> dict[str, Any]:
    """Metadata without those that SimpleDirectoryReader adds."""
    return {name: value for name, value in metadata.items() if not name.startswith(("file_", "creation_", "last_"))}


def haystack(folder: Path) -> dict[str, Any]:
    from haystack import Document, Pipeline
    from haystack.components.writers import DocumentWriter
    from haystack.dataclasses import ByteStream
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack_integrations.components.converters.docspec import DocspecConverter

    def told(documents: list[Document]) -> list[dict[str, Any]]:
        assert all(isinstance(one, Document) for one in documents)
        return [{"text": one.content, "metadata": one.meta} for one in documents]

    report = folder / "report.pdf"
    pipeline = Pipeline()
    pipeline.add_component("converter", DocspecConverter(options={"offline": True}))
    pipeline.add_component("writer", DocumentWriter(InMemoryDocumentStore()))
    pipeline.connect("converter.documents", "writer.documents")
    pipeline = Pipeline.loads(pipeline.dumps())
    # What cannot be read is left out and logged; metadata of one source are of its documents.
    given = {"sources": [report, folder / "broken.pdf"], "meta": [{"team": "harbour"}, {}]}
    ran = pipeline.run({"converter": given}, include_outputs_from={"converter"})
    documents = ran["converter"]["documents"]
    assert ran["writer"]["documents_written"] == 3 and {one.meta.pop("team") for one in documents} == {"harbour"}
    stream = ByteStream(report.read_bytes(), meta={"file_name": str(report)})
    converter = DocspecConverter(options={"offline": True})
    by_bytes = converter.run([stream])["documents"]
    assert {one.meta.pop("file_name") for one in by_bytes} == {str(report)}
    converter.close()
    return {
        "documents": told(documents),
        "again": told(by_bytes),
        "pages": told(DocspecConverter("page", {"offline": True}).run([str(report)])["documents"]),
        "broken": "InputError" if converter.run([folder / "broken.pdf"]) == {"documents": []} else "read",
        "wrong": raised(lambda: DocspecConverter(options={"dpi": 0})),
    }


def raised(run: Any) -> str:
    """The name of the error that ``run`` ends with."""
    try:
        run()
    except Exception as error:
        return type(error).__name__
    return "nothing"


if __name__ == "__main__":
    load = {"langchain": langchain, "llama_index": llama_index, "haystack": haystack}[sys.argv[1]]
    print(json.dumps(load(Path(sys.argv[2]))))
