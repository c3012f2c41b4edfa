"""Which of each two boxes of a page is read first, learned, and the order that agrees best with all of it.

A small network with attention over the boxes of a page gives the log-odds that one is read before another, from where
they stand, what they are, how their texts begin and end, what is drawn between and around them, and the order in which
a layout model gave them, if one did. ``training/order`` teaches it on pages whose order is known, since they were made.
The order of all is the one whose pairs have the largest sum of log-odds: the linear ordering problem, by insertions
(Schiavinotto and Stützle, *The Linear Ordering Problem: Instances, Search Space Analysis and Algorithms*, 2004).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from docspec.core import BBox, Category
from docspec.core.geometry import runs_of
from docspec.drafting.dividers import WITHIN, kept_together, shares, sides_of
from docspec.drafting.frames import Bounds
from docspec.drafting.layout import LayoutBox

CATEGORIES = tuple(Category)

LIMIT, LEAST_GAIN = 6.0, 1e-4
"""Most log-odds that one pair adds, and least sum of them for which something is moved."""

HEADS = 4
"""Heads of attention in each layer."""

TOUCH = 0.15
"""Heights of a line by which boxes are made smaller before they are parted: those beside each other may overlap."""

MOST = 500
"""Most boxes of a page of which each two are compared: time and memory grow with their square."""

_NUMBER = re.compile(r"\W{0,2}(\d{1,3})(?:[.)\]:]|\s|$)")
_LETTER = re.compile(r"\(?([A-Za-z])[.)]\s")
_BULLET = re.compile(r"[•▪–●■▶◦‣*-]\s?")

Floats = NDArray[np.float32]


def features_of(
    boxes: Sequence[LayoutBox],
    texts: Mapping[BBox, str],
    frames: Sequence[BBox] = (),
    rules: Sequence[BBox] = (),
    given: bool = True,
    leftwards: bool = False,
) -> tuple[Floats, Floats]:
    """What is known of each of ``boxes`` (n, features) and of each two of them (n, n, features: of the second as seen
    from the first). ``texts`` has the lines of the page by their places, ``frames`` and ``rules`` what is drawn;
    ``given``: the boxes come in the order of a layout model; ``leftwards``: the page is read from right to left, and
    shown as in a mirror."""
    sides = sides_of([box.bbox for box in boxes])
    heights = [member.height for box in boxes for member in box.members if member.height > 0]
    unit = (median(heights) if heights else float(np.median(sides[:, 3] - sides[:, 1]))) or 1.0
    x0, y0, x1, y1 = sides.T / np.float32(unit)
    if leftwards:
        x0, x1 = -x1, -x0
    left, top, right, bottom = x0.min(), y0.min(), x1.max(), y1.max()
    width, height = max(right - left, 1.0), max(bottom - top, 1.0)
    own = [_of_text(box, texts, unit) for box in boxes]
    kinds = np.array([[box.category is kind for kind in CATEGORIES] for box in boxes], np.float32)
    held = _held(sides, frames)
    token = np.column_stack(
        [
            np.log1p(x1 - x0),
            np.log1p(y1 - y0),
            (x0 - left) / width,
            (x1 - left) / width,
            (y0 - top) / height,
            (y1 - top) / height,
            np.full(len(boxes), np.log(width / height)),
            np.full(len(boxes), np.log1p(height)),
            held.any(axis=1),
            np.log1p([len(box.members) for box in boxes]),
            [box.table is not None for box in boxes],
            [np.log(max(size, 0.1)) for size, _, _ in own],
            [signs for _, signs, _ in own],
            kinds,
        ]
    ).astype(np.float32)

    def apart(one: Floats, other: Floats) -> Floats:
        difference = other[None, :] - one[:, None]
        return (np.sign(difference) * np.log1p(np.abs(difference))).astype(np.float32)

    across = np.minimum(x1[:, None], x1) - np.maximum(x0[:, None], x0)
    down = np.minimum(y1[:, None], y1) - np.maximum(y0[:, None], y0)
    narrower = np.maximum(np.minimum((x1 - x0)[:, None], x1 - x0), 0.1)
    lower = np.maximum(np.minimum((y1 - y0)[:, None], y1 - y0), 0.1)
    same, one_holds = _frames_between(held)
    counts, follows = _steps([number for _, _, number in own])
    cuts = [one for first in (None, 0, 1) for one in _cuts(np.stack([x0, y0, x1, y1], axis=1).tolist(), first)]
    index = np.arange(len(boxes), dtype=np.float32)
    sizes = np.array([np.log(max(size, 0.1)) for size, _, _ in own], np.float32)
    pairs = np.stack(
        [
            apart(x0, x0),
            apart(x1, x1),
            apart(x0, x1),
            apart(x1, x0),
            apart(y0, y0),
            apart(y1, y1),
            apart(y0, y1),
            apart(y1, y0),
            apart((x0 + x1) / 2, (x0 + x1) / 2),
            np.clip(across / narrower, -1, 1),
            np.clip(down / lower, -1, 1),
            np.abs(x0[None] - x0[:, None]) < 0.3,
            np.abs(y0[None] - y0[:, None]) < 0.3,
            np.abs(y1[None] - y1[:, None]) < 0.3,
            np.clip(sizes[None] - sizes[:, None], -1, 1),
            same,
            one_holds,
            one_holds.T,
            _ruled(sides, rules, unit),
            counts,
            follows,
            *cuts,
            np.sign(index[None] - index[:, None]) * given,
            np.clip((index[None] - index[:, None]) / 5, -1, 1) * given,
            np.full((len(boxes), len(boxes)), float(given)),
        ],
        axis=-1,
    ).astype(np.float32)
    return token, pairs


def _of_text(box: LayoutBox, texts: Mapping[BBox, str], unit: float) -> tuple[float, list[float], tuple[str, int]]:
    """The size of a box's lines in units, signs of how its text begins and ends, and the number that it begins with."""
    lines = sorted(box.members, key=lambda member: (member.y0, member.x0))
    size = median(line.height for line in lines) / unit if lines else 1.0
    found = [texts[line] for line in lines if line in texts]
    if not found:
        return size, [0.0] * 8, ("", 0)
    first, last = found[0].strip() or " ", found[-1].strip() or " "
    number, letter = _NUMBER.match(first), _LETTER.match(first)
    told = ("1", int(number[1])) if number else ("a", ord(letter[1].lower())) if letter else ("", 0)
    signs = [
        1.0,
        first[0].islower(),
        first[0].isupper(),
        bool(told[0]) or _BULLET.match(first) is not None,
        last[-1] in ".!?。",
        last[-1] in ",;-\u00ad\u2010" or last[-1].islower(),
        last[-1] in ":：",
        sum(map(str.isdigit, last)) / len(last),
    ]
    return size, [float(sign) for sign in signs], told


