"""All drafts of one row in a single token list, with the places of their n-grams.

A *place* is an index into that list: the token there is the one that would be written next. An ``END`` after each
draft stops whatever follows a place, so that nothing runs from one draft into another by accident. Drafts that grow
(what other rows of the batch are writing) have room reserved before all others; unwritten room is ``END``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

END = -1
"""Stands behind each draft; no token has this number."""

LONGEST_ENDING = 16
"""Tokens at the end of a draft that are compared with other drafts."""

_MIX = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class DraftIndex:
    """``tokens``: the drafts one after the other, each with its ``END``; ``heads``: the place where each begins.

    ``growing`` says how many tokens each draft that grows may come to hold; those are the first drafts.
    """

    def __init__(self, drafts: Sequence[Sequence[int]], growing: Sequence[int] = ()) -> None:
        self.tokens: list[int] = [END]
        self.heads: list[int] = []
        self._grown: list[int] = []  # the end of each growing draft
        for room in growing:
            self.heads.append(len(self.tokens))
            self._grown.append(len(self.tokens))
            self.tokens.extend([END] * (room + 1))
        self._static = len(self.tokens)
        for draft in dict.fromkeys(tuple(draft) for draft in drafts if len(draft)):
            self.heads.append(len(self.tokens))
            self.tokens.extend(draft)
            self.tokens.append(END)
        self._ends: list[int] = []
        for head, following in pairwise([0, *self.heads, len(self.tokens)]):
            self._ends.extend(
                [following - 1] * (following - head)
            )  # of growing drafts: where their room ends
        self._beyond: dict[int, int] = {}
        values = np.array(self.tokens, dtype=np.int64).astype(np.uint64)
        pairs = (values[:-1] << np.uint64(32)) + values[1:]
        self._pairs = _Grams(pairs, 2)
        self._quads = _Grams(pairs[:-2] * np.uint64(_MIX) + pairs[2:], 4)

    def extend(self, number: int, tokens: Sequence[int]) -> None:
        """The growing draft ``number`` goes on with ``tokens``; what its room does not hold is dropped."""
        head, end = self.heads[number], self._grown[number]
        written = list(tokens[: self._ends[head] - end])
        self.tokens[end : end + len(written)] = written
        self._grown[number] = end + len(written)
        for place in range(max(end + 1, head + 2), end + len(written) + 1):
            self._pairs.add(pair_key(*self.tokens[place - 2 : place]), place)
            if place >= head + 4:
                self._quads.add(quad_key(self.tokens[place - 4 : place]), place)
        self._beyond.clear()

    def draft_of(self, place: int) -> int:
        """The number of the draft that ``place`` lies in."""
        return bisect_right(self.heads, place) - 1

    def end_of(self, place: int) -> int:
        """The place of the (first) ``END`` of the draft that ``place`` lies in."""
        if place < self._static and self._grown:
            return self._grown[self.draft_of(place)]
        return self._ends[place]

    def beyond(self, end: int) -> int:
        """Where what ends at ``end`` (the place of an ``END``) goes on in another draft; 0 where it does not.

        A region ends, the page goes on: the draft is chosen whose tokens agree longest before the place, the first
        such one (drafts of the whole page come before drafts of regions).
        """
        known = self._beyond.get(end)
        if known is None:
            head = self.heads[self.draft_of(end)]
            ending = self.tokens[max(head, end - LONGEST_ENDING) : end]
            places = self.after_quad(ending) if len(ending) >= 4 else []
            if not places and len(ending) >= 2:
                places = self.after_pair(ending)
            best = 0
            for place in places[:64]:
                if place != end and self.tokens[place] >= 0:
                    matched = self.matched(place, ending)
                    if matched > best:
                        best, known = matched, place
            known = known if known is not None and best >= min(len(ending), 3) else 0
            self._beyond[end] = known
        return known

    def after_pair(self, tokens: Sequence[int]) -> list[int]:
        """The places behind the last two of ``tokens``, in ascending order."""
        return self._pairs.places(pair_key(tokens[-2], tokens[-1]))

    def after_quad(self, tokens: Sequence[int]) -> list[int]:
        """The places behind the last four of ``tokens`` (by hash: compare before relying on it)."""
        return self._quads.places(quad_key(tokens[-4:]))

    def matched(self, place: int, output: Sequence[int], most: int = 32) -> int:
        """How many of the tokens right before ``place`` are also the last ones of ``output``."""
        tokens, size = self.tokens, 0
        most = min(most, len(output), place)
        while size < most and tokens[place - 1 - size] == output[-1 - size]:
            size += 1
        return size


def pair_key(first: int, second: int) -> int:
    """One number for two tokens."""
    return ((first << 32) + second) & _MASK


def quad_key(tokens: Sequence[int]) -> int:
    """One number for four tokens; a hash."""
    return (pair_key(tokens[0], tokens[1]) * _MIX + pair_key(tokens[2], tokens[3])) & _MASK


class _Grams:
    """Sorted keys of all n-grams, and the place behind each."""

    def __init__(self, keys: np.ndarray, n: int) -> None:
        order = np.argsort(keys, kind="stable")
        self._keys: list[int] = keys[order].tolist()
        self._places: list[int] = (order + n).tolist()
        self._added: dict[int, list[int]] = {}

    def add(self, key: int, place: int) -> None:
        insort(self._added.setdefault(key, []), place)

    def places(self, key: int) -> list[int]:
        low = bisect_left(self._keys, key)
        found = self._places[low : bisect_right(self._keys, key, low)]
        added = self._added.get(key)
        return added + found if added else found  # growing drafts come first
