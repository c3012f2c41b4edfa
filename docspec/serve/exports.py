"""The results of documents in the forms of docling-serve: the text of each format, pieces for retrieval, and one ZIP
archive for several documents."""

from __future__ import annotations

import io
import json
import secrets
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from docspec.core import PageResult
from docspec.reporting.formats import document_text
from docspec.reporting.renderer import Format, Layout
from docspec.serve.wishes import FORM_FEED

FORMATS: dict[str, Format] = {"md": "md", "json": "docling", "html": "html", "text": "md"}
"""The supported formats of docling-serve and docspec's name for each; ``text`` is Markdown without picture marks."""

FIELDS = {"md": "md_content", "json": "json_content", "html": "html_content", "text": "text_content"}
SUFFIXES = {"md": ".md", "json": ".json", "html": ".html", "text": ".txt"}

ZIP, MAGIC = "application/zip", b"PK"
JSON = "application/json"

Figures = Mapping[int, Mapping[int, str]]
"""Links of pictures by the number of their page and the index of their block."""


def exported(
    results: Sequence[PageResult], formats: Iterable[str], title: str, page_break: str | None, figures: Figures
) -> dict[str, Any]:
    """The pages in each of the ``formats``, keyed by docling-serve's field names."""
    contents: dict[str, Any] = {}
    mark = f"page-{secrets.token_hex(16)}"  # what writes a text leaves no control character in it
    between = None if page_break is None else page_break.replace(FORM_FEED, mark)
    for name in formats:
        layout = Layout(plain_markdown=name == "text", page_separator=between)
        text = document_text(results, FORMATS[name], layout, title, figures=figures).replace(mark, FORM_FEED)
        contents[FIELDS[name]] = json.loads(text) if name == "json" else text
    return contents


def chunked(results: Sequence[PageResult], title: str) -> list[dict[str, Any]]:
    """The pages in pieces (:mod:`docspec.reporting.chunks`) under docling-serve's names. ``text`` begins with the
    headings above the piece, ``raw_text`` is without them."""
    lines = document_text(results, "chunks", Layout(), title).splitlines()
    return [_chunk(number, json.loads(line), title) for number, line in enumerate(lines)]


def _chunk(number: int, piece: Mapping[str, Any], title: str) -> dict[str, Any]:
    return {
        "filename": title,
        "chunk_index": number,
        "text": "\n".join([*piece["headings"], piece["text"]]),
        "raw_text": piece["text"],
        "num_tokens": None,
        "headings": piece["headings"] or None,
        "captions": None,
        "doc_items": [f"#/pages/{piece['page']}/blocks/{block}" for block in piece["blocks"]],
        "page_numbers": [piece["page"]],
        "metadata": {"category": piece["category"], "bbox": piece["bbox"]},
    }


def zipped(answers: Iterable[Mapping[str, Any]]) -> bytes:
    """An archive with a file for each format of each answer, as docling-serve makes it for several documents. Names are
    the clients', and what stands in for one of those that are the same has a number."""
    buffer, taken = io.BytesIO(), set[str]()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for answer in answers:
            for name, content in _files_of(answer):
                archive.writestr(_free_name(name, taken), content)
    return buffer.getvalue()


def _files_of(answer: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    document = answer.get("document", {})
    stem = str(document.get("filename", "document")).rpartition(".")[0] or str(document.get("filename", "document"))
    for format, field in FIELDS.items():
        if field in document:
            held = document[field]
            text = held if isinstance(held, str) else json.dumps(held, ensure_ascii=False)
            yield stem + SUFFIXES[format], text
    told = {name: value for name, value in answer.items() if name in ("errors", "warnings", "failure") and value}
    if told:
        yield f"{stem}.errors.json", json.dumps(told, ensure_ascii=False, indent=1)


def _free_name(name: str, taken: set[str]) -> str:
    stem, dot, suffix = name.partition(".")
    name, number = name.lstrip("."), 2
    while name in taken or not name:
        name, number = f"{stem}-{number}{dot}{suffix}".lstrip("."), number + 1
    taken.add(name)
    return name
