"""What would be written of a page, so that two ways of reading it can be compared by their files."""

from __future__ import annotations

import json
from dataclasses import replace

from docspec.core import PageResult
from docspec.reporting.formats import renderer_for
from docspec.reporting.renderer import Format, Layout

COMPARED: tuple[Format, ...] = ("md", "json", "html")
"""The others are made of what is in the JSON."""


def files_of(result: PageResult) -> dict[str, str]:
    """What would be written of the page, by format. Boxes that drafts gave are left out of the JSON: ``generate`` has
    none of them, nor of what was cut and how far a page can be believed."""
    result = replace(result, cut=None, quality=None)
    written: dict[str, str] = {}
    for name in COMPARED:
        renderer = renderer_for(name, Layout())
        text = renderer.page(result, {}) + renderer.end()
        written[name] = _without_draft_boxes(text) if name == "json" else text
    return written


def _without_draft_boxes(text: str) -> str:
    """One page's line of the JSON file, the boxes and their origin left out where the model did not write them."""
    page = json.loads(text.strip().removesuffix("]}"))
    for block in page["blocks"]:
        if block["bbox_from"] != "model":
            del block["bbox"], block["bbox_from"]
    return json.dumps(page)
