"""Aligns two sequences of keys: the longest common subsequence, in time that grows with their product over 64."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rapidfuzz.distance import LCSseq

MOST = 40_000_000
"""Most pairs of keys that are compared; a fuller page gets no alignment (6,000 words on either side)."""


def common(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The places of equal keys in both, ascending in both."""
    if not one or not other or len(one) * len(other) > MOST:
        return []
    return [
        (block.a + step, block.b + step)
        for block in LCSseq.editops(one, other).as_matching_blocks()
        for step in range(block.size)
    ]
