"""What proposed the tokens that were written: noted for rows that are traced."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from docspec.engine.trail import Trail
from docspec.proposing.continuation import Continuation, Text
from docspec.proposing.drafts import Drafts
from docspec.proposing.grower import Grown

DRAFT = "draft"
REWRITTEN = "rewrite"


class Origins:
    """Fills ``trail.proposed`` (place in the output -> name): ``draft`` where a draft's own token was written, else the
    source that suggested it; ``rewrite`` for what sources put in the place of drafted tokens."""

    def __init__(self, trail: Trail, drafts: Drafts) -> None:
        self._trail = trail
        self._drafts = drafts
        self._makers: dict[int, tuple[Text, str]] = {}  # the text too: an id may come again once it is gone

    def made(self, text: Text, source: str) -> None:
        """``text`` is what ``source`` copies from."""
        if text is not self._drafts:
            self._makers[id(text)] = text, source

    def note(
        self, before: int, written: Sequence[int], reached: Mapping[int, int], grown: Sequence[Grown]
    ) -> None:
        """The output, of ``before`` tokens, went on with ``written``, along the nodes ``reached`` (with their depths)
        of the tree that ``grown`` made."""
        start, proposed = time.thread_time(), self._trail.proposed
        for node, one in grown:
            depth = reached.get(node)
            if depth is None:
                continue
            for place, name in enumerate(self._along(one, written[depth:]), before + depth):
                if name == DRAFT or place not in proposed:
                    proposed[place] = name
        self._makers.clear()
        self._trail.seconds += time.thread_time() - start

    def _along(self, one: Continuation, written: Sequence[int]) -> list[str]:
        """The names of what proposed ``written``, as far as ``one`` agrees with it."""
        drafts, size = self._drafts, len(one.lead)
        in_drafts = one.text is drafts
        tokens = one.text.tokens
        known = self._makers.get(id(one.text))
        name = known[1] if known is not None else REWRITTEN
        found: list[str] = []
        for at, token in enumerate(written):
            if at < size:
                if one.lead[at] != token:
                    break
                place = one.place - size + at
                drafted = in_drafts and place >= 0 and drafts.tokens[place] == token
            else:
                place = one.place + at - size
                if place >= len(tokens) or tokens[place] != token:
                    break
                drafted = in_drafts
            found.append(DRAFT if drafted else name)
        return found
