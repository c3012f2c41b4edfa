"""What the target writes instead of what is drafted, learnt from the page as it goes.

A target has habits: ``S`` becomes ``$S$``, a line break becomes a space, a curly quote a straight one. When a lost
draft is found again, what the draft had in between and what the target wrote make a *rewrite*. It is proposed as
a branch wherever the same drafted token comes up again, as often as it has turned out true.
"""

from __future__ import annotations

from collections.abc import Sequence

LONGEST = 12
"""Tokens that a rewrite may take away or put in."""

PER_TOKEN = 4
"""Rewrites kept for one drafted token."""


class Rewrites:
    """Rewrites by their first drafted token. ``known``: the tokens that have any, with how often they were kept."""

    def __init__(self) -> None:
        self.known: dict[int, float] = {}
        self._rules: dict[int, dict[tuple[tuple[int, ...], int], float]] = {}

    def learn(self, token: int, written: tuple[int, ...], skipped: int) -> None:
        """Where the draft had ``token``, the target wrote ``written`` and passed over ``skipped`` drafted tokens."""
        if token < 0 or len(written) > LONGEST or skipped > LONGEST or not (written or skipped):
            return
        rules = self._rules.setdefault(token, {})
        self.known.setdefault(token, 0.0)
        rule = (written, skipped)
        rules[rule] = rules.get(rule, 0.0) + 1.0
        if len(rules) > PER_TOKEN:
            del rules[min(rules, key=lambda known: (rules[known], known != rule))]

    def keep(self, token: int) -> None:
        """A drafted ``token`` that has rewrites was written as it stands."""
        self.known[token] += 1.0

    def branches(self, tokens: Sequence[int], place: int) -> list[tuple[float, tuple[int, ...], int]]:
        """For the drafted token at ``place``: probability, tokens to write, drafted tokens to pass over."""
        rules = self._rules[tokens[place]]
        total = self.known[tokens[place]] + sum(rules.values()) + 1.0
        found = []
        for (written, skipped), count in rules.items():
            if END_INSIDE not in tokens[place : place + skipped]:
                found.append((count / total, written, skipped))
        return found


END_INSIDE = -1
