"""Passages for retrieval: what loaders of LangChain, LlamaIndex and Haystack give to an index (``integrations/``).

A passage is a chunk (:mod:`docspec.reporting.chunks`) or the Markdown of a page, with metadata that says where it
stands and how far it can be trusted. Pages stream, so that a long document is never held whole.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from docspec.core import PageResult, UsageError
from docspec.core.safe_text import safe_text
from docspec.reporting.formats import renderer_for
from docspec.reporting.joined_tables import with_joined_tables
from docspec.reporting.renderer import Layout

Unit = Literal["chunk", "page"]

Metadata = dict[str, str | int | float | bool]

SECTION = " > "
"""Between the headings of a section path."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Passage:
    """Markdown, and its metadata: strings and numbers alone, which every vector store takes.

    ``source``, ``page`` (from 1), ``page_width`` and ``page_height`` (pixels of the page's image) are always there. A
    chunk has its ``category``, its ``section`` (the headings above it, joined by :data:`SECTION`) and its ``bbox`` in
    those pixels as JSON (``[x0, y0, x1, y1]``); with ``places="drafts"`` also the boxes of its ``lines``. The page's
    ``grade`` (``A`` to ``D``), the number of its words that are not in the output (``words_missing``), and why it is
    ``doubtful`` are there if they are known.
    """

    text: str
    metadata: Metadata


def passages(pages: Iterable[PageResult], unit: Unit = "chunk") -> Iterator[Passage]:
    """The passages of one document, whose ``pages`` come in order. A page that failed has none; it is logged as a
    warning. Raises :class:`docspec.core.UsageError` for a ``unit`` that is none."""
    if unit not in get_args(Unit):
        raise UsageError(f"unit {unit!r}: must be one of {', '.join(get_args(Unit))}")
    return _passages(pages, unit)


def _passages(pages: Iterable[PageResult], unit: Unit) -> Iterator[Passage]:
    named = Layout(page_separator="{page}")  # pages apart: no paragraph is joined with its rest on the next one
    renderer = renderer_for("chunks", Layout()) if unit == "chunk" else renderer_for("md", named)
    for page in with_joined_tables(pages):
        if page.status == "failed":
            _log.warning("%s, page %d failed and is left out: %s", page.source, page.number, page.error)
            continue
        text = renderer.page(page, {})
        of_page = _of_page(page)
        if unit == "chunk":
            for line in text.splitlines():
                chunk = json.loads(line)
                yield Passage(chunk["text"], of_page | _of_chunk(chunk))
        elif body := safe_text(text).strip().removeprefix(str(page.number)).strip():
            yield Passage(body, of_page)


def _of_page(page: PageResult) -> Metadata:
    metadata: Metadata = {
        "source": page.source,
        "page": page.number,
        "page_width": page.width,
        "page_height": page.height,
    }
    if page.quality is not None:
        metadata["grade"] = page.quality.grade
    if page.account is not None:
        metadata["words_missing"] = page.account.counts["missing"]
    if page.doubtful is not None:
        metadata["doubtful"] = page.doubtful
    return metadata


def _of_chunk(chunk: dict[str, Any]) -> Metadata:
    metadata: Metadata = {"category": chunk["category"]}
    if chunk["headings"]:
        metadata["section"] = SECTION.join(chunk["headings"])
    if chunk["bbox"] is not None:
        metadata["bbox"] = json.dumps(chunk["bbox"])
    if "lines" in chunk:
        metadata["lines"] = json.dumps(chunk["lines"])
    return metadata