def _steps(numbers: Sequence[tuple[str, int]]) -> tuple[Floats, Floats]:
    """For each two boxes whether the number of the second is larger (1; -1: smaller), and the same where it is the next
    one; 0 if they are not numbered alike."""
    kinds = np.array(["1a".find(kind) if kind else -1 for kind, _ in numbers])
    values = np.array([value for _, value in numbers])
    alike = (kinds[:, None] == kinds) & (kinds >= 0)
    step = values[None] - values[:, None]
    counts: Floats = (np.sign(step) * alike).astype(np.float32)
    return counts, counts * (np.abs(step) == 1)


def _cuts(sides: Sequence[Sequence[float]], first: int | None) -> tuple[Floats, Floats, Floats]:
    """How a recursive cut along white space parts each two boxes: beside each other (1; -1: the second stands on the
    left), above each other (1, -1), and at how wide a gap. Gaps between columns (``first`` 0) or rows (1) come first,
    or, with None, the widest."""
    count = len(sides)
    result = np.zeros((3, count, count), np.float32)
    parts = [list(range(count))]
    while parts:
        own = parts.pop()
        if len(own) < 2:
            continue
        gaps = [_widest_gap([(sides[at][axis] + TOUCH, sides[at][axis + 2] - TOUCH) for at in own]) for axis in (0, 1)]
        axis = int(gaps[1][0] > gaps[0][0]) if first is None else first if gaps[first][0] > 0 else 1 - first
        width, place = gaps[axis]
        if width <= 0:
            continue
        low = [at for at in own if sides[at][axis] + TOUCH < place]
        high = [at for at in own if sides[at][axis] + TOUCH >= place]
        result[axis][np.ix_(low, high)], result[axis][np.ix_(high, low)] = 1, -1
        result[2][np.ix_(low, high)] = result[2][np.ix_(high, low)] = np.log1p(width)
        parts += [low, high]
    return result[0], result[1], result[2]


