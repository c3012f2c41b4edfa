"""A trail: one place in one source of tokens that the output may be following."""

from __future__ import annotations

from collections.abc import Sequence

from docspec.speculation.odds import Source


class Trail:
    """A place that moves along while the output agrees with it.

    ``tokens[place]`` is what it says comes next, after the tokens of ``lead``. ``source`` says what kind of guess
    it is, ``None`` once it has been right. ``run`` counts the tokens it has been right about in a row.
    ``lost_at`` is the output's length when it was left; ``resumed`` holds what a resumption must remember until
    it is confirmed: place and output length where the draft was lost, and where it was taken up again.
    """

    __slots__ = ("lead", "lost_at", "place", "resumed", "run", "source", "tokens")

    def __init__(
        self,
        tokens: Sequence[int],
        place: int,
        source: Source | None,
        run: int = 0,
        lead: tuple[int, ...] = (),
        resumed: tuple[int, int, int, int] | None = None,
    ) -> None:
        self.tokens = tokens
        self.place = place
        self.source = source
        self.run = run
        self.lead = lead
        self.lost_at = 0
        self.resumed = resumed

    @property
    def first(self) -> int:
        """The token that it says comes next."""
        return self.lead[0] if self.lead else self.tokens[self.place]

    def follow(self, written: Sequence[int]) -> int:
        """Moves along ``written`` as far as it agrees; returns how far."""
        lead, tokens, place = self.lead, self.tokens, self.place
        size = len(written)
        right = 0
        if lead:
            while right < size and right < len(lead) and lead[right] == written[right]:
                right += 1
            self.lead = lead[right:]
        if not self.lead:
            start = right
            rest = written[start:]
            if tokens[place : place + len(rest)] == rest:
                right = size
            else:
                while right < size and tokens[place + right - start] == written[right]:
                    right += 1
            self.place = place + right - start
        self.run += right
        return right
