"""What a proposer suggests: tokens that may come next, looked up when they are needed, and what may follow them.

A continuation is a position in a *text*. Texts are what proposers copy from: the drafts, the output so far, a format's
syntax, a table of likely successors. Each says how far copying from a position goes on before something else may
follow, and what that is; so drafts with rewrites, the forks of a grammar and the trees of a model are all the same to
whoever grows a tree from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol


class Key:
    """A kind of suggestion whose hit rate is learnt; ``prior`` is what it is taken for before anything is known."""

    __slots__ = ("name", "prior")

    def __init__(self, name: str, prior: float) -> None:
        self.name = name
        self.prior = prior


class Text(Protocol):
    """Something to copy tokens from."""

    @property
    def tokens(self) -> Sequence[int]:
        """All tokens; none where every token is a continuation of its own."""
        ...

    def end(self, position: int) -> int:
        """The position behind the last of the tokens that follow each other from ``position`` on."""
        ...

    def pause(self, position: int, most: int) -> int:
        """Up to which position tokens are copied from ``position`` on: ``most`` of them, or fewer where the text ends
        or something else may follow."""
        ...

    def following(self, position: int, run: int, before: Sequence[int], least: float) -> Iterable[Continuation]:
        """What may follow at ``position``, where :meth:`pause` stopped: after ``run`` right tokens, the last two
        written being ``before``. Less likely continuations than ``least`` may be left out."""
        ...


class Continuation:
    """``lead`` and then ``text`` from ``position`` on.

    ``chance`` is that of its first token, given that what it follows is reached; the hit rate of its ``key``, if it
    has one, is a factor of it. How the chance falls along the tokens follows from ``run``, the number of right tokens
    before them.

    ``resumed``, until it is confirmed, says which drafted tokens it takes to be rewritten: the position of the first
    one replaced and the number of tokens of output by then, and the same where the draft goes on. Tokens of output are
    counted from where it is suggested.
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
        """Moves along ``written`` as far as it agrees; returns how far."""
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
    """A text in which every token is a continuation of its own: ``following`` says which may come."""

    tokens: Sequence[int] = ()

    def end(self, position: int) -> int:
        return position

    def pause(self, position: int, most: int) -> int:
        return position


def agreement(tokens: Sequence[int], position: int, output: Sequence[int]) -> int:
    """How many of the tokens right before ``position`` are also the last ones of ``output``, up to 32."""
    size, most = 0, min(32, len(output), position)
    while size < most and tokens[position - 1 - size] == output[-1 - size]:
        size += 1
    return size


class Copy:
    """A text of given tokens, with nothing to follow them."""

    __slots__ = ("tokens",)

    def __init__(self, tokens: Sequence[int]) -> None:
        self.tokens = list(tokens)

    def end(self, position: int) -> int:
        return len(self.tokens)

    def pause(self, position: int, most: int) -> int:
        return min(position + most, len(self.tokens))

    def following(self, position: int, run: int, before: Sequence[int], least: float) -> Iterable[Continuation]:
        return ()
