"""What the target writes instead of what is drafted, learnt from the page as it goes.

A target has habits: ``S`` becomes ``$S$``, a line break becomes a space, a curly quote a straight one. When a lost
draft is found again, what the draft had in between and what the target wrote make a *rewrite*. It is proposed as
a branch wherever the same drafted token comes up again, as often as it has turned out true.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation
from docspec.proposing.drafts import END, TRUSTED
from docspec.proposing.source import Source, source

LONGEST = 12
"""Tokens that a rewrite may take away or put in."""

LEAST_SHARE = 0.15
"""Rewrites that are rarer than this are not proposed."""

Rewrite = tuple[tuple[int, ...], int]
"""The tokens written, and how many drafted tokens they replace."""


@source("rewrites")
class Rewrites(Source):
    """Rewrites by the first drafted token that they replace.

    ``active`` holds those worth proposing: token -> (share, tokens to write, drafted tokens to pass over).
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
        for place, at, found_place, found_at in self.context.resumed:
            self.learn(tokens[place], tuple(output[at:found_at]), found_place - place)
        place, size = self.context.copied
        piece = tokens[place : place + size]
        for token in self._seen.keys() & set(piece):
            self.keep(token, piece.count(token))

    def first(self, place: int, end: int) -> int:
        """See :class:`docspec.proposing.drafts.Branches`."""
        active = self.active
        if active:
            piece = self.context.drafts.tokens[place:end]
            if not active.keys().isdisjoint(piece):
                return next(place + at for at, token in enumerate(piece) if token in active)
        return end

    def at(self, place: int, least: float) -> Iterable[Continuation]:
        """See :class:`docspec.proposing.drafts.Branches`."""
        drafts = self.context.drafts
        end = drafts.end(place)
        return [
            Continuation(
                drafts,
                place + skipped,
                None,
                TRUSTED,
                written,
                share,
                (place, 0, place + skipped, len(written)),
            )
            for share, written, skipped in self.active.get(drafts.tokens[place], ())
            if place + skipped <= end
        ]

    def learn(self, token: int, written: tuple[int, ...], skipped: int) -> None:
        """Where the draft had ``token``, the target wrote ``written`` and passed over ``skipped`` drafted tokens."""
        if token == END or len(written) > LONGEST or not 0 <= skipped <= LONGEST or not (written or skipped):
            return
        seen = self._seen.setdefault(token, {})
        rewrite = (written, skipped)
        seen[rewrite] = seen.get(rewrite, 0.0) + 1.0
        self._weigh(token)

    def keep(self, token: int, times: int = 1) -> None:
        """A drafted ``token`` that has been rewritten before was written as it stands."""
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
