"""What proposed the tokens that were written: noted for rows that are traced."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from docspec.core.trail import Trail
from docspec.proposing.continuation import Continuation, Text
from docspec.proposing.drafts import Drafts
from docspec.proposing.grower import Grown

REWRITTEN = "rewrite"


class Origins:
    """Fills ``trail.proposed`` (place in the output -> name): ``draft N`` where a draft's own token was written (of the
    row's drafts, counted from 1, the first that led there), else the source that suggested it; ``rewrite`` for what
    sources put in the place of drafted tokens."""

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
        drafted: dict[int, int] = {}
        for node, one in grown:
            depth = reached.get(node)
            if depth is None:
                continue
            for place, maker in enumerate(self._along(one, written[depth:]), before + depth):
                if isinstance(maker, int):
                    drafted[place] = min(maker, drafted.get(place, maker))
                else:
                    proposed.setdefault(place, maker)
        proposed.update({place: f"draft {number + 1}" for place, number in drafted.items()})
        self._makers.clear()
        self._trail.seconds += time.thread_time() - start

    def _along(self, one: Continuation, written: Sequence[int]) -> list[str | int]:
        """What proposed ``written``, as far as ``one`` agrees with it: the number of a draft or a source's name."""
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
                place = one.place - size + at
                drafted = in_drafts and place >= 0 and drafts.tokens[place] == token
            else:
                place = one.place + at - size
                if place >= len(tokens) or tokens[place] != token:
                    break
                drafted = in_drafts
            found.append(drafts.draft_of(place) if drafted else name)
        return found
