"""Resumes a lost draft by its tokens, as if the target had inserted, substituted or skipped something.

All resumptions are proposed together right after the mismatch, when one token or none after it is known, and again with
every further token until one of them proves right.
"""

from __future__ import annotations

from collections.abc import Iterable

from docspec.proposing.context import LeftPosition
from docspec.proposing.continuation import Continuation, Key
from docspec.proposing.proposer import RowProposer, proposer

REACH = 64
"""Drafted tokens after the mismatch that are searched for the target's token."""

TAIL = 6
"""Tokens written since the mismatch up to which insertions and substitutions of several tokens are tried."""

STAY = Key("insertion", 0.3)
REPLACE = Key("substitution", 0.3)
STAY_LATER = Key("later insertion", 0.12)
REPLACE_LATER = Key("later substitution", 0.12)
SKIP_LITTLE = Key("deletion of up to 3 tokens", 0.4)
SKIP_SOME = Key("deletion of up to 12 tokens", 0.2)
SKIP_MUCH = Key("deletion of more tokens", 0.08)


@proposer("resumption")
class Resumption(RowProposer):
    """Resumes each lost position."""

    def suggest(self) -> Iterable[Continuation]:
        for lost in self.context.lost:
            yield from self._resume(lost)

    def _resume(self, lost: LeftPosition) -> Iterable[Continuation]:
        drafts, output = self.context.drafts, self.context.output
        tokens, position, size = drafts.tokens, lost.position, len(output)
        end = min(position + REACH, drafts.end(position))
        since = size - lost.at
        is_first = since == 1
        found: list[tuple[int, Key]] = []
        skip = position if is_first else position - 1
        for _ in range(2 if is_first else 1):
            try:
                skip = tokens.index(output[-1], skip + 1, end)
            except ValueError:
                break
            distance = skip - position
            found.append((skip + 1, SKIP_LITTLE if distance <= 3 else SKIP_SOME if distance <= 12 else SKIP_MUCH))
        if is_first:
            found += [(position, STAY), (position + 1, REPLACE)]
        elif since <= TAIL:
            found += [(position + shift, STAY_LATER if shift < 2 else REPLACE_LATER) for shift in range(since + 2)]
        for target, key in found:
            if target < end:
                yield self.context.resume(lost, target, key)