def _widest_gap(spans: list[tuple[float, float]]) -> tuple[float, float]:
    """The width of the widest gap that none of ``spans`` covers, and where it ends; a span may end before it starts."""
    spans.sort()
    best, end = (0.0, 0.0), max(spans[0])
    for start, stop in spans:
        if start - end > best[0]:
            best = (start - end, start)
        end = max(end, start, stop)
    return best


def _held(sides: Floats, frames: Sequence[BBox]) -> Floats:
    """Whether most of each of the boxes (n, 4) lies in each of ``frames`` that do not hold all of them."""
    inside = shares(sides_of(frames), sides) >= WITHIN
    return inside[inside.any(axis=1) & ~inside.all(axis=1)].T.astype(np.float32)


def _frames_between(inside: Floats) -> tuple[Floats, Floats]:
    """For each two boxes how many frames hold both (2 at most), and how many the second alone (2 at most); ``inside``
    has them by boxes and frames."""
    both = inside @ inside.T
    return np.minimum(both, 2), np.minimum((1 - inside) @ inside.T, 2)


def _ruled(sides: Floats, rules: Sequence[BBox], unit: float) -> Floats:
    """How many level rules, over most of the width of both, lie between each two boxes (1 at most)."""
    result = np.zeros((len(sides), len(sides)), np.float32)
    for rule in rules:
        shared = np.minimum(sides[:, 2], rule.x1) - np.maximum(sides[:, 0], rule.x0)
        over = shared > 0.6 * (sides[:, 2] - sides[:, 0])
        above, below = sides[:, 3] < rule.center_y + 0.3 * unit, sides[:, 1] > rule.center_y - 0.3 * unit
        for a, b in ((above, below), (below, above)):
            result += (a & over)[:, None] & (b & over)[None]
    return np.minimum(result, 1)


