"""What parts a page, or a band of it, into sides that know nothing of each other: a panel of colour or a rule from its
top to its foot, and level rules beside each other under the titles of what stands below them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from docspec.drafting.structure.tokens import Floats, PageTokens

BLEED, PANELS = 0.05, 2
"""Most share of the page's height above and below what parts a page into two, and most of these on a page."""

LONG, APART, HIGH = 8.0, 4.0, 4.0
"""Least length of a rule under a title, most white between two of these beside each other, and least height of what
stands below them, in sizes of the type."""

TITLE, INDENT = 2.5, 1.0
"""Most distance of a title above its rule, and most indent of it, in sizes of the type."""

EDGE = 1.5
"""Most points between two rules of one height."""

Parting = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""Which tokens stand on the one and which on the other side of what parts them."""


def partings_of(page: PageTokens) -> list[Parting]:
    """What is parted on ``page``."""
    boxes = np.array([token.box for token in page.tokens], np.float32)
    return [*_beside_panels(page, boxes), *_under_rules(page, boxes)]


def _beside_panels(page: PageTokens, boxes: Floats) -> list[Parting]:
    """What stands on the left of each edge of a filled panel and of each upright rule that run from the top of the page
    to its foot and through no token; none where more of these are the columns of a table."""
    fills = np.asarray(page.fills, np.float32).reshape(-1, 4)
    found: list[NDArray[np.bool_]] = []
    for y0, y1, x in (*fills[:, [1, 3, 0]], *fills[:, [1, 3, 2]], *page.upright):
        left = boxes[:, 2] <= x + 1
        parts = left.any() and not left.all() and bool((left | (boxes[:, 0] >= x - 1)).all())
        whole = y0 <= BLEED * page.height and y1 >= (1 - BLEED) * page.height
        if whole and parts and not any((left == one).all() for one in found):
            found.append(left)
    return [(left, ~left) for left in found] if len(found) <= PANELS else []


def _under_rules(page: PageTokens, boxes: Floats) -> Iterator[Parting]:
    """What stands under two level rules of one height, a gap between them, each of which has a title above it: down to
    where a token or another rule lies in the gap. The rules under heads over several columns of a table have heads at
    their middle, or a rule of the whole table near by."""
    size = float(np.median([token.size for token in page.tokens]))
    rules = sorted((rule for rule in page.level.tolist() if rule[1] - rule[0] >= LONG * size), key=lambda one: one[2])
    for a, b in _neighbours(rules, APART * size):
        if not (_is_titled(a, page) and _is_titled(b, page)):
            continue
        middle, top = (a[1] + b[0]) / 2, max(a[2], b[2])
        ends = [y for start, end, y in page.level.tolist() if start < middle < end and y > top]
        crossing = (boxes[:, 0] < middle) & (boxes[:, 2] > middle) & (boxes[:, 1] > top - 1)
        end = min([*ends, *boxes[crossing, 1].tolist(), page.height])
        heights = boxes[:, [1, 3]].mean(axis=1)
        within = (heights > min(a[2], b[2]) - TITLE * size) & (heights < end)
        row = [rule for rule in rules if abs(rule[2] - a[2]) <= EDGE]
        left = within & (boxes[:, 2] <= middle) & (boxes[:, 2] > min(row)[0])
        right = within & (boxes[:, 0] >= middle) & (boxes[:, 0] < max(row)[1])
        below = heights > top
        if end - top >= HIGH * size and (left & below).any() and (right & below).any():
            yield left, right
            yield (left | right) & ~below, (left | right) & below  # a title is no head of a table


def _neighbours(rules: list[list[float]], most: float) -> Iterator[tuple[list[float], list[float]]]:
    """Each two ``rules`` of one height with at most so much white between them, and no other rule."""
    for at, rule in enumerate(rules):
        level = sorted(one for one in rules[max(0, at - 20) : at + 20] if abs(one[2] - rule[2]) <= EDGE)
        if level[0] is rule:
            yield from ((a, b) for a, b in pairwise(level) if 1 < b[0] - a[1] <= most)


def _is_titled(rule: list[float], page: PageTokens) -> bool:
    """Whether a token that is set off stands right above ``rule``, within its length, and begins where it does."""
    start, end, y = rule
    above = [
        token
        for token in page.tokens
        if token.box[0] < end and token.box[2] > start and 0 <= y - token.baseline < TITLE * token.size
    ]
    if not above:
        return False
    first = min(above, key=lambda token: token.box[0])
    usual = float(np.median([token.size for token in page.tokens]))
    is_set_off = all(token.bold or token.size > 1.1 * usual for token in above)
    level = max(token.baseline for token in above) - min(token.baseline for token in above) < first.size
    near = abs(first.box[0] - start) <= INDENT * first.size and max(token.box[2] for token in above) <= end + 1
    return is_set_off and level and near
