"""Token recycling (Luo et al. 2024): the target's likeliest tokens at earlier nodes are candidates at later ones.

Every verified node comes with the target's likeliest tokens after it, whether the node was accepted or not. A small
table stores them by the node's token, and by this token and the one before it. A tree without better candidates
continues with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Forks, Key
from docspec.proposing.drafts import END
from docspec.proposing.proposer import RowProposer, proposer
from docspec.targets.protocol import CHOICES_ONLY, OutputFlags

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel

AFTER_BOTH = (Key("choice 1", 0.45), Key("choice 2", 0.15), Key("choice 3", 0.06))
"""The target's likeliest tokens, by rank, where the token and the one before it are the same."""

AFTER_ONE = (Key("choice 1 after one", 0.25), Key("choice 2 after one", 0.1), Key("choice 3 after one", 0.06))
"""The same where only the token itself is."""


@proposer("recycling")
class Recycling(RowProposer, Forks):
    """The target's likeliest tokens after each token of one row: a text in which every token is a continuation."""

    @classmethod
    def wants(cls, target: TargetModel | None) -> OutputFlags:
        """The likeliest tokens, on a CPU only: there they cost next to nothing, while a search through a vocabulary of
        150,000 inside a captured step does not."""
        on_cpu = target is not None and target.kv_spec.device.type == "cpu"
        return OutputFlags(ranks=len(AFTER_BOTH)) if on_cpu else CHOICES_ONLY

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._known: dict[int | tuple[int, int], Sequence[int]] = {}

    def observe(self, written: Sequence[int]) -> None:
        if self.context.verified is None:
            return
        tree, outcome = self.context.verified
        output = self.context.output
        before = output[-len(written) - 2] if len(output) > len(written) + 1 else END
        self.learn(tree.tokens, tree.parents, before, outcome.top)

    def suggest(self) -> Iterable[Continuation]:
        output = self.context.output
        return self.following(0, 0, output[-2:], 0.0) if len(output) > 1 else ()

    def following(self, position: int, run: int, before: Sequence[int], least: float) -> Iterable[Continuation]:
        ranked = zip(*self.after(*before), strict=False)
        return [Continuation(self, 0, key, 0, (token,)) for token, key in ranked]

    def after(self, before: int, token: int) -> tuple[Sequence[int], Sequence[Key]]:
        """Likely successors of ``token`` behind ``before``, and their kinds."""
        best = self._known.get((before, token))
        return (best, AFTER_BOTH) if best is not None else (self._known.get(token, ()), AFTER_ONE)

    def learn(self, tokens: Sequence[int], parents: Sequence[int], before: int, top: Sequence[Sequence[int]]) -> None:
        """Stores the likeliest tokens ``top`` (best first) after each node of a tree; ``before`` is the token before
        its root."""
        known = self._known
        for token, parent, best in zip(tokens, parents, top, strict=False):
            known[token] = best
            known[tokens[parent] if parent >= 0 else before, token] = best
