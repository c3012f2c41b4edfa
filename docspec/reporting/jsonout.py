"""Pages to JSON, schema ``docspec.document/2``: boxes, categories, texts, page numbers and provenance for programs.

It holds all that the other text formats are made of, page headers and footers included;
:mod:`docspec.reporting.reading` reads it back. One page stands on one line, so that a document of any length is written
as it is read and still greps well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from docspec.core import Block, Category, PageResult, Provenance, Span, TablePart
from docspec.core.account import STATES, PageAccount, State
from docspec.core.formulas import bare_formula
from docspec.core.marks import Mark
from docspec.core.places import PlacedCell, PlacedWord
from docspec.core.result import Quality
from docspec.core.safe_text import dump_json
from docspec.reporting.mathml import mathml_of
from docspec.reporting.renderer import Layout, Renderer

SCHEMA = "docspec.document/2"


class JsonRenderer(Renderer):
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
    provenance = result.provenance
    blocks = [_block_object(block, result.number, figures.get(index)) for index, block in enumerate(result.blocks)]
    if provenance is not None:
        for block, spans in zip(blocks, provenance.spans, strict=True):
            block["spans"] = list(map(_span_object, spans))
    return {
        "page": result.number,
        "status": result.status,
        "width": result.width,
        "height": result.height,
        "blocks": blocks,
        **known(
            read="regions" if result.read == "regions" else None,
            turned=90 * result.seen.turns or None,
            sheet=result.seen.sheet,
            tilt=result.seen.tilt or None,
            quality=None if result.quality is None else quality_object(result.quality),
            doubtful=result.doubtful,
            account=None if result.account is None else account_object(result.account, layout),
            provenance=None if provenance is None else _provenance_object(provenance),
            cut=None if result.cut is None else asdict(result.cut),
            raw=result.text if layout.raw else None,
            error=result.error,
        ),
    }


def known(**values: Any) -> dict[str, Any]:
    """``values`` without those that are ``None``: what is not there is left out of the JSON."""
    return {name: value for name, value in values.items() if value is not None}


def quality_object(quality: Quality) -> dict[str, Any]:
    """A page's quality; the reason for doubt stands beside it."""
    return {
        "grade": quality.grade,
        "certainty": round(quality.certainty, 4),
        "agreement": None if quality.agreement is None else round(quality.agreement, 4),
        "margin": margin_value(quality.margin),
    }


def account_object(account: PageAccount, layout: Layout) -> dict[str, Any]:
    """What became of a page's words; of those that are not written, and of written ones that are hidden, runs of
    neighbours with their boxes."""
    if layout.keep_furniture:
        account = account.with_furniture()

    def runs(state: State) -> list[dict[str, Any]]:
        return [
            {
                "text": run.text,
                "bbox": list(run.bbox.rounded()),
                **known(rule=run.rule or None, block=run.block if run.block >= 0 else None),
            }
            for run in account.in_state(state)
        ]

    return {
        "witness": account.witness,
        "words": account.counts,
        **{state: runs(state) for state in STATES},
        "added": list(account.added),
        "displaced": account.displaced,
        **known(
            misplaced=[
                {"fault": one.fault, "text": one.text, "bbox": list(one.bbox.rounded())} for one in account.misplaced
            ]
            or None
        ),
    }


def _block_object(block: Block, number: int, figure: str | None) -> dict[str, Any]:
    return {
        "page": number,
        "category": block.category.value,
        "bbox": None if block.bbox is None else list(block.bbox.rounded()),
        "bbox_from": block.bbox_from,
        "text": block.text,
        "words": block.words,
        **known(
            mathml=mathml_of(bare_formula(block.text), True) if block.category is Category.FORMULA else None,
            gap=block.gap,
            reread=block.reread or None,
            trusted=block.trusted or None,
            marks=list(map(_mark_object, block.marks)) or None,
            level=block.level or None,
            points=round(block.points, 2) if block.points else None,
            indents=[round(edge, 1) for edge in block.indents] or None,
            unread=block.unread or None,
            parts=list(map(_part_object, block.parts)) or None,
            part_of=block.part_of or None,
            places=list(map(_place_object, block.places)) or None,
            cells=list(map(_cell_object, block.cells)) or None,
            figure=figure,
        ),
    }


def _place_object(word: PlacedWord) -> dict[str, Any]:
    return {
        "text": word.text,
        "start": word.start,
        "end": word.end,
        "boxes": [list(box.rounded()) for box in word.boxes],
        "how": word.how,
        "certainty": word.certainty,
    }


def _cell_object(cell: PlacedCell) -> dict[str, Any]:
    return {
        "start": cell.start,
        "end": cell.end,
        "row": cell.row,
        "column": cell.column,
        **known(
            rows=cell.rows if cell.rows > 1 else None,
            columns=cell.columns if cell.columns > 1 else None,
            bbox=None if cell.bbox is None else list(cell.bbox.rounded()),
        ),
    }


def _mark_object(mark: Mark) -> dict[str, Any]:
    return {"kind": mark.kind, "start": mark.start, "end": mark.end, **known(target=mark.target or None)}


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


def _part_object(part: TablePart) -> dict[str, Any]:
    return {"page": part.page, "bbox": list(part.bbox.rounded()), "rows": part.rows}


def _span_object(span: Span) -> dict[str, Any]:
    return {
        "start": span.start,
        "end": span.end,
        "mark": span.mark,
        **known(draft=span.draft, origins=dict(span.origins) or None, margin=margin_value(span.margin)),
    }


def margin_value(margin: float | None) -> float | None:
    """A difference of logits to four figures."""
    return None if margin is None else float(f"{margin:.4g}")
