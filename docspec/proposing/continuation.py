"""Continuations: what a proposer suggests. Their tokens are looked up when they are needed.

A continuation is a position in a *text*. Proposers copy from texts: the drafts, the output so far, a format's syntax, a
table of likely successors. A text says how far tokens may be copied from a position before something else may follow,
and what that is. So drafts with rewrites, the forks of a grammar and the trees of a model all look the same to the code
that grows a tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol


class Key:
    """A kind of suggestion with a learnt hit rate; ``prior`` is the rate before anything is learnt."""

    __slots__ = ("name", "prior")

    def __init__(self, name: str, prior: float) -> None:
        self.name = name
        self.prior = prior


class Text(Protocol):
    """A sequence of tokens to copy from."""

    @property
    def tokens(self) -> Sequence[int]:
        """All tokens; empty where every token is a continuation of its own."""
        ...

    def end(self, position: int) -> int:
        """The position after the last token of the contiguous run from ``position``."""
        ...

    def pause(self, position: int, most: int) -> int:
        """The position up to which tokens are copied from ``position``: at most ``most`` tokens, fewer where the text
        ends or something else may follow."""
        ...

    def following(self, position: int, run: int, before: Sequence[int], least: float) -> Iterable[Continuation]:
        """The continuations at ``position``, where :meth:`pause` stopped, after ``run`` right tokens; ``before`` are
        the last two written tokens. Continuations with a chance below ``least`` may be left out."""
        ...


class Continuation:
    """The tokens ``lead``, then those of ``text`` from ``position`` on.

    ``chance`` is the probability of the first token, given that its parent is reached; it is multiplied by the hit rate
    of ``key``, if there is one. ``run``, the number of right tokens before, determines how the probability falls along
    the tokens.

    ``resumed`` describes a resumption until it is confirmed: the position of the first replaced token and the output
    tokens by then, and the same for the place where the draft continues. Output tokens are counted from where it is
    suggested.
    """

    __slots__ = ("chance", "key", "lead", "position", "resumed", "run", "text")

    def __init__(
        self,
        text: Text,
        position: int = 0,
        key: Key | None = None,
        run: int = 0,
        lead: Sequence[int] = (),
        chance: float = 1.0,
        resumed: tuple[int, int, int, int] | None = None,
    ) -> None:
        self.text = text
        self.position = position
        self.key = key
        self.run = run
        self.lead = lead
        self.chance = chance
        self.resumed = resumed

    def follow(self, written: Sequence[int]) -> int:
        """Advances along ``written`` as far as the tokens agree; returns how many do."""
        lead, size, right = self.lead, len(written), 0
        if lead:
            while right < size and right < len(lead) and lead[right] == written[right]:
                right += 1
            self.lead = lead[right:]
        if not self.lead:
            tokens, offset = self.text.tokens, self.position - right
            reach = min(size, len(tokens) - offset)
            if right < reach and tokens[offset + right] == written[right]:
                if tokens[self.position : offset + reach] == written[right:reach]:
                    right = reach
                while right < reach and tokens[offset + right] == written[right]:
                    right += 1
            self.position = offset + right
        self.run += right
        return right


class Forks:
    """A text in which every token is a continuation of its own, given by ``following``."""

    tokens: Sequence[int] = ()

    def end(self, position: int) -> int:
        return position

    def pause(self, position: int, most: int) -> int:
        return position


def agreement(tokens: Sequence[int], position: int, output: Sequence[int]) -> int:
    """How many tokens before ``position`` equal the last tokens of ``output``, at most 32."""
    size, most = 0, min(32, len(output), position)
    while size < most and tokens[position - 1 - size] == output[-1 - size]:
        size += 1
    return size


class Copy:
    """A fixed sequence of tokens that nothing follows."""

    __slots__ = ("tokens",)

    def __init__(self, tokens: Sequence[int]) -> None:
        self.tokens = list(tokens)

    def end(self, position: int) -> int:
        return len(self.tokens)

    def pause(self, position: int, most: int) -> int:
        return min(position + most, len(self.tokens))

    def following(self, position: int, run: int, before: Sequence[int], least: float) -> Iterable[Continuation]:
        return ()
