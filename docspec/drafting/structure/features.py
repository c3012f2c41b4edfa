"""What the relation network is told of a page: features of each token, and of each pair of tokens.

Lengths are in sizes of the type and squashed (:func:`_log`), so that a page's scale does not matter and far is merely
far.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from docspec.drafting.structure.tokens import LAYOUT, Floats, PageTokens

OF_LAYOUT = (slice(-6, None), slice(-2, None))
"""Which features of tokens and of pairs tell of the layout model's boxes; all 0 where no model was asked."""

REACH = 12
"""Printed rows above and below in which a token's column is looked at."""

_NUMBER = re.compile(r"[(\[<>≤≥~≈±+−–-]*[$€£¥]?\d[\d.,:/'’%‰±×x()–−-]*[A-Za-z%*†‡°]{0,3}[)\]]*")


@dataclass(frozen=True, slots=True)
class Features:
    """``tokens`` (n, features) and ``pairs`` (n, n, features), float32."""

    tokens: Floats
    pairs: Floats


def features_of(page: PageTokens) -> Features:
    """The features of the tokens of ``page``."""
    count = len(page.tokens)
    box = np.array([token.box for token in page.tokens], np.float32).reshape(count, 4)
    size = np.array([max(token.size, 1.0) for token in page.tokens], np.float32)
    base = np.array([token.baseline for token in page.tokens], np.float32)
    x0, x1 = box[:, 0], box[:, 2]
    center: Floats = ((x0 + x1) / 2).astype(np.float32)
    middle: Floats = (base - 0.3 * size).astype(np.float32)
    rows = _rows(base, size)
    usual = float(np.median(size)) if count else 1.0

    # each pair: [i, j] tells of j as seen from i
    pair_size = np.maximum(size[:, None], size[None, :])
    shared = np.minimum(x1[:, None], x1[None, :]) - np.maximum(x0[:, None], x0[None, :])
    narrower = np.maximum(np.minimum(x1 - x0, (x1 - x0)[:, None]), 1e-3)
    apart_y = (base[None, :] - base[:, None]) / pair_size
    same_row = np.abs(apart_y) < 0.45
    right = same_row & (x0[None, :] >= x1[:, None] - 0.3 * pair_size)
    gap = np.where(right, x0[None, :] - x1[:, None], np.inf)
    np.fill_diagonal(gap, np.inf)
    following = np.zeros((count, count), bool)
    next_gap = np.full(count, np.inf, np.float32)
    if count:
        nearest = gap.argmin(axis=1)
        next_gap = gap.min(axis=1)
        has = np.isfinite(next_gap)
        following[np.arange(count)[has], nearest[has]] = True
    before_gap = np.where(following, gap, np.inf).min(axis=0) if count else next_gap

    below = (apart_y > 0.45) & (shared > 0)
    drop = np.where(below, apart_y, np.inf)
    lowest = drop.min(axis=1) if count else next_gap
    under = below & (drop < lowest[:, None] + 0.3)

    level, upright = _between(page.level, middle, x0, x1, count), _between_x(page.upright, center, box, count)
    rank = np.clip((rows[None, :] - rows[:, None]), -8, 8) / 4

    line = np.array([token.line for token in page.tokens])
    bold = np.array([token.bold for token in page.tokens])
    alike = (np.abs(size[:, None] - size[None, :]) < 0.06 * pair_size) & (bold[:, None] == bold[None, :])
    kinds = _kinds(page)
    owner = _owners(page, center, middle)
    together = (owner[:, None] == owner[None, :]) & (owner >= 0)[:, None]
    classes = np.zeros((count, len(LAYOUT) + 1), np.float32)
    if len(page.layout):
        classes[:, 0] = 1
        has_owner = np.nonzero(owner >= 0)[0]
        classes[has_owner, 1 + page.layout[owner[has_owner], 4].astype(int)] = 1
    pairs = np.stack(
        [
            _log((x0[None, :] - x0[:, None]) / pair_size),
            _log((x1[None, :] - x1[:, None]) / pair_size),
            _log((center[None, :] - center[:, None]) / pair_size),
            _log(apart_y),
            np.clip(shared / narrower, -1, 1),
            _log(np.where(same_row, -shared / pair_size, 6)),
            same_row,
            following,
            following.T,
            under,
            under.T,
            line[:, None] == line[None, :],
            level,
            upright,
            alike,
            rank,
            np.abs(x0[None, :] - x0[:, None]) < 0.12 * pair_size,
            np.abs(x1[None, :] - x1[:, None]) < 0.12 * pair_size,
            np.abs(center[None, :] - center[:, None]) < 0.12 * pair_size,
            kinds[:, 0][:, None] == kinds[:, 0][None, :],
            together,
            together & (classes[:, 1] > 0)[:, None],
        ],
        axis=-1,
        dtype=np.float32,
    )

    near = np.abs(rows[None, :] - rows[:, None]) <= REACH
    alone = near & ~np.eye(count, dtype=bool)
    slack = 0.15 * size[:, None]
    counted = [(alone & (np.abs(edge[None, :] - edge[:, None]) < slack)).sum(axis=1) for edge in (x0, x1, center)]
    tokens = np.concatenate(
        [
            np.stack(
                [
                    _log(size / usual),
                    _log((x1 - x0) / size),
                    _log(np.minimum(next_gap, 999) / size),
                    _log(np.minimum(before_gap, 999) / size),
                    _log(np.minimum(lowest, 99)),
                    _log(np.minimum(drop.min(axis=0) if count else lowest, 99)),
                    *[np.log1p(number) / 2 for number in counted],
                    *_open(box, size, rows, next_gap, before_gap),
                    *_near_rules(page, box, middle, size),
                    _filled(page, center, middle),
                    np.array([np.log(token.words) for token in page.tokens]),
                    bold,
                    np.array([token.italic for token in page.tokens]),
                    np.array([token.even for token in page.tokens]),
                    x0 / max(page.width, 1),
                    x1 / max(page.width, 1),
                    base / max(page.height, 1),
                    np.log1p(same_row.sum(axis=1)) / 2,
                ],
                axis=-1,
            ),
            kinds,
            classes,
        ],
        axis=-1,
    ).astype(np.float32)
    return Features(tokens, pairs)