class Precedence:
    """The network of a file."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as told:
            self._weights = {name: told[name].astype(np.float32) for name in told.files}
        self._layers = sum(name.endswith(".qkv.weight") for name in self._weights)

    def __call__(self, tokens: Floats, pairs: Floats) -> Floats:
        """The log-odds (n, n) that each box is read before each other one; of two the ones are minus the others."""
        count = len(tokens)
        hidden = self._linear("token_in.2", np.maximum(self._linear("token_in.0", tokens), 0))
        between = np.maximum(self._linear("pair_in.0", pairs), 0)
        for number in range(self._layers):
            name = f"layers.{number}"
            parts = self._linear(f"{name}.qkv", self._norm(f"{name}.before", hidden)).reshape(count, 3, HEADS, -1)
            query, key, value = parts.transpose(1, 2, 0, 3)
            scores = query * np.float32(query.shape[-1] ** -0.5) @ key.transpose(0, 2, 1)
            scores += self._linear(f"{name}.bias", between).transpose(2, 0, 1)
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            mixed = (scores / scores.sum(axis=-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(count, -1)
            hidden = hidden + self._linear(f"{name}.out", mixed)
            inner = np.maximum(self._linear(f"{name}.inner", self._norm(f"{name}.between", hidden)), 0)
            hidden = hidden + self._linear(f"{name}.outer", inner)
            met = self._linear(f"{name}.first", hidden)[:, None] + self._linear(f"{name}.second", hidden)[None]
            met = np.maximum(met + self._linear(f"{name}.mixed", between), 0)
            between = between + self._linear(f"{name}.update", met)
        last = self._linear("last", between)[..., 0]
        result: Floats = (last - last.T) / np.float32(2)
        return result

    def _linear(self, name: str, values: Floats) -> Floats:
        result: Floats = values @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _norm(self, name: str, values: Floats) -> Floats:
        centred: Floats = values - values.mean(axis=-1, keepdims=True)
        spread: Floats = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(1e-5))
        result: Floats = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


@cache
def precedence() -> Precedence:
    """The network that comes with docspec."""
    return Precedence(Path(__file__).with_name("precedence.npz"))


def order_of(
    boxes: Sequence[LayoutBox], texts: Mapping[BBox, str], bounds: Bounds, given: bool, leftwards: bool = False
) -> list[int]:
    """The order of ``boxes``, as their numbers, on a page with these ``bounds``; the other arguments are those of
    :func:`features_of`."""
    features = features_of(boxes, texts, bounds.frames, bounds.rules, given, leftwards)
    scores = np.clip(precedence()(*features), -LIMIT, LIMIT)
    for run in stacked([box.bbox for box in boxes]):
        for number, box in enumerate(run):
            scores[box, run[number + 1 :]], scores[run[number + 1 :], box] = LIMIT, -LIMIT
    sides = sides_of([box.bbox for box in boxes])
    heading = np.array([box.category.is_heading for box in boxes])
    line = np.array([len(box.members) == 1 and box.category is Category.TEXT for box in boxes])
    table = np.array([box.table is not None for box in boxes])
    groups = kept_together(sides, bounds, (heading[:, None] & ~heading) | (line[:, None] & table))
    return _ordered(list(range(len(boxes))), groups, scores)


def _ordered(boxes: list[int], groups: Sequence[Sequence[int]], scores: Floats) -> list[int]:
    """``boxes`` in the order that agrees best with ``scores``, those of each of ``groups`` next to each other."""
    own = [group for group in groups if set(group) < set(boxes)]
    largest = [group for group in own if not any(set(group) < set(other) for other in own)]
    grouped = {box for group in largest for box in group}
    units = [*([box] for box in boxes if box not in grouped), *map(list, largest)]
    sums = np.array([[scores[np.ix_(one, other)].sum() for other in units] for one in units], np.float32)
    np.fill_diagonal(sums, 0)
    order = best_order(sums, np.argsort(-sums.sum(axis=1), kind="stable").tolist())
    return [box for at in order for box in (_ordered(units[at], own, scores) if len(units[at]) > 1 else units[at])]


def stacked(boxes: Sequence[BBox]) -> list[list[int]]:
    """Runs of ``boxes`` (their numbers) from the top, each of which has none beside it: whatever their edges, they are
    read downwards."""
    room = TOUCH * median(box.height for box in boxes)
    rows: list[list[int]] = []
    end = -np.inf
    for at in sorted(range(len(boxes)), key=lambda at: boxes[at].y0):
        if boxes[at].y0 < end - room:
            rows[-1].append(at)
        else:
            rows.append([at])
        end = max(end, boxes[at].y1)
    runs = runs_of(rows, lambda above, below: len(above) == len(below) == 1)
    return [[row[0] for row in run] for run in runs if len(run) > 1]


def best_order(scores: Floats, start: Sequence[int]) -> list[int]:
    """The order of things (numbers of rows) with the largest sum of ``scores`` (n, n; antisymmetric) of each before
    those behind it, from ``start`` by moving one thing at a time while that pays."""
    order = np.array(start)
    place = np.arange(len(order))
    for _ in range(4 * len(order) + 8):
        sums = np.pad(np.cumsum(scores[np.ix_(order, order)], axis=1), ((0, 0), (1, 0)))  # of each before the first j
        forward = sums[place, place][:, None] - sums[:, :-1]  # to stand before those between j and it
        backward = sums[place, place + 1][:, None] - sums[:, 1:]  # to stand behind those between it and j
        gain = np.where(place < place[:, None], forward, np.where(place > place[:, None], backward, 0.0))
        at, to = divmod(int(gain.argmax()), len(order))
        if gain[at, to] <= LEAST_GAIN:
            break
        order = np.insert(np.delete(order, at), to, order[at])
    return [int(one) for one in order]
