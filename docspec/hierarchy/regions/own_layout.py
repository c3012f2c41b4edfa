"""The target's own layout of a page, for targets trained to write one: the first step of reading by regions.

The drafter's regions are the draft of the target's layout: boxes that the target confirms are verified rather than
written. Drafted texts go with the boxes that contain them.

MinerU2.5 writes a box, a kind and which way up, one region a line (opendatalab/mineru-vl-utils, ``mineru_client.py``
and ``structs.py``); numbers run from 0 to 1000 over the page's width and height: ``<|box_start|>100 200 500
700<|box_end|><|ref_start|>table<|ref_end|><|rotate_up|>``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from PIL.Image import Resampling

from docspec.core import BBox, Category, Region
from docspec.dialects.box_numbers import pixel_box
from docspec.dialects.layout_json import LayoutJsonDialect
from docspec.generation.interface import GenerationRequest
from docspec.hierarchy.answers import ask
from docspec.hierarchy.page_state import PageState
from docspec.hierarchy.reading_context import ReadingContext

SCALE = 1000
_MARK = re.compile(r"<\|box_start\|>\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*<\|box_end\|><\|ref_start\|>(\w+)<\|ref_end\|>")
_CATEGORIES = {
    "text": Category.TEXT,
    "title": Category.SECTION_HEADER,
    "table": Category.TABLE,
    "image": Category.PICTURE,
    "equation": Category.FORMULA,
    "header": Category.PAGE_HEADER,
    "footer": Category.PAGE_FOOTER,
    "page_number": Category.PAGE_FOOTER,
    **dict.fromkeys(("page_footnote", "table_footnote", "image_footnote"), Category.FOOTNOTE),
    **dict.fromkeys(("table_caption", "image_caption", "code_caption"), Category.CAPTION),
    **dict.fromkeys(("code", "algorithm", "aside_text", "ref_text", "phonetic", "unknown"), Category.TEXT),
}
"""Kinds that are read. Boxes around lists and blocks of equations hold others that are read, too."""

_KINDS = {
    Category.CAPTION: "image_caption",
    Category.FOOTNOTE: "page_footnote",
    Category.FORMULA: "equation",
    Category.PAGE_FOOTER: "footer",
    Category.PAGE_HEADER: "header",
    Category.PICTURE: "image",
    Category.SECTION_HEADER: "title",
    Category.TABLE: "table",
    Category.TITLE: "title",
}


def spell_layout(regions: Iterable[Region], width: int, height: int) -> str:
    """The layout of ``regions`` as the model would write it."""
    lines = []
    for region in regions:
        box = region.bbox.scaled(SCALE / width, SCALE / height).clamped(SCALE, SCALE).rounded()
        kind = _KINDS.get(region.category, "text")
        numbers = " ".join(map(str, box))
        lines.append(f"<|box_start|>{numbers}<|box_end|><|ref_start|>{kind}<|ref_end|><|rotate_up|>")
    return "\n".join(lines)


def read_layout(text: str, width: int, height: int) -> list[tuple[Category, BBox]]:
    """The regions that ``text`` names, in its order, in pixels of the page; those without an area are left out."""
    places = []
    for mark in _MARK.finditer(text):
        category = _CATEGORIES.get(mark[5].lower())
        box = pixel_box(mark.groups()[:4], width, height, SCALE)
        if category is not None and box.area > 0:
            places.append((category, box))
    return places


OWN = "the model's own"
"""The name of such a layout in a draft."""

SAME = 0.5
"""Two boxes are of one region if each covers at least this share of the other."""


def lay_out(context: ReadingContext, state: PageState) -> None:
    """Replaces the regions of the draft by those of the target's layout if the target's card has a prompt for it.

    If the target writes no regions, the drafted ones stay. The time counts as drafting, since the layout is part of a
    draft.
    """
    if context.card.layout_prompt is None or state.draft.layout == OWN:
        return
    start = time.perf_counter()
    answered = ask(context, [_asked(context, context.card.layout_prompt, state)])
    [answer], stats = answered.answers, answered.stats
    boxes = _read(context, answer.text, state)
    if boxes:
        regions = tuple(_with_texts(category, box, state.draft.regions) for category, box in boxes)
        state.draft = replace(state.draft, regions=regions, layout=OWN)
    timings = state.result.timings
    seconds = time.perf_counter() - start
    state.result = replace(state.result, timings=replace(timings, draft=timings.draft + seconds))
    read = f"{len(boxes)} regions" if boxes else "no regions, so that the drafted ones are read"
    steps = f" in {stats.steps} steps" if stats.steps else ""
    cut = "" if answer.finish == "stop" else ", cut short"
    state.happened("own_layout", f"{read}; {stats.tokens} tokens{steps}{cut}")


def _asked(context: ReadingContext, prompt: str, state: PageState) -> GenerationRequest:
    page, side = state.page, context.card.layout_side
    image = page.image if side is None else page.image.resize((side, side), Resampling.BICUBIC)
    drafts = []
    if state.draft.regions and isinstance(context.dialect, LayoutJsonDialect):
        drafts.append(context.dialect.layout_draft(state.draft.regions, page.width, page.height))
    elif state.draft.regions:
        drafts.append(spell_layout(state.draft.regions, page.width, page.height))
    budget = context.options.max_tokens or context.card.max_new_tokens
    plain = context.options.stages == "none"
    special_tokens = context.card.writes_special_tokens
    return GenerationRequest(image, prompt, budget, tuple(drafts), "page", special_tokens, plain=plain)


def _read(context: ReadingContext, text: str, state: PageState) -> list[tuple[Category, BBox]]:
    width, height = state.page.width, state.page.height
    if isinstance(context.dialect, LayoutJsonDialect):
        blocks = context.dialect.parse(text, width, height)
        return [(block.category, block.bbox) for block in blocks if block.bbox is not None]
    return read_layout(text, width, height)


def _with_texts(category: Category, box: BBox, drafted: Sequence[Region]) -> Region:
    """The region at ``box`` with its drafted texts: those of the drafted region at the same place, otherwise the lines
    in it."""
    lines = tuple(line for region in drafted for line in region.lines if line.bbox.overlap(box) > SAME)
    same = [one for one in drafted if one.bbox.overlap(box) > SAME and box.overlap(one.bbox) > SAME]
    if same:
        best = max(same, key=lambda one: one.bbox.overlap(box) * box.overlap(one.bbox))
        return replace(best, bbox=box, category=category, lines=lines)
    text = "\n".join(line.text for line in lines if line.text)
    return Region(box, category, (text,) if text else (), lines=lines)
