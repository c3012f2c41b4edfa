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

LEAST_SHARE = 0.15
"""Rewrites that are rarer than this are not proposed."""

Rule = tuple[tuple[int, ...], int]
"""The tokens written, and how many drafted tokens they replace."""


class Rewrites:
    """Rules by the first drafted token that they replace.

    ``active`` holds those worth proposing: token -> (probability, tokens to write, drafted tokens to pass over).
    """

    def __init__(self) -> None:
        self.active: dict[int, list[tuple[float, tuple[int, ...], int]]] = {}
        self.rules: dict[int, dict[Rule, float]] = {}
        self._kept: dict[int, float] = {}

    def learn(self, token: int, written: tuple[int, ...], skipped: int) -> None:
        """Where the draft had ``token``, the target wrote ``written`` and passed over ``skipped`` drafted tokens."""
        if token < 0 or len(written) > LONGEST or not 0 <= skipped <= LONGEST or not (written or skipped):
            return
        rules = self.rules.setdefault(token, {})
        rule = (written, skipped)
        rules[rule] = rules.get(rule, 0.0) + 1.0
        if len(rules) > PER_TOKEN:
            del rules[min(rules, key=lambda known: (rules[known], known == rule))]
        self._weigh(token)

    def keep(self, token: int, times: int = 1) -> None:
        """A drafted ``token`` that has rules was written as it stands."""
        self._kept[token] = self._kept.get(token, 0.0) + times
        self._weigh(token)

    def applied(self, tokens: Sequence[int], place: int, written: Sequence[int], at: int) -> Rule | None:
        """The rule that explains ``written[at:]`` where ``tokens[place]`` was drafted, the longest one.

        It must account for all its tokens, and the draft must go on as the output does, as far as that is known.
        """
        found: Rule | None = None
        for rule in self.rules.get(tokens[place], ()):
            lead, skipped = rule
            end = at + len(lead)
            if end > len(written) or tuple(written[at:end]) != lead or -1 in tokens[place : place + skipped]:
                continue
            if end < len(written) and tokens[place + skipped] != written[end]:
                continue
            if (end < len(written) or lead) and (found is None or len(lead) > len(found[0])):
                found = rule
        return found

    def _weigh(self, token: int) -> None:
        rules = self.rules[token]
        total = self._kept.get(token, 0.0) + sum(rules.values()) + 1.0
        shares = [(count / total, written, skipped) for (written, skipped), count in rules.items()]
        worth = [share for share in shares if share[0] >= LEAST_SHARE]
        if worth:
            self.active[token] = worth
        else:
            self.active.pop(token, None)
