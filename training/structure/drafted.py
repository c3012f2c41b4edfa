"""Made pages as docspec drafts them, with what the colours of their characters stand for: for those who watch a step of
the drafter and learn from what it was given."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymupdf

from docspec.core import ParseOptions
from docspec.documents import open_document
from docspec.documents.sources import source_from_path
from docspec.drafting import make_drafter
from training.structure.pages.colours import Colour
from training.structure.pages.truth import characters


@dataclass(frozen=True)
class Told:
    """The characters of a page, as their colours, sizes and boxes; the entry of each colour; and its tables."""

    signs: list[tuple[Colour, float, tuple[float, float, float, float]]]
    entries: dict[tuple[int, ...], dict[str, Any]]
    tables: list[dict[str, Any]]


def drafted(path: Path) -> Iterator[Told]:
    """Drafts each page of a made PDF, and then says what is told of it."""
    drafter = make_drafter(ParseOptions(drafter="text-layer", formulas="text"), None)
    told = json.loads(path.with_suffix(".json").read_text())["pages"]
    with pymupdf.open(path) as shown, open_document(source_from_path(path), None) as document:
        for number, page in enumerate(document.pages()):
            drafter.draft(page)  # type: ignore[arg-type]
            entries = {tuple(map(int, key.split(","))): entry for key, entry in told[number]["colours"].items()}
            yield Told(characters(shown[number]), entries, told[number]["tables"])
