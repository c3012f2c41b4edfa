"""docspec's own JSON read back: pages as they were when they were written, without their pixels.

Whatever is rendered from them is the same bytes as what was rendered beside the JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docspec.core import (
    BBox,
    Block,
    Category,
    Cut,
    InputError,
    LeftOut,
    PageResult,
    Provenance,
    Span,
)
from docspec.reporting.jsonout import SCHEMA

MOST_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class SavedDocument:
    """A document and, for each page, the links of its pictures by block."""

    source: str
    sha256: str
    pages: tuple[PageResult, ...]
    figures: tuple[Mapping[int, str], ...]


def read_document(path: Path) -> SavedDocument:
    """The document in a file that ``--format json`` has written. Raises :class:`InputError` for anything else."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: larger than {MOST_BYTES >> 20} MiB")
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not JSON; give it what --format json has written") from error
    schema = value.get("schema") if isinstance(value, dict) else None
    if schema != SCHEMA:
        known = f"has schema {schema!r}" if isinstance(schema, str) else "is no document of docspec's"
        raise InputError(f"{path}: {known}; {SCHEMA} is what --format json writes: read the input again")
    try:
        pages = list(map(dict, value["pages"]))
        return SavedDocument(
            str(value["source"]),
            str(value["sha256"]),
            tuple(_page(page, str(value["source"])) for page in pages),
            tuple(dict(_figures(page)) for page in pages),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path}: does not follow {SCHEMA} ({type(error).__name__}: {error})") from error


def _page(page: Mapping[str, Any], source: str) -> PageResult:
    cut, said = page.get("cut"), page.get("provenance")
    provenance = None
    if said is not None:
        provenance = Provenance(
            spans=tuple(tuple(map(_span, block["spans"])) for block in page["blocks"]),
            left_out=tuple(map(_left_out, said["left_out"])),
            steps=tuple(said["steps"]),
            origins=tuple(said["origins"].items()),
            drafted=said["drafted"],
        )
    return PageResult(
        source,
        int(page["page"]),
        page["status"],
        text=page.get("raw", ""),
        blocks=tuple(map(_block, page["blocks"])),
        width=page["width"],
        height=page["height"],
        read=page.get("read", "page"),
        cut=None if cut is None else Cut(**cut),
        error=page.get("error"),
        provenance=provenance,
    )


def _block(block: Mapping[str, Any]) -> Block:
    return Block(
        Category(block["category"]),
        block["text"],
        _box(block["bbox"]),
        block["bbox_from"],
        block.get("gap"),
        block.get("reread", False),
        block.get("trusted", 0),
        block.get("words", "model"),
    )


def _span(span: Mapping[str, Any]) -> Span:
    origins = tuple(span.get("origins", {}).items())
    return Span(span["start"], span["end"], span["mark"], span.get("draft"), origins, span.get("margin"))


def _left_out(one: Mapping[str, Any]) -> LeftOut:
    category = None if one["category"] is None else Category(one["category"])
    return LeftOut(one["text"], one["after"], _box(one["bbox"]), category)


def _box(box: list[int] | None) -> BBox | None:
    return None if box is None else BBox(*box)


def _figures(page: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    for index, block in enumerate(page["blocks"]):
        if "figure" in block:
            yield index, block["figure"]
