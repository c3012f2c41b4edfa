"""All drafts of one row as one text, with an index of their n-grams.

A *position* is an index into its tokens: the token there is the next one to write. An ``END`` after each draft keeps a
continuation from running into the next draft. Growing drafts (text that is still being recognised) have reserved room
before all others; unwritten room is ``END``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from docspec.proposing.continuation import Continuation, agreement

END = -1
"""The end of a draft; no token has this number."""

TRUSTED = 2
"""A position reached by a branch is trusted like one after this many right tokens."""

LEAST_KEPT = 0.02
"""Least probability of a drafted token, whatever else may follow."""

BEYOND = 0.6
"""The probability that a draft that ends continues where another draft continues after the same tokens."""

ENDING = 32
"""Tokens before the end of a draft that are compared with other drafts."""

MOST = 64
"""Positions that are compared."""

_MIX = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class DraftBranches(Protocol):
    """Alternatives to drafted tokens. Where an alternative ``replaces`` them, the drafted tokens are not copied."""

    replaces: bool

    def first(self, position: int, end: int) -> int:
        """The first position from ``position`` on, before ``end``, with an alternative; ``end`` if there is none."""
        ...

    def at(self, position: int, least: float) -> Iterable[Continuation]:
        """The alternatives to the drafted token at ``position``."""
        ...


class DraftText:
    """``tokens``: the drafts in order, each followed by ``END``; ``starts``: the first position of each draft.
    ``growing`` gives the room in tokens of each growing draft; these come first. ``branches`` are alternatives to
    drafted tokens, by proposer."""

    def __init__(self, drafts: Sequence[Sequence[int]] = (), growing: Sequence[int] = ()) -> None:
        self.tokens: list[int] = [END]
        self.starts: list[int] = []
        self.branches: list[DraftBranches] = []
        self.growing = len(growing)
        self._beyond: dict[int, int] = {}
        self._grown: list[int] = []  # the end of each growing draft
        for room in growing:
            self.starts.append(len(self.tokens))
            self._grown.append(len(self.tokens))
            self.tokens.extend([END] * (room + 1))
        self._static = len(self.tokens)
        for draft in dict.fromkeys(tuple(draft) for draft in drafts if len(draft)):
            self.starts.append(len(self.tokens))
            self.tokens.extend(draft)
            self.tokens.append(END)
        self._ends: list[int] = []  # of growing drafts: where their room ends
        for head, following in pairwise([0, *self.starts, len(self.tokens)]):
            self._ends.extend([following - 1] * (following - head))
        values = np.array(self.tokens, dtype=np.int64).astype(np.uint64)
        pairs = (values[:-1] << np.uint64(32)) + values[1:]
        self._pairs = _Grams(pairs, 2)
        self._quads = _Grams(pairs[:-2] * np.uint64(_MIX) + pairs[2:], 4)

    def pause(self, position: int, most: int) -> int:
        """The position of the next branch or of the draft's end, at most ``most`` tokens after ``position``."""
        end = min(position + most, self.end(position))
        for branches in self.branches:
            end = branches.first(position, end)
        return end

    def following(self, position: int, run: int, before: Sequence[int], least: float) -> Iterable[Continuation]:
        """The branches at ``position``, and the drafted token itself."""
        token = self.tokens[position]
        if token < 0:
            beyond = self.beyond(position)
            return [Continuation(self, beyond, None, min(run, TRUSTED), (), BEYOND)] if beyond else ()
        found: list[Continuation] = []
        for branches in self.branches:
            own = list(branches.at(position, least))
            if own and branches.replaces:
                return own
            found += own
        kept = max(1.0 - sum(branch.chance for branch in found), LEAST_KEPT)
        found.append(Continuation(self, position + 1, None, run + 1, (token,), kept))
        return found

    def beyond(self, end: int) -> int:
        """The position in another draft where the draft that ends at ``end`` continues; 0 if there is none, or no draft
        ends there.

        The draft of a region ends while the page's draft goes on: the position after the longest equal tokens is taken,
        the first of several.
        """
        if self.tokens[end] != END:
            return 0
        known = self._beyond.get(end)
        if known is None:
            ending = self.tokens[max(self.starts[self.draft_of(end)], end - ENDING) : end]
            positions = [position for position in self.behind(ending)[:MOST] if self.tokens[position] >= 0]
            known = max(positions, key=lambda position: agreement(self.tokens, position, ending), default=0)
            if not positions or agreement(self.tokens, known, ending) < min(len(ending), 3):
                known = 0
            self._beyond[end] = known
        return known

    def extend(self, number: int, tokens: Sequence[int]) -> None:
        """Appends ``tokens`` to the growing draft ``number``; tokens beyond its room are dropped."""
        head, end = self.starts[number], self._grown[number]
        written = list(tokens[: self._ends[head] - end])
        self.tokens[end : end + len(written)] = written
        self._grown[number] = end + len(written)
        for position in range(max(end + 1, head + 2), end + len(written) + 1):
            self._pairs.add(pair_key(*self.tokens[position - 2 : position]), position)
            if position >= head + 4:
                self._quads.add(quad_key(self.tokens[position - 4 : position]), position)

    def draft_of(self, position: int) -> int:
        """The number of the draft that contains ``position``."""
        return bisect_right(self.starts, position) - 1

    def end(self, position: int) -> int:
        """The position of the (first) ``END`` of the draft that contains ``position``."""
        if position < self._static and self._grown:
            return self._grown[self.draft_of(position)]
        return self._ends[position]

    def behind(self, tokens: Sequence[int]) -> list[int]:
        """The positions after the last four of ``tokens`` (found by hash: compare the tokens), otherwise after the last
        two, in ascending order."""
        positions = self._quads.positions(quad_key(tokens[-4:])) if len(tokens) >= 4 else []
        if not positions and len(tokens) >= 2:
            positions = self.behind_pair(tokens[-2], tokens[-1])
        return positions

    def behind_pair(self, first: int, second: int) -> list[int]:
        """The positions after two tokens, in ascending order."""
        return self._pairs.positions(pair_key(first, second))


def pair_key(first: int, second: int) -> int:
    """A unique number for two tokens."""
    return ((first << 32) + second) & _MASK


def quad_key(tokens: Sequence[int]) -> int:
    """A hash of four tokens."""
    return (pair_key(tokens[0], tokens[1]) * _MIX + pair_key(tokens[2], tokens[3])) & _MASK


class _Grams:
    """The sorted keys of all n-grams and the position after each."""

    def __init__(self, keys: np.ndarray, n: int) -> None:
        order = np.argsort(keys, kind="stable")
        self._keys: list[int] = keys[order].tolist()
        self._positions: list[int] = (order + n).tolist()
        self._added: dict[int, list[int]] = {}

    def add(self, key: int, position: int) -> None:
        insort(self._added.setdefault(key, []), position)

    def positions(self, key: int) -> list[int]:
        low = bisect_left(self._keys, key)
        found = self._positions[low : bisect_right(self._keys, key, low)]
        added = self._added.get(key)
        return added + found if added else found  # growing drafts come first
