"""Labels with their values: whether two pieces of a printed row are of one block is decided for all rows of the same
columns together.

What the network says of one label and its value lies near even odds, of two blocks beside each other far below. Taken
row by row, some values would go with their labels and others not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from docspec.core.geometry import runs_of
from docspec.drafting.structure.tokens import BOXES, LEVEL, Floats, PageTokens, Token, rows_of

APART = 1.0
"""Least white between two pieces of a row, in sizes of the type."""

PAIR = -1.0
"""Least log-odds, in the mean of the rows, of a label and its value."""

MARK, NARROW = -2.5, 2.5
"""The same for what is too narrow to be a block of its own, such as the marks of a question, and its greatest width in
sizes of the type."""

WIDE, TEXT = 12.0, 2.0
"""Width of both sides, in the median and in sizes of the type, from which on they are columns of text, and the least
log-odds of what goes on from one into the other: a line that is set apart, an entry of contents."""

SURE = 3.0
"""Log-odds that the pieces of a pair get, and those of blocks beside each other with the other sign, at least."""

EDGE = 0.5
"""Most difference of the left edges of one column, in sizes of the type."""

PITCH = 4.0
"""Most distance of two rows that are decided together, in sizes of the type."""

ALONE = 2
"""Least rows of each side of a white strip that have no partner, from which on the sides are columns of their own."""

TALL = 8.0
"""Least length of an upright rule that parts blocks, in sizes of the type: shorter ones stand between the cells of a
form."""

BAND = 2.5
"""Height of a band of colour that holds one row, in sizes of the type, at most."""

LABELS = 2 / 3
"""Least share of the rows of a column, at least two, whose left pieces end with a colon and whose right ones do not,
from which on they are labels with values."""

SAME = 0.08
"""Most difference of the baselines of a label and its value in a file, in sizes of the type; recognised ones, and those
that were set apart, may be as far off as words of one row (:data:`LEVEL`)."""

ANSWER = 3.0
"""Most white between two answers, or an answer and its question, in sizes of the type; columns of answers have more."""

_NUMBER = re.compile(r"\(?(?:\d{1,3} ?[a-z]?|[A-Za-z]|[ivx]{1,4})[.)]?|[•▪–●■▶-]")

_CURRENCY = re.compile(r"[€$£¥₹]|[A-Z]{3}|Kč|kr\.?|zł")
_FIGURE = r"[-+–−(]?\d[\d.,' ]*[.,]\d\d\)?"
_AMOUNT = re.compile(rf"{_CURRENCY.pattern}|(?:(?:{_CURRENCY.pattern}) ?)?{_FIGURE}(?: ?(?:{_CURRENCY.pattern}))?")

_COLON = re.compile(r"[:：](?:\s|$)")

Piece = list[int]
"""Numbers of tokens in the order of reading."""


def with_pairs(page: PageTokens, free: NDArray[np.int64], odds: Floats) -> Floats:
    """``odds`` (n, n) that each two of the ``free`` tokens of ``page`` are of one block, in which those of two pieces
    beside each other are the same for all rows of their columns."""
    tokens = [page.tokens[number] for number in free]
    odds = odds.copy()
    rows = list(_rows(tokens))
    joined = set[tuple[int, int]]()  # the gaps within one block, by the tokens beside them
    certain = set[tuple[int, int]]()  # those of one line whatever the network says
    row_of = {piece[-1]: number for number, row in enumerate(rows) for piece in row}

    def strip_of(gap: tuple[Piece, Piece]) -> list[tuple[Piece, Piece]]:
        return _beside(rows, row_of[gap[0][-1]], gap, tokens)

    ruled = [gap for row in rows for gap in pairwise(row) if _is_ruled(*gap, tokens, page)]
    for gap in ruled:
        _limit(odds, strip_of(gap), -SURE, np.minimum)
    for column in _columns(rows, tokens):
        if any(gap in ruled for gap in column):
            continue
        likely = float(np.mean([odds[left[-1], right[0]] for left, right in column]))
        width = min(np.median([_width(piece, tokens) for piece in side]) for side in zip(*column, strict=True))
        least = MARK if all(_width(right, tokens) < NARROW for _, right in column) else TEXT if width > WIDE else PAIR
        one_line = all(
            _is_numbered(*gap, tokens) or _are_answers(*gap, tokens) or _are_in_band(*gap, tokens, page)
            for gap in column
        )
        if _are_labels(column, tokens):
            one_line = True
            _limit(odds, strip_of(column[0]), 0.0, np.maximum)  # what speaks of other rows is no word against these
        one_line = one_line or _are_amounts(strip_of(column[0]), tokens)
        if likely > least or one_line:
            joined.update((left[-1], right[0]) for left, right in column)
            certain.update((left[-1], right[0]) for left, right in column if one_line)
        else:
            parted = set[int]()
            for gap in (gap for gap in column if gap[0][-1] not in parted):
                beside = strip_of(gap)
                parted |= {left[-1] for left, right in beside if left and right}
                _limit(odds, beside, -SURE, np.minimum)
    for row in rows:
        for run in runs_of(row, lambda left, right: (left[-1], right[0]) in joined):
            own = [at for piece in run for at in piece]
            if len(run) > 1 or any(tokens[at].text.startswith(BOXES) for at in own):
                odds[np.ix_(own, own)] = np.maximum(odds[np.ix_(own, own)], SURE)
    lines = [run for row in rows for run in runs_of(row, lambda left, right: (left[-1], right[0]) in certain)]
    certain |= {(left[-1], right[0]) for run in lines for left, right in combinations(run, 2)}
    for beside in _out_of_step(rows, tokens, LEVEL if page.recognised else SAME):
        if not any(left and right and (left[-1], right[0]) in certain for left, right in beside):
            _limit(odds, beside, -SURE, np.minimum)
    return odds


def _is_ruled(left: Piece, right: Piece, tokens: Sequence[Token], page: PageTokens) -> bool:
    """Whether a long upright rule stands between two pieces of a row."""
    start, end, one = tokens[left[-1]].box[2], tokens[right[0]].box[0], tokens[right[0]]
    return any(
        start <= x <= end and y0 <= one.baseline <= y1 and y1 - y0 >= TALL * one.size for y0, y1, x in page.upright
    )


def _are_in_band(left: Piece, right: Piece, tokens: Sequence[Token], page: PageTokens) -> bool:
    """Whether two pieces of a row stand on one band of colour, as high as that row."""
    x0, y0, x1, y1 = page.fills.T
    start, end, one = tokens[left[0]].box[0], tokens[right[-1]].box[2], tokens[right[0]]
    around = (x0 <= start) & (end <= x1) & (y0 <= one.baseline) & (one.baseline <= y1)
    return bool((around & (y1 - y0 < BAND * one.size)).any())


def is_label(left: str, right: str) -> bool:
    """Whether ``left`` is a label by its colon, at its end or in front of ``right``, which is none and has no other."""
    value = right.removeprefix(":").removeprefix("：")
    return (left.endswith((":", "：")) or value != right) and _COLON.search(value) is None


def _text(piece: Piece, tokens: Sequence[Token]) -> str:
    return " ".join(tokens[at].text for at in piece)


def _is_numbered(left: Piece, right: Piece, tokens: Sequence[Token]) -> bool:
    """Whether ``left`` is the number or the bullet of the text on its right: of a form's line, a section, an item."""
    return _NUMBER.fullmatch(_text(left, tokens)) is not None and sum(map(str.isalpha, _text(right, tokens))) > 1


