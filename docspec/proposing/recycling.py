"""Token recycling (Luo et al. 2024): the target's second choices at earlier nodes are candidates at later ones.

Every verified node comes with the tokens that the target held likeliest after it, whether the node was accepted or
not. A small table keeps them for the token there, and for it with the one before; a tree that has no better
candidates goes on with them. How likely each rank is follows from how often it was right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation
from docspec.proposing.drafts import END
from docspec.proposing.source import Source, source
from docspec.targets.protocol import NOTHING, Wanted

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel

PRIORS = ((0.45, 0.15, 0.06, 0.04), (0.25, 0.1, 0.06, 0.04))
"""Chances of the ranks before anything was seen, where the token before is the same too, and where it is not."""

RANKS = 3
"""Likeliest tokens that are asked for after each node."""

WEIGHT = 8.0
"""How many observations the prior is worth."""


@source("recycling")
class Recycling(Source):
    """What the target held likely after each token of one row: a text in which every token is a continuation."""

    tokens: Sequence[int] = ()

    @classmethod
    def wants(cls, target: TargetModel | None) -> Wanted:
        """On a CPU the likeliest tokens cost next to nothing beside a step; inside a captured step a search through a
        vocabulary of 150,000 does."""
        on_cpu = target is not None and target.kv_spec.device.type == "cpu"
        return Wanted(ranks=RANKS) if on_cpu else NOTHING

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._known: dict[int | tuple[int, int], Sequence[int]] = {}
        self._hits = [[prior * WEIGHT for prior in row] for row in PRIORS]
        self._tries = [WEIGHT, WEIGHT]
        self._chances = [list(row) for row in PRIORS]

    def observe(self, written: Sequence[int]) -> None:
        if self.context.verified is None:
            return
        tree, outcome = self.context.verified
        if not outcome.top:
            return
        tokens, node = tree.tokens, 0
        output = self.context.output
        before = first = output[-len(written) - 2] if len(output) > len(written) + 1 else END
        for child in outcome.path:
            self.count(before, tokens[node], tokens[child])
            before, node = tokens[node], child
        self.count(before, tokens[node], outcome.token)
        self.learn(tokens, tree.parents, first, outcome.top)

    def suggest(self) -> Iterable[Continuation]:
        output = self.context.output
        return self.following(0, 0, output[-2:], 0.0) if len(output) > 1 else ()

    def end(self, place: int) -> int:
        return place

    def pause(self, place: int, most: int) -> int:
        return place

    def following(self, place: int, run: int, before: Sequence[int], least: float) -> Iterable[Continuation]:
        found = zip(*self.after(*before), strict=False)
        return [Continuation(self, 0, None, 0, (token,), share) for token, share in found if share > least]

    def after(self, before: int, token: int) -> tuple[Sequence[int], Sequence[float]]:
        """Likely successors of ``token`` behind ``before``, and their chances."""
        best = self._known.get((before, token))
        if best is not None:
            return best, self._chances[0]
        return self._known.get(token, ()), self._chances[1]

    def learn(
        self, tokens: Sequence[int], parents: Sequence[int], before: int, top: Sequence[Sequence[int]]
    ) -> None:
        """Takes in the likeliest tokens ``top`` (best first) after each node of a tree; ``before`` is the token
        before its root."""
        known = self._known
        for token, parent, best in zip(tokens, parents, top, strict=False):
            known[token] = best
            known[tokens[parent] if parent >= 0 else before, token] = best

    def count(self, before: int, token: int, written: int) -> None:
        """After ``before`` and ``token`` came ``written``: call it before learning from there."""
        best = self._known.get((before, token))
        kind = 0 if best is not None else 1
        if best is None and (best := self._known.get(token)) is None:
            return
        hits = self._hits[kind]
        self._tries[kind] += 1.0
        for rank, token_there in enumerate(best[: len(hits)]):
            if token_there == written:
                hits[rank] += 1.0
        self._chances[kind] = [hit / self._tries[kind] for hit in hits]
