"""Signs of numbers that a layout model took for bullets: "+ 120 units" and "- 3 degrees" are no items of a list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from docspec.core import BBox, Category, Region
from docspec.core.geometry import runs_of

_MARKED = re.compile(r"([-+−–±])\s+(?=\S)")
_SIGNED = re.compile(r"[-+−–±]\s+(?:[$€£¥]\s?)?[.,]?\d")


def with_signs(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which items of a list that all begin with a sign and a number are text, each for itself. Where a
    neighbour has words behind the same sign, that is a bullet."""
    result: list[Region] = []
    for is_list, run in groupby(regions, lambda region: region.category is Category.LIST_ITEM):
        own = list(run)
        starts = [line.text for region in own for line in region.lines if _MARKED.match(line.text)] if is_list else []
        bullets = {text[0] for text in starts if _SIGNED.match(text) is None}
        for region in own:
            result += _apart(region) if starts and _is_signed(region, bullets) else [region]
    return result


def _is_signed(region: Region, bullets: set[str]) -> bool:
    starts = [line.text for line in region.lines if _MARKED.match(line.text)]
    return bool(starts) and starts[0] == region.lines[0].text and not any(text[0] in bullets for text in starts)


def _apart(region: Region) -> list[Region]:
    """The items of ``region``, a list, as text."""
    items = runs_of(region.lines, lambda _, line: _MARKED.match(line.text) is None)
    if len(items) == 1:
        return [replace(region, category=Category.TEXT)]
    return [
        replace(
            region,
            category=Category.TEXT,
            bbox=BBox.union(line.bbox for line in item),
            texts=("\n".join(line.text for line in item),),
            lines=tuple(item),
        )
        for item in items
    ]
