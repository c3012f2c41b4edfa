"""The tree that a head drafts, as a text with forks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docspec.proposing.continuation import Continuation, Forks, Key

DRAFTED = Key("head", 0.8)
"""Its likeliest tokens. The head itself says how likely each is; the hit rate learns how far that is to be believed."""


class HeadTreeText(Forks):
    """The head's tree as a text: every token is a continuation of its own. Node 0 stands for what is written."""

    def __init__(self) -> None:
        self._after: list[list[tuple[int, float, int]]] = [[]]

    def add(self, node: int, token: int, chance: float) -> int:
        """A new node below ``node``: ``chance`` is that of its token, where ``node`` is reached."""
        self._after.append([])
        self._after[node].append((token, chance, len(self._after) - 1))
        return len(self._after) - 1

    def following(self, position: int, run: int, before: Sequence[int], least: float) -> Iterable[Continuation]:
        key = None if position else DRAFTED
        return [
            Continuation(self, child, key, 0, (token,), chance)
            for token, chance, child in self._after[position]
            if chance > least
        ]