def _are_answers(left: Piece, right: Piece, tokens: Sequence[Token]) -> bool:
    """Whether a box to tick begins one of two pieces near each other: two answers, or an answer and its question."""
    white = tokens[right[0]].box[0] - tokens[left[-1]].box[2]
    ticked = any(_text(piece, tokens).startswith(BOXES) for piece in (left, right))
    return ticked and white < ANSWER * min(tokens[left[-1]].size, tokens[right[0]].size)


def _are_labels(column: Sequence[tuple[Piece, Piece]], tokens: Sequence[Token]) -> bool:
    """Whether the left pieces of a ``column`` are labels by their colons."""
    count = sum(is_label(*(_text(piece, tokens) for piece in gap)) for gap in column)
    return len(column) > 1 and count >= LABELS * len(column)


def _are_amounts(beside: Sequence[tuple[Piece, Piece]], tokens: Sequence[Token]) -> bool:
    """Whether what stands ``beside`` each other at a white strip are sums with what they are of, or their currency: in
    most rows, two at least, an amount of money or a currency on the right, and on the left no amount."""
    pairs = [(_text(left, tokens), _text(right, tokens)) for left, right in beside if left and right]
    return (
        len(pairs) > 1
        and len(pairs) >= LABELS * len(beside)
        and all(
            _AMOUNT.fullmatch(right) and (_CURRENCY.fullmatch(left) or not _AMOUNT.fullmatch(left))
            for left, right in pairs
        )
    )


def _limit(odds: Floats, beside: Sequence[tuple[Piece, Piece]], limit: float, bound: np.ufunc) -> None:
    """Bounds the ``odds`` of everything on the left of a white strip being of one block with anything on its right."""
    left, right = ([at for piece in side for at in piece] for side in zip(*beside, strict=True))
    for a, b in ((left, right), (right, left)):
        odds[np.ix_(a, b)] = bound(odds[np.ix_(a, b)], limit)


