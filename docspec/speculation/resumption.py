"""Where a lost draft may go on: as if the target had inserted, substituted or skipped something.

Nothing is waited for: the resumptions are offered together right after the mismatch, when a single token (or none)
after it is known, and again with every further token until one of them proves right.
"""

from __future__ import annotations

from collections.abc import Sequence

from docspec.speculation.draft_index import END
from docspec.speculation.odds import Source
from docspec.speculation.rewrites import LONGEST, Rewrites
from docspec.speculation.trail import Trail

REACH = 64
"""Drafted tokens ahead of the mismatch that are searched for what the target wrote."""

TAIL = 6
"""Tokens written since the mismatch up to which substitutions and insertions are guessed."""


def resumptions(tokens: list[int], lost: Trail, output: Sequence[int], rewrites: Rewrites) -> list[Trail]:
    """Trails in ``tokens`` that take up ``lost``, the likeliest first; ``output`` ends with the pending token."""
    place, size = lost.place, len(output)
    tail = size - lost.lost_at
    found: list[Trail] = []

    # A resumption that was lost again before it was confirmed belongs to one longer rewriting.
    left, left_at = lost.resumed[:2] if lost.resumed is not None else (place, lost.lost_at)

    def add(target: int, source: Source) -> None:
        if 0 < target < len(tokens) and tokens[target] >= 0:
            found.append(Trail(tokens, target, source, resumed=(left, left_at, target, size)))

    if tail <= LONGEST:
        begun = tuple(output[-tail:])
        for written, skipped in rewrites.rules.get(tokens[place], ()):
            if len(written) > tail and written[:tail] == begun and END not in tokens[place : place + skipped]:
                lead, target = written[tail:], place + skipped
                found.append(
                    Trail(tokens, target, Source.REWRITE, 0, lead, (left, left_at, target, size + len(lead)))
                )
    if tail == 1:
        end = _end(tokens, place, REACH)
        skip = _find(tokens, output[-1], place + 1, end)
        for _ in range(2):
            if skip >= 0:
                add(skip + 1, _skip_source(skip - place))
                skip = _find(tokens, output[-1], skip + 1, end)
        add(place, Source.STAY)
        add(place + 1, Source.REPLACE)
        add(place + 2, Source.REPLACE_MORE)
        add(place + 3, Source.REPLACE_MORE)
    else:
        end = _end(tokens, place, REACH)
        skip = _find(tokens, output[-1], place, end)
        if skip >= 0:
            add(skip + 1, _skip_source(skip - place))
        if tail <= TAIL:
            add(place, Source.STAY_LATER)
            add(place + 1, Source.STAY_LATER)
            for shift in range(2, tail + 2):
                add(place + shift, Source.REPLACE_LATER)
    return found


def _skip_source(distance: int) -> Source:
    if distance <= 3:
        return Source.SKIP_LITTLE
    return Source.SKIP_SOME if distance <= 12 else Source.SKIP_MUCH


def _find(tokens: list[int], token: int, start: int, end: int) -> int:
    try:
        return tokens.index(token, start, end)
    except ValueError:
        return -1


def _end(tokens: list[int], place: int, reach: int) -> int:
    """The place up to ``reach`` tokens on, or the end of the draft before it."""
    stop = min(place + reach, len(tokens))
    end = _find(tokens, -1, place, stop)
    return stop if end < 0 else end
