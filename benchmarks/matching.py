"""Which blocks of an output stand for which blocks of the truth, in whatever order and however they were cut.

After OmniDocBench's quick match (arXiv 2412.07626, section 4): pairs by the least sum of normalised edit distances,
bad pairs dropped; then blocks that are left over join the pair whose text they complete, so that a paragraph that
was split, or two that were merged, still count as read. The code and the details of joining are our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from benchmarks.extras import require

WORST_PAIR = 0.7
"""Largest normalised edit distance of a pair."""

WORST_PART = 0.4
"""Largest normalised distance of a block from the best place in a longer one that is taken to hold it."""


@dataclass(frozen=True, slots=True)
class Match:
    """Indices of truth and output blocks that stand for each other, ascending; one side may be empty."""

    truth: tuple[int, ...]
    output: tuple[int, ...]


def match_blocks(truth: Sequence[str], output: Sequence[str]) -> list[Match]:
    """Every block of both sides in exactly one match, by the order of the truth, unmatched output last.

    ``truth`` and ``output`` are normalised texts without empty ones. Raises
    :class:`docspec.core.UsageError` without the package scipy.
    """
    matches = _pairs(truth, output)
    for index in _left(len(truth), [match.truth for match in matches], truth):
        matches = _joined(matches, Match((index,), ()), truth, output)
    for index in _left(len(output), [match.output for match in matches], output):
        matches = _joined(matches, Match((), (index,)), truth, output)
    return sorted(matches, key=lambda match: (not match.truth, match.truth, match.output))


def edits(match: Match, truth: Sequence[str], output: Sequence[str]) -> tuple[int, int]:
    """Levenshtein distance of the match's joined texts, and the longer of their lengths."""
    one = "".join(truth[index] for index in match.truth)
    other = "".join(output[index] for index in match.output)
    return Levenshtein.distance(one, other), max(len(one), len(other))


def assign(cost: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs (row, column) of least total cost, as many as the shorter side has."""
    if not cost or not cost[0]:
        return []
    rows, columns = require("scipy.optimize", "matching blocks").linear_sum_assignment(cost)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _pairs(truth: Sequence[str], output: Sequence[str]) -> list[Match]:
    cost = [[Levenshtein.normalized_distance(one, other) for other in output] for one in truth]
    return [
        Match((row,), (column,))
        for row, column in assign(cost)
        if cost[row][column] <= WORST_PAIR or _holds(truth[row], output[column])
    ]


def _holds(one: str, other: str) -> bool:
    """Whether the shorter text stands somewhere in the longer one."""
    return bool(fuzz.partial_ratio(one, other) >= 100 * (1 - WORST_PART))


def _left(count: int, used: Sequence[tuple[int, ...]], texts: Sequence[str]) -> list[int]:
    """Indices that are in no match, the longest text first."""
    taken = {index for indices in used for index in indices}
    return sorted(set(range(count)) - taken, key=lambda index: (-len(texts[index]), index))


def _joined(matches: list[Match], left: Match, truth: Sequence[str], output: Sequence[str]) -> list[Match]:
    """``matches`` with ``left`` joined where that saves most edits, or with ``left`` alone."""
    gain, place = 0, -1
    for index, match in enumerate(matches):
        before, _ = edits(match, truth, output)
        after, _ = edits(_union(match, left), truth, output)
        if before - after > gain:
            gain, place = before - after, index
    if place < 0:
        return [*matches, left]
    return [_union(match, left) if index == place else match for index, match in enumerate(matches)]


def _union(match: Match, other: Match) -> Match:
    return replace(
        match, truth=tuple(sorted((*match.truth, *other.truth))), output=tuple(sorted((*match.output, *other.output)))
    )
