"""Replacements of drafted tokens that the target makes regularly, learnt from the page while it is decoded.

A target has habits: ``S`` becomes ``$S$``, a line break becomes a space, a curly quote a straight one. When a lost
draft is found again, the drafted tokens in between and the target's tokens for them make a *rewrite*. Wherever the same
drafted token occurs again, the rewrite is proposed as a branch with its share so far as its chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation
from docspec.proposing.drafts import END, TRUSTED
from docspec.proposing.proposer import RowProposer, proposer

LONGEST = 12
"""Most tokens that a rewrite removes or inserts."""

LEAST_SHARE = 0.15
"""Rarer rewrites are not proposed."""

Rewrite = tuple[tuple[int, ...], int]
"""The written tokens, and the number of drafted tokens that they replace."""


@proposer("rewrites")
class Rewrites(RowProposer):
    """Rewrites by the first drafted token that they replace.

    ``active`` has those worth proposing: token -> (share, tokens to write, drafted tokens to skip).
    """

    replaces = False

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        context.drafts.branches.append(self)
        self.active: dict[int, list[tuple[float, tuple[int, ...], int]]] = {}
        self._seen: dict[int, dict[Rewrite, float]] = {}
        self._kept: dict[int, float] = {}

    def observe(self, written: Sequence[int]) -> None:
        tokens, output = self.context.drafts.tokens, self.context.output
        for position, at, found_position, found_at in self.context.resumed:
            self.learn(tokens[position], tuple(output[at:found_at]), found_position - position)
        position, size = self.context.copied
        piece = tokens[position : position + size]
        for token in self._seen.keys() & set(piece):
            self.keep(token, piece.count(token))

    def first(self, position: int, end: int) -> int:
        active = self.active
        if active:
            piece = self.context.drafts.tokens[position:end]
            if not active.keys().isdisjoint(piece):
                return next(position + at for at, token in enumerate(piece) if token in active)
        return end

    def at(self, position: int, least: float) -> Iterable[Continuation]:
        drafts = self.context.drafts
        end = drafts.end(position)
        return [
            Continuation(
                drafts,
                position + skipped,
                None,
                TRUSTED,
                written,
                share,
                (position, 0, position + skipped, len(written)),
            )
            for share, written, skipped in self.active.get(drafts.tokens[position], ())
            if position + skipped <= end
        ]

    def learn(self, token: int, written: tuple[int, ...], skipped: int) -> None:
        """Records that the target wrote ``written`` where the draft had ``token``, and skipped ``skipped`` drafted
        tokens."""
        if token == END or len(written) > LONGEST or not 0 <= skipped <= LONGEST or not (written or skipped):
            return
        seen = self._seen.setdefault(token, {})
        rewrite = (written, skipped)
        seen[rewrite] = seen.get(rewrite, 0.0) + 1.0
        self._weigh(token)

    def keep(self, token: int, times: int = 1) -> None:
        """Records that a drafted ``token`` that was rewritten before was written unchanged."""
        self._kept[token] = self._kept.get(token, 0.0) + times
        self._weigh(token)

    def _weigh(self, token: int) -> None:
        seen = self._seen[token]
        total = self._kept.get(token, 0.0) + sum(seen.values()) + 1.0
        shares = [(count / total, written, skipped) for (written, skipped), count in seen.items()]
        worth = [share for share in shares if share[0] >= LEAST_SHARE]
        if worth:
            self.active[token] = worth
        else:
            self.active.pop(token, None)
