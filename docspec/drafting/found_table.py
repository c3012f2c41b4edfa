"""A table that was found on a page, with its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from docspec.core import BBox, CellBoxes
from docspec.core.marks import Mark


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table in points: its box, its HTML, the places of its cells by rows (empty unless all are known), whether drawn
    lines close its cells, and how sure its rows and columns are (0..1)."""

    bbox: BBox
    html: str
    grid: CellBoxes = ()
    ruled: bool = False
    certainty: float = 1.0


def table_html(rows: Iterable[Iterable[str]]) -> str:
    """Texts of cells by rows as HTML. Empty without rows."""
    lines = ["".join(f"<td>{escape(text, quote=False)}</td>" for text in row) for row in rows]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>" if lines else ""


def struck_text(text: str, marks: Sequence[Mark]) -> str:
    """``text`` with ``~~`` around what is struck through."""
    for mark in sorted(marks, key=lambda mark: -mark.start):
        if mark.kind == "struck":
            text = f"{text[: mark.start]}~~{text[mark.start : mark.end]}~~{text[mark.end :]}"
    return text
