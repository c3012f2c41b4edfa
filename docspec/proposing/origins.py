"""Records which proposer each written token came from, for traced rows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from docspec.core.trail import Trail
from docspec.proposing.continuation import Continuation, Text
from docspec.proposing.drafts import DraftText
from docspec.proposing.grower import Grown

REWRITTEN = "rewrite"


class Origins:
    """Fills ``trail.proposed`` (position in the output -> name): ``draft N`` for a draft's own token (the first draft
    of the row that led there, counted from 1), otherwise the proposer that suggested it; ``rewrite`` for replacements
    of drafted tokens."""

    def __init__(self, trail: Trail, drafts: DraftText) -> None:
        self._trail = trail
        self._drafts = drafts
        self._makers: dict[int, tuple[Text, str]] = {}  # the text too: an id may come again once it is gone

    def made(self, text: Text, proposer: str) -> None:
        """Records that ``proposer`` copies from ``text``."""
        if text is not self._drafts:
            self._makers[id(text)] = text, proposer

    def note(self, before: int, written: Sequence[int], reached: Mapping[int, int], grown: Sequence[Grown]) -> None:
        """Records the tokens ``written`` after ``before`` output tokens, along the nodes ``reached`` (with their
        depths) of the tree that ``grown`` made."""
        start, proposed = time.thread_time(), self._trail.proposed
        drafted: dict[int, int] = {}
        for node, one in grown:
            depth = reached.get(node)
            if depth is None:
                continue
            for position, maker in enumerate(self._along(one, written[depth:]), before + depth):
                if isinstance(maker, int):
                    drafted[position] = min(maker, drafted.get(position, maker))
                else:
                    proposed.setdefault(position, maker)
        proposed.update({position: f"draft {number + 1}" for position, number in drafted.items()})
        self._makers.clear()
        self._trail.seconds += time.thread_time() - start

    def _along(self, one: Continuation, written: Sequence[int]) -> list[str | int]:
        """The origins of the tokens ``written``, as far as they agree with ``one``: the number of a draft or a
        proposer's name."""
        drafts, size = self._drafts, len(one.lead)
        in_drafts = one.text is drafts
        tokens = one.text.tokens
        known = self._makers.get(id(one.text))
        name = known[1] if known is not None else REWRITTEN
        found: list[str | int] = []
        for at, token in enumerate(written):
            if at < size:
                if one.lead[at] != token:
                    break
                position = one.position - size + at
                drafted = in_drafts and position >= 0 and drafts.tokens[position] == token
            else:
                position = one.position + at - size
                if position >= len(tokens) or tokens[position] != token:
                    break
                drafted = in_drafts
            found.append(drafts.draft_of(position) if drafted else name)
        return found
