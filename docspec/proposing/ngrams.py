"""Finds the last tokens in the drafts: where the output has jumped in a draft, its position is found again."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from docspec.proposing.continuation import Continuation, Key, agreement
from docspec.proposing.proposer import RowProposer, proposer

MOST = 5
"""Positions that are proposed: the nearest ones to the last position."""

MATCHED = (2, 3, 4, 8)
"""Numbers of equal tokens with separate hit rates."""

NEAR = (Key("2-gram near", 0.4), Key("3-gram near", 0.6), Key("4-gram near", 0.8), Key("8-gram near", 0.9))
"""Keys by the number of equal tokens, for positions a little further on in the same draft."""

FAR = (Key("2-gram", 0.1), Key("3-gram", 0.25), Key("4-gram", 0.5), Key("8-gram", 0.75))
"""Keys for all other positions."""

REACH = range(-8, 257)
"""Offsets in the same draft that count as near."""


@proposer("ngrams")
class DraftNgrams(RowProposer):
    """Looks the last tokens up in all drafts."""

    def suggest(self) -> Iterable[Continuation]:
        drafts, output, last = self.context.drafts, self.context.output, self.context.position
        positions = drafts.behind(output)
        if len(positions) > MOST:
            middle = bisect_left(positions, last)
            positions = positions[max(0, middle - 2 * MOST) : middle + 2 * MOST]
            positions = sorted(positions, key=lambda position: abs(position - last))[:MOST]
        here = drafts.draft_of(last)
        for position in positions:
            matched = agreement(drafts.tokens, position, output)
            if matched >= 2:
                keys = NEAR if position - last in REACH and drafts.draft_of(position) == here else FAR
                yield Continuation(drafts, position, keys[bisect_right(MATCHED, matched) - 1], matched)
