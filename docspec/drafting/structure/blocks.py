"""Blocks of text beside each other: addresses, labels with their values, columns of notes.

A layout model makes one text of them, or one of the labels and one of their values. Where lines of one printed row are
of different blocks in one box, or of one block in two boxes, the lines of these boxes are grouped anew: by what the
network says of each two of their words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np

from docspec.core import BBox, Category
from docspec.drafting.layout import Claims, LayoutBox
from docspec.drafting.lines import TextLine, joined_row, printed_lines
from docspec.drafting.listings import is_listing, is_typewritten
from docspec.drafting.structure.clusters import LIMIT, clusters
from docspec.drafting.structure.pairs import is_label, with_pairs
from docspec.drafting.structure.placing import words_of_lines
from docspec.drafting.structure.tables import Structure

MOST_TOKENS = 500
"""Most tokens of the texts of a page that are grouped: the time grows with the square of their number."""

LEVEL = 0.5
"""Least share of a line's height that is level with another for the two to stand in one row."""

APART = 1.0
"""Least white between two blocks beside each other, in heights of a line: with less, a line goes on."""

STACKED = 1.5
"""Most white between two lines of labels with values that are read as one text, in heights of a line."""

EDGE = 0.5
"""Most difference of their left edges, in heights of a line."""

PAIRED = 0.5
"""Least share of the rows of a text that begin with a label, apart from its value, for it to be labels with values; or
all rows have two pieces."""


def with_blocks(
    boxes: Sequence[LayoutBox], lines: Sequence[TextLine], structure: Structure
) -> tuple[list[LayoutBox], list[TextLine]]:
    """``boxes``, in which blocks that stand beside each other have boxes of their own, and the
    ``lines`` of the page, in which a label is one line with its value."""
    claims = Claims(boxes)  # the model may take a line for several, such as a number and its text
    owners = {number: claims.owner(line.bbox) for number, line in enumerate(lines)}
    homes = {number: at for number, at in owners.items() if at is not None and _is_text(boxes[at])}
    listings = set() if is_typewritten(lines) else _listings(homes, lines)
    homes = {number: at for number, at in homes.items() if at not in listings}
    blocks = _blocks(homes, lines, structure)
    own = [number for number in homes if number in blocks]
    linked, rowed = _linked(own, lines, blocks, homes)
    rowed = {at for at in rowed if boxes[at].category is Category.TEXT}
    if not linked and not rowed:
        return list(boxes), list(lines)
    moved = {number for number in own if homes[number] in rowed or any(homes[number] in group for group in linked)}
    kept = [line for number, line in enumerate(lines) if number not in moved]
    put: dict[int, list[LayoutBox]] = {}
    for at in rowed:
        rows = printed_lines([lines[number] for number in own if homes[number] == at])
        whole = _box_of([_one_line(row) for row in rows])
        put[at] = [replace(boxes[at], members=whole.members)]
        kept += whole.lines
    for group in linked:
        inside = [number for number in own if homes[number] in group]
        parts = []
        for block in dict.fromkeys(blocks[number] for number in inside):
            rows = printed_lines([lines[number] for number in inside if blocks[number] == block])
            pairs = any(b.bbox.x0 - a.bbox.x1 > APART * a.bbox.height for row in rows for a, b in pairwise(row))
            parts.append(replace(_box_of([_one_line(row) for row in rows]), pairs=pairs))
        parts = _stacked(parts)
        kept += [line for part in parts for line in part.lines]
        parts = [replace(part, lines=()) for part in parts]
        left = [
            member
            for at in group
            for member in boxes[at].members
            if not any(lines[number].bbox.grown(1).has_center_of(member) for number in inside)
        ]
        parts += [LayoutBox(BBox.union(left), Category.TEXT, tuple(left))] if left else []  # typed rules, drawings
        put |= {at: [] for at in group} | {min(group): parts}
    ordered = [part for at, box in enumerate(boxes) for part in put.get(at, [box])]
    return ordered, kept


def _is_text(box: LayoutBox) -> bool:
    return box.table is None and box.category in (Category.TEXT, Category.TABLE)


def _listings(homes: Mapping[int, int], lines: Sequence[TextLine]) -> set[int]:
    """The boxes, by the numbers in ``homes``, that are listings, whose rows belong together whatever is between their
    words."""
    inside: dict[int, list[TextLine]] = {}
    for number, at in homes.items():
        inside.setdefault(at, []).append(lines[number])
    return {at for at, own in inside.items() if is_listing(printed_lines(own))}


def _blocks(homes: Mapping[int, int], lines: Sequence[TextLine], structure: Structure) -> dict[int, int]:
    """The block of each line of text, those with ``homes``, by the line's number: that of most of its words."""
    page, together = structure.page, structure.together
    if together is None or page.turn:
        return {}
    owners, _ = words_of_lines(page, lines)
    free = np.array([t for t, line in enumerate(owners) if line in homes], np.int64)
    if not 2 <= len(free) <= MOST_TOKENS:
        return {}
    votes: dict[int, Counter[int]] = {}
    within = {at: lines[at].bbox for at in homes if at not in owners}
    odds = with_pairs(page, free, np.clip(together[np.ix_(free, free)], -LIMIT, LIMIT))
    for block, group in enumerate(clusters(odds)):
        for token in free[group]:
            line, box = owners[token], BBox(*page.tokens[token].box)
            parts = (at for at, part in within.items() if box.has_center_of(part))  # a box to tick is of its label
            for at in (line, *parts):
                if at is not None:
                    votes.setdefault(at, Counter())[block] += page.tokens[token].words
    return _uninterrupted({line: counts.most_common(1)[0][0] for line, counts in votes.items()}, lines)