def _out_of_step(
    rows: Sequence[Sequence[Piece]], tokens: Sequence[Token], same: float
) -> Iterator[list[tuple[Piece, Piece]]]:
    """What stands on the left and on the right of each white strip whose sides are not set in the same rows.

    Rows on one side alone are lines of a value or of a label. Where both sides have rows without a partner, and more of
    them than rows that share a baseline (to ``same`` sizes of the type), the sides know nothing of each other."""
    seen: set[tuple[int, int]] = set()
    for number, row in enumerate(rows):
        for gap in pairwise(row):
            if (gap[0][-1], gap[1][0]) in seen:
                continue
            beside = _beside(rows, number, gap, tokens)
            partners = [(tokens[left[-1]], tokens[right[0]]) for left, right in beside if left and right]
            seen.update((left[-1], right[0]) for left, right in beside if left and right)
            both = sum(abs(a.baseline - b.baseline) < same * b.size for a, b in partners)
            alone = [sum(bool(pair[side]) for pair in beside) - both for side in (0, 1)]
            if min(alone) >= ALONE and both <= max(alone):
                yield beside


def _beside(
    rows: Sequence[Sequence[Piece]], number: int, gap: tuple[Piece, Piece], tokens: Sequence[Token]
) -> list[tuple[Piece, Piece]]:
    """The pieces on the left and on the right of the white strip that goes through the ``gap`` of a row, for each row
    that it reaches; an empty piece where a side has none."""
    spans = [_span(piece, tokens) for piece in gap]
    found = [gap]
    for order in (range(number - 1, -1, -1), range(number + 1, len(rows))):
        last = [tokens[piece[0]].baseline for piece in gap]
        for at in order:
            size, level = tokens[rows[at][0][0]].size, tokens[rows[at][0][0]].baseline
            near = [abs(level - one) <= PITCH * size for one in last]
            own: list[list[Piece]] = [
                [piece for piece in rows[at] if near[side] and _shares(spans[side], _span(piece, tokens))]
                for side in (0, 1)
            ]
            wider = [_around([spans[side], *(_span(piece, tokens) for piece in own[side])]) for side in (0, 1)]
            crossed = len(own[0]) > 1 or len(own[1]) > 1 or wider[1][0] - wider[0][1] < APART * size
            if not any(near) or crossed:
                break
            if own[0] or own[1]:
                spans = wider
                last = [level if own[side] else last[side] for side in (0, 1)]
                left, right = (own[side][0] if own[side] else [] for side in (0, 1))
                found.append((left, right))
    return found


def _shares(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _around(spans: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return min(left for left, _ in spans), max(right for _, right in spans)


def _span(piece: Piece, tokens: Sequence[Token]) -> tuple[float, float]:
    return tokens[piece[0]].box[0], max(tokens[at].box[2] for at in piece)


def _width(piece: Piece, tokens: Sequence[Token]) -> float:
    """The width of ``piece`` in sizes of its type."""
    return (tokens[piece[-1]].box[2] - tokens[piece[0]].box[0]) / tokens[piece[0]].size


def _rows(tokens: Sequence[Token]) -> Iterator[list[Piece]]:
    """The pieces of each printed row of ``tokens``, from left to right."""

    def goes_on(before: int, at: int) -> bool:
        white = tokens[at].box[0] - tokens[before].box[2]
        return white < APART * max(tokens[before].size, tokens[at].size)

    for row in rows_of(tokens):
        yield runs_of(row, goes_on)


def _columns(rows: Sequence[Sequence[Piece]], tokens: Sequence[Token]) -> list[list[tuple[Piece, Piece]]]:
    """The gaps of all rows, each two pieces beside each other, in runs of rows whose pieces begin at the same edges."""
    columns: list[list[tuple[Piece, Piece]]] = []
    near: list[list[tuple[Piece, Piece]]] = []  # those that this row, or one below it, may go on
    for row in rows:
        top = min(tokens[at].baseline for piece in row for at in piece)
        lefts = [(one, tokens[one[-1][0][0]]) for one in near]
        near = [one for one, left in lefts if top - left.baseline < PITCH * left.size]
        for gap in pairwise(row):
            own = next((one for one in near if _goes_on(one[-1], gap, tokens)), None)
            if own is None:
                columns.append([gap])
                near.append(columns[-1])
            else:
                own.append(gap)
    return columns


def _goes_on(above: tuple[Piece, Piece], gap: tuple[Piece, Piece], tokens: Sequence[Token]) -> bool:
    (left, right), (lower, beside) = ([_span(piece, tokens) for piece in row] for row in (above, gap))
    size = min(tokens[piece[0]].size for row in (above, gap) for piece in row)
    starts = abs(left[0] - lower[0]) < EDGE * size
    fits = min(abs(a - b) for a, b in zip(right, beside, strict=True)) < EDGE * size
    return starts and fits and 0 < tokens[gap[0][0]].baseline - tokens[above[0][0]].baseline < PITCH * size
