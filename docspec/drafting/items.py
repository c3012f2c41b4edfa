"""Items of lists that a layout model cut or invented: the second line of a numbered clause is no item of its own, the
numbered lines of a contract are no list, and "+ 120 units" and "- 3 degrees" have the signs of numbers, and no bullets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from docspec.core import BBox, Category, Region
from docspec.core.draft import stacked
from docspec.core.geometry import runs_of
from docspec.core.running_text import goes_on

LEAST_LINES = 3
"""Items that are numbered lines."""
NEAR = 1.0
"""Most white between lines of one item, in heights of a line."""

_MARKER = re.compile(r"\s*(?:[•●◦▪■‣⁃∙·○□❑❖➢➤►▶◆◇☐☑☒✓✔✗✘❏]|[-*+–—](?=\s)|\(?(?:\d{1,3}|[A-Za-z]|[ivxl]{2,5})[.)]|\[)")
_NUMBERED = re.compile(r"(\d{1,4})\s+\S")


def with_whole_items(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which an item without a marker that goes on from the one above is the rest of it, and lines that
    are all numbered evenly, without a point, are text whose lines are not to be joined."""
    result: list[Region] = []
    for run in runs_of(regions, lambda before, region: _is_item(before) and _is_item(region)):
        numbered = _counts(run)
        for item in [run] if numbered else runs_of(run, _goes_on):
            result += [_merged(item, numbered)] if numbered or _has_marker(item) else item
    return result


def _is_item(region: Region) -> bool:
    return region.category is Category.LIST_ITEM and bool(region.lines) and not any(line.turns for line in region.lines)


def _goes_on(above: Region, region: Region) -> bool:
    """Whether ``region`` is the rest of the item ``above``, which may itself be the rest of one."""
    last, first = above.lines[-1:], region.lines[:1]
    if not (last and first and _is_item(above) and _is_item(region)) or _MARKER.match(first[0].text):
        return False
    white = first[0].bbox.y0 - last[0].bbox.y1
    beside = region.bbox.shared_width(above.bbox) > 0.5 * min(region.bbox.width, above.bbox.width)
    return beside and -0.5 < white / last[0].bbox.height < NEAR and goes_on(last[0].text, first[0].text)


def _has_marker(item: Sequence[Region]) -> bool:
    return len(item) > 1 and _MARKER.match(item[0].lines[0].text) is not None


def _merged(run: Sequence[Region], numbered: bool) -> Region:
    return replace(stacked(run), category=Category.TEXT, broken=True) if numbered else stacked(run)


def _counts(run: Sequence[Region]) -> bool:
    """Whether all lines of a ``run`` of items begin with numbers that grow by the same amount."""
    if len(run) < LEAST_LINES or not all(map(_is_item, run)):
        return False
    matches = [_NUMBERED.match(line.text) for region in run for line in region.lines]
    numbers = [int(match[1]) for match in matches if match is not None]
    steps = {below - number for number, below in pairwise(numbers)}
    return len(matches) == len(numbers) and len(steps) == 1 and min(steps) > 0


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
