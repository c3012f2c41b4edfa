"""Finds lines that end where they are meant to: those of an address, a receipt, pairs of labels and values, a poem.

A line of running text ends because the next word had no room. Where it had room, and the next line begins as a line of
its own does, the end is deliberate; a region of such lines is no paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from docspec.core import BBox
from docspec.drafting.lines import PrintedRow, joined_row, runs_leftwards

FEWEST, LEAST = 2, 0.6
"""Least number and share of the ends of a region's lines that are deliberate."""
ROOM = 0.6
"""White that has to be left beside the next word, in heights of a line."""

_CONTINUES = re.compile(r"[a-zß-öø-ÿ,;:.!?)\]»”’%&+=/-]")
"""How a line begins that goes on from the one above."""
_BROKEN = re.compile(
    r"[,\-–—(\[&/]$|\b(?:and|or|of|the|a|to|in|for|from|by|with|on|at|is|are|was|were|that|as|und|der|die|das|von|et|de|la|le)$",
    re.IGNORECASE,
)
"""How a line ends that goes on in the one below."""


def set_lines(rows: Sequence[PrintedRow], reach: float = 0.0) -> list[list[PrintedRow]]:
    """``rows`` of a region in groups: of lines that end deliberately each is its own; otherwise all are one. Lines
    could go on to ``reach``, as others of their column do, or as far as the longest of them."""
    if len(rows) < 2 or runs_leftwards(run for row in rows for run in row):
        return [list(rows)]
    right = max(reach, *(_box(row).x1 for row in rows))
    ends = [_is_deliberate(above, below, right) for above, below in pairwise(rows)]
    longest = [_box(row).x1 > right - ROOM * _box(row).height for row in rows[:-1]]
    told = [end for end, is_longest in zip(ends, longest, strict=True) if not is_longest]
    if sum(told) < max(FEWEST, LEAST * len(told), 0.5 * len(ends)):
        return [list(rows)]
    groups = [[rows[0]]]
    for row, above, end, is_longest in zip(rows[1:], rows, ends, longest, strict=False):
        if end or (is_longest and not _goes_on(above, row)):
            groups.append([row])
        else:
            groups[-1].append(row)
    return groups


def reach_of(box: BBox, texts: Sequence[BBox], others: Sequence[BBox]) -> float:
    """How far lines that begin at the left edge of ``box`` could go, by ``texts`` that begin there, too; 0 if one of
    the ``others`` stands beside it."""
    if any(one.y0 < box.y1 and box.y0 < one.y1 and one.x1 > box.x1 for one in others if one != box):
        return 0.0
    edge = 0.02 * max((one.x1 for one in texts), default=0.0)
    return max((one.x1 for one in texts if abs(one.x0 - box.x0) < edge), default=0.0)


def _is_deliberate(above: PrintedRow, below: PrintedRow, right: float) -> bool:
    """Whether ``above`` ends before its time, and ``below`` does not go on from it."""
    box, next_box = _box(above), _box(below)
    text = joined_row(below)[0]
    word = next_box.width * len(text.split()[0]) / max(1, len(text))
    return box.x1 + word + ROOM * box.height < right and not _goes_on(above, below)


def _goes_on(above: PrintedRow, below: PrintedRow) -> bool:
    return bool(_CONTINUES.match(joined_row(below)[0]) or _BROKEN.search(joined_row(above)[0]))


def _box(row: PrintedRow) -> BBox:
    return BBox.union(run.bbox for run in row)