def _uninterrupted(blocks: Mapping[int, int], lines: Sequence[TextLine]) -> dict[int, int]:
    """``blocks``, of which those are one whose lines stand between each other's in one column."""
    inside: dict[int, list[BBox]] = {}
    for line, block in blocks.items():
        inside.setdefault(block, []).append(lines[line].bbox)
    around = {block: BBox.union(own) for block, own in inside.items()}
    names = {block: block for block in inside}
    for one, other in combinations(around, 2):
        a, b = around[one], around[other]
        level = min(box.height for box in (*inside[one], *inside[other]))
        if a.shared_width(b) > 0.5 * min(a.width, b.width) and a.shared_height(b) > LEVEL * level:
            names = {block: names[one] if name == names[other] else name for block, name in names.items()}
    return {line: names[block] for line, block in blocks.items()}


def _linked(
    own: Sequence[int], lines: Sequence[TextLine], blocks: Mapping[int, int], homes: Mapping[int, int]
) -> tuple[list[set[int]], set[int]]:
    """The boxes whose lines are to be grouped anew, those together that share a block; and the others in which pieces
    with white between them are of one line, and are no columns, as they are for whoever sees no more than places."""
    linked: list[set[int]] = []
    rowed, labels = Counter[int](), Counter[int]()
    for a, b in _beside([lines[number].bbox for number in own]):
        one, other = lines[own[a]], lines[own[b]]
        first, second = homes[own[a]], homes[own[b]]
        apart = other.bbox.x0 - one.bbox.x1 >= APART * min(one.bbox.height, other.bbox.height)
        same = blocks[own[a]] == blocks[own[b]]
        if first == second and apart and same:
            rowed[first] += 1
            labels[first] += is_label(one.text, other.text)
        elif apart if first == second else same:
            touched = [group for group in linked if group & {first, second}]
            linked = [group for group in linked if not group & {first, second}]
            linked.append({first, second}.union(*touched))
    left = rowed.keys() - set[int]().union(*linked)
    rows = {at: len(printed_lines([lines[number] for number in own if homes[number] == at])) for at in left}
    named = {at for at in left if labels[at] >= PAIRED * rows[at] or rowed[at] >= rows[at]}
    return [*linked, *({at} for at in named)], left - named


def _beside(boxes: Sequence[BBox]) -> Iterator[tuple[int, int]]:
    """Each of ``boxes`` with the next one on its right in its row."""
    if not boxes:
        return
    x0, y0, x1, y1 = (np.array(edge) for edge in zip(*((b.x0, b.y0, b.x1, b.y1) for b in boxes), strict=True))
    level = np.minimum(y1[:, None], y1) - np.maximum(y0[:, None], y0) > LEVEL * np.minimum((y1 - y0)[:, None], y1 - y0)
    white = np.where(level & (x1[:, None] <= x0), x0 - x1[:, None], np.inf)
    for one, other in enumerate(white.argmin(axis=1).tolist()):
        if np.isfinite(white[one, other]):
            yield one, other


def _one_line(row: Sequence[TextLine]) -> TextLine:
    """A printed row as one line."""
    if len(row) == 1:
        return row[0]
    text, marks = joined_row(row)
    even = sum(line.even for line in row)
    words = row[0].words if all(line.words == row[0].words for line in row) else None
    sure = min(line.confidence for line in row)
    box = BBox.union(line.bbox for line in row)
    return replace(row[0], bbox=box, text=text, marks=marks, even=even, words=words, confidence=sure)


def _box_of(lines: Sequence[TextLine]) -> LayoutBox:
    return LayoutBox.around(lines, Category.TEXT)


def _stacked(boxes: Sequence[LayoutBox]) -> list[LayoutBox]:
    """``boxes`` from the top, those of one line that stand right below another with one left edge as one with it."""
    joined: list[LayoutBox] = []
    for box in sorted(boxes, key=lambda box: (box.bbox.y0, box.bbox.x0)):
        above = next((at for at, one in enumerate(joined) if len(box.lines) == 1 and _goes_on(one, box)), None)
        if above is None:
            joined.append(box)
        else:
            one = joined[above]
            joined[above] = replace(_box_of([*one.lines, *box.lines]), pairs=one.pairs or box.pairs)
    return joined


def _goes_on(above: LayoutBox, box: LayoutBox) -> bool:
    heights = [line.bbox.height for line in (*above.lines, *box.lines)]
    gaps = [b.bbox.y0 - a.bbox.y1 for a, b in pairwise((*above.lines, *box.lines))]
    near = all(-0.5 * min(heights) < gap < STACKED * min(heights) for gap in gaps)
    return near and abs(above.lines[-1].bbox.x0 - box.lines[0].bbox.x0) < EDGE * min(heights)
