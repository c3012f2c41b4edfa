"""Pages to JSON, schema ``docspec.document/2``: boxes, categories, texts, page numbers and provenance for programs.

It holds all that the other text formats are made of, page headers and footers included;
:mod:`docspec.reporting.reading` reads it back. One page stands on one line, so that a document of any length is written
as it is read and still greps well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from docspec.core import Block, PageResult, Provenance, Span
from docspec.core.marks import Mark
from docspec.core.quality import Quality
from docspec.core.safe_text import dump_json
from docspec.reporting.renderer import Layout

SCHEMA = "docspec.document/2"


class JsonRenderer:
    """Writes ``{"schema", "source", "sha256", "pages": [...]}``."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._first_page = True

    def begin(self, source: str, sha256: str) -> str:
        head = f'"schema": {dump_json(SCHEMA)}, "source": {dump_json(source)}, "sha256": {dump_json(sha256)}'
        return "{" + head + ', "pages": ['

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        gap = "\n" if self._first_page else ",\n"
        self._first_page = False
        return gap + dump_json(page_object(result, figures, self._layout))

    def end(self) -> str:
        return "\n]}\n"


def page_object(result: PageResult, figures: Mapping[int, str], layout: Layout) -> dict[str, Any]:
    """One page as plain JSON values. ``width`` and ``height`` are pixels; boxes are ``[x0, y0, x1, y1]`` in
    them.
    """
    page: dict[str, Any] = {
        "page": result.number,
        "status": result.status,
        "width": result.width,
        "height": result.height,
        "blocks": [
            _block_object(block, result.number, figures.get(index)) for index, block in enumerate(result.blocks)
        ],
    }
    if result.read == "regions":
        page["read"] = result.read
    if result.turns:
        page["turned"] = 90 * result.turns
    if result.quality is not None:
        page["quality"] = quality_object(result.quality)
    if result.doubtful is not None:
        page["doubtful"] = result.doubtful
    if result.provenance is not None:
        for block, spans in zip(page["blocks"], result.provenance.spans, strict=True):
            block["spans"] = list(map(_span_object, spans))
        page["provenance"] = _provenance_object(result.provenance)
    if result.cut is not None:
        page["cut"] = asdict(result.cut)
    if layout.raw:
        page["raw"] = result.text
    if result.error is not None:
        page["error"] = result.error
    return page


def quality_object(quality: Quality) -> dict[str, Any]:
    """A page's quality; the reason for doubt stands beside it."""
    return {
        "grade": quality.grade,
        "certainty": round(quality.certainty, 4),
        "agreement": None if quality.agreement is None else round(quality.agreement, 4),
        "margin": None if quality.margin is None else float(f"{quality.margin:.4g}"),
    }


def _block_object(block: Block, number: int, figure: str | None) -> dict[str, Any]:
    values: dict[str, Any] = {
        "page": number,
        "category": block.category.value,
        "bbox": None if block.bbox is None else list(block.bbox.rounded()),
        "bbox_from": block.bbox_from,
        "text": block.text,
        "words": block.words,
    }
    if block.gap is not None:
        values["gap"] = block.gap
    if block.reread:
        values["reread"] = True
    if block.trusted:
        values["trusted"] = block.trusted
    if block.marks:
        values["marks"] = [_mark_object(mark) for mark in block.marks]
    if block.level:
        values["level"] = block.level
    if block.points:
        values["points"] = round(block.points, 2)
    if block.indents:
        values["indents"] = [round(edge, 1) for edge in block.indents]
    if block.unread:
        values["unread"] = True
    if figure is not None:
        values["figure"] = figure
    return values


def _mark_object(mark: Mark) -> dict[str, Any]:
    values: dict[str, Any] = {"kind": mark.kind, "start": mark.start, "end": mark.end}
    return values | ({"target": mark.target} if mark.target else {})


def _provenance_object(provenance: Provenance) -> dict[str, Any]:
    return {
        "drafted": provenance.drafted,
        "steps": list(provenance.steps),
        "origins": dict(provenance.origins),
        "left_out": [
            {
                "text": one.text,
                "after": one.after,
                "bbox": None if one.bbox is None else list(one.bbox.rounded()),
                "category": None if one.category is None else one.category.value,
            }
            for one in provenance.left_out
        ],
        "numbers": [
            {
                "block": one.block,
                "start": one.start,
                "end": one.end,
                "readings": [{"source": source, "text": text} for source, text in one.readings],
                "bbox": None if one.bbox is None else list(one.bbox.rounded()),
            }
            for one in provenance.numbers
        ],
    }


def _span_object(span: Span) -> dict[str, Any]:
    values: dict[str, Any] = {"start": span.start, "end": span.end, "mark": span.mark}
    if span.draft is not None:
        values["draft"] = span.draft
    if span.origins:
        values["origins"] = dict(span.origins)
    if span.margin is not None:
        values["margin"] = float(f"{span.margin:.4g}")
    return values