def _log(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """Lengths squashed: near ones keep their differences, far ones do not."""
    return np.sign(values) * np.log1p(np.abs(values))


def _rows(base: Floats, size: Floats) -> NDArray[np.int64]:
    """The number of each token's printed row, from the top: baselines that differ by less than half a size are one."""
    rows = np.zeros(len(base), np.int64)
    number, last = -1, -np.inf
    for at in np.argsort(base, kind="stable"):
        if base[at] - last > 0.45 * size[at]:
            number, last = number + 1, base[at]
        rows[at] = number
    return rows


def _between(level: Floats, middle: Floats, x0: Floats, x1: Floats, count: int) -> NDArray[np.float32]:
    """How many level rules lie between each two tokens (2 at most): under or over most of one of them."""
    result = np.zeros((count, count), np.float32)
    for start, end, y in level:
        over = (np.minimum(x1, end) - np.maximum(x0, start)) > 0.5 * (x1 - x0)
        side = middle < y
        result += (side[:, None] != side[None, :]) & (over[:, None] | over[None, :])
    return np.minimum(result, 2)


def _between_x(upright: Floats, center: Floats, box: Floats, count: int) -> NDArray[np.float32]:
    """How many upright rules lie between each two tokens (2 at most): beside one of them."""
    result = np.zeros((count, count), np.float32)
    middle = (box[:, 1] + box[:, 3]) / 2
    for start, end, x in upright:
        beside = (start <= middle) & (middle <= end)
        side = center < x
        result += (side[:, None] != side[None, :]) & (beside[:, None] | beside[None, :])
    return np.minimum(result, 2)


def _open(
    box: Floats, size: Floats, rows: NDArray[np.int64], next_gap: Floats, before_gap: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """For the gap on the right and on the left of each token: in which share of the printed rows near it, over and
    under it, that have tokens on both sides of the gap's middle nothing covers it."""
    count = len(box)
    result = [np.zeros(count, np.float32) for _ in range(4)]
    if not count:
        return tuple(result)  # type: ignore[return-value]
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(rows.max() + 2))
    lows = np.minimum.reduceat(box[order, 0], starts[:-1])
    highs = np.maximum.reduceat(box[order, 2], starts[:-1])
    for side, gaps, edge, sign in ((0, next_gap, box[:, 2], 1), (2, before_gap, box[:, 0], -1)):
        at = edge + sign * np.minimum(np.where(np.isfinite(gaps), gaps, 0), 3 * size) / 2
        covers = (box[order, 0][None, :] < at[:, None]) & (at[:, None] < box[order, 2][None, :])
        covered = np.logical_or.reduceat(covers, starts[:-1], axis=1)
        wide = (lows[None, :] < at[:, None]) & (at[:, None] < highs[None, :])
        sums = [_sums(wide), _sums(wide & covered)]
        for part, (low, high) in enumerate(
            ((np.maximum(rows - REACH, 0), rows), (rows + 1, np.minimum(rows + REACH + 1, len(lows))))
        ):
            low = np.minimum(low, len(lows))
            every, within = (
                np.take_along_axis(one, high[:, None], 1)[:, 0] - np.take_along_axis(one, low[:, None], 1)[:, 0]
                for one in sums
            )
            share = 1 - within / np.maximum(every, 1)
            result[side + part] = np.where(np.isfinite(gaps) & (every > 0), share, 0).astype(np.float32)
    return tuple(result)  # type: ignore[return-value]


def _owners(page: PageTokens, center: Floats, middle: Floats) -> NDArray[np.int64]:
    """The smallest box of the layout around each token, -1 where there is none."""
    owner, least = np.full(len(center), -1, np.int64), np.full(len(center), np.inf)
    for number, (x0, y0, x1, y1, _) in enumerate(page.layout):
        area = (x1 - x0) * (y1 - y0)
        inside = (x0 - 1 <= center) & (center <= x1 + 1) & (y0 - 1 <= middle) & (middle <= y1 + 1) & (area < least)
        owner[inside], least[inside] = number, area
    return owner


def _sums(values: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The sums of the first 0, 1, 2 ... values of each row."""
    sums = np.zeros((values.shape[0], values.shape[1] + 1), np.int64)
    values.cumsum(axis=1, out=sums[:, 1:])
    return sums


def _near_rules(page: PageTokens, box: Floats, middle: Floats, size: Floats) -> list[Floats]:
    """The distances from each token to the next rules above, below, on its left and on its right, at most 4 sizes."""
    count = len(box)
    above, under, left, right = (np.full(count, 4.0, np.float32) for _ in range(4))
    for start, end, y in page.level:
        over = (np.minimum(box[:, 2], end) - np.maximum(box[:, 0], start)) > 0.3 * (box[:, 2] - box[:, 0])
        distance = (y - middle) / size
        under = np.where(over & (distance > 0), np.minimum(under, distance), under)
        above = np.where(over & (distance < 0), np.minimum(above, -distance), above)
    for start, end, x in page.upright:
        beside = (start <= middle) & (middle <= end)
        after, before = (x - box[:, 2]) / size + 0.3, (box[:, 0] - x) / size + 0.3
        right = np.where(beside & (after > 0), np.minimum(right, after), right)
        left = np.where(beside & (before > 0), np.minimum(left, before), left)
    return [above, under, left, right]


def _filled(page: PageTokens, center: Floats, middle: Floats) -> NDArray[np.bool_]:
    """Whether a filled area lies behind each token."""
    inside = np.zeros(len(center), bool)
    for x0, y0, x1, y1 in page.fills:
        inside |= (x0 <= center) & (center <= x1) & (y0 <= middle) & (middle <= y1)
    return inside


def _kinds(page: PageTokens) -> Floats:
    """What the texts of the tokens are like, by figures between 0 and 1."""
    result = np.zeros((len(page.tokens), 14), np.float32)
    for row, token in zip(result, page.tokens, strict=True):
        text = token.text
        first, last, length = text[0], text[-1], len(text)
        row[0] = _NUMBER.fullmatch(text) is not None
        row[1] = sum(sign.isdigit() for sign in text) / length
        row[2] = sum(sign.isalpha() for sign in text) / length
        row[3] = sum(sign.isupper() for sign in text) / length
        row[4], row[5] = first.isupper(), first.islower()
        row[6], row[7], row[8] = last in ".!?", last in ",;-–", last == ":"
        row[9], row[10] = first in "([{", last in ")]}"
        row[11] = not any(sign.isalnum() for sign in text)
        row[12] = text in ("±", "+", "−", "-", "–", "/", "=", "<", ">", "×", "&", "|", "~", "*", "·")
        row[13] = min(length, 12) / 12
    return result
