"""A dialect's scaffold tied to the drafts of one row: what the format says comes next, and where drafts go on then.

The scaffold speaks in characters, the tree in tokens. Markers are found in the drafts once; behind them the scaffold
says which element is described there. Where a draft reaches such a place, the tree forks as the scaffold says instead
of copying the draft.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from docspec.core.scaffold import Alternative
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Forks
from docspec.proposing.drafts import TRUSTED
from docspec.proposing.source import Source, source

AHEAD = 64
"""Drafted tokens behind a marker that the scaffold is shown."""

SHARES = (0.7, 0.2, 0.1)
"""The chances of the drafts of one element that are taken up at the same time, the first one the likeliest."""

LEAST = 1 / 400
"""Less likely alternatives at the output's end are left out."""


@source("scaffold")
class FormatScaffold(Source):
    """``forks`` are the drafted places where the scaffold takes over, in ascending order."""

    leads = replaces = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.forks: list[int] = []
        self._expected: list[int] = []
        self._anchors: dict[int, list[int]] = {}
        self._elements: list[tuple[int, int]] = []
        if context.scaffold is not None and context.speller is not None:
            self._find_landmarks()
        if self.forks:
            context.drafts.branches.append(self)

    def suggest(self) -> Iterable[Continuation]:
        context = self.context
        if context.scaffold is None or context.speller is None:
            return
        fork = context.scaffold.here()
        for one in fork.alternatives(LEAST) if fork is not None else ():
            if one.text or self._landings(one):
                yield self._along(one)

    def first(self, place: int, end: int) -> int:
        """See :class:`docspec.proposing.drafts.Branches`."""
        number = bisect_left(self.forks, place)
        return min(end, self.forks[number]) if number < len(self.forks) else end

    def at(self, place: int, least: float) -> Iterable[Continuation]:
        """See :class:`docspec.proposing.drafts.Branches`."""
        number = bisect_left(self.forks, place)
        if number == len(self.forks) or self.forks[number] != place or self.context.scaffold is None:
            return ()
        fork = self.context.scaffold.beginning(self._expected[number])
        return [self._along(one) for one in fork.alternatives(least)] if fork is not None else ()

    def _along(self, one: Alternative) -> Continuation:
        assert self.context.speller is not None
        return Continuation(_Behind(self, one), 0, None, 0, self.context.speller.tokens(one.text), one.chance)

    def behind(self, one: Alternative, least: float) -> list[Continuation]:
        """What follows ``one``: the drafts of its element, and the alternatives of the fork that it leads to."""
        found = [
            Continuation(self.context.drafts, place, None, TRUSTED, (), share)
            for share, place in self._landings(one)
        ]
        return (
            found + [self._along(more) for more in one.fork.alternatives(least)]
            if one.fork is not None
            else found
        )

    def _landings(self, one: Alternative) -> list[tuple[float, int]]:
        """Drafted places behind the anchor and what was passed of ``one``, each with its share of the chance."""
        places: list[int] = []
        for anchor in self._anchors.get(-1 if one.anchor is None else one.anchor, ()):
            place = self._behind(anchor, one.passed) if one.passed else anchor
            if place:
                places.append(place)
        return list(zip(SHARES, places, strict=False))

    def _behind(self, place: int, text: str) -> int:
        """The place behind ``text``, if the draft has it at ``place``; else 0."""
        speller, tokens = self.context.speller, self.context.drafts.tokens
        while text and speller is not None:
            piece = speller.text(tokens[place])
            if not piece or not text.startswith(piece):
                return 0
            text, place = text[len(piece) :], place + 1
        return place

    def _element_of(self, place: int) -> int | None:
        drafts = self.context.drafts
        at = bisect_right(self._elements, (place, 1 << 60)) - 1
        if at < 0 or not place:
            return None
        known, element = self._elements[at]
        return element if drafts.draft_of(known) == drafts.draft_of(place) else None

    def _find_landmarks(self) -> None:
        scaffold, tokens = self.context.scaffold, self.context.drafts.tokens
        assert scaffold is not None
        seen: set[tuple[int, ...]] = set()
        found: list[tuple[int, int]] = []
        for marker in scaffold.markers:
            for place in self._behind_marker(marker):
                pieces = self._ahead(place)
                mark = scaffold.landmark(marker, "".join(pieces))
                if mark is None:
                    if not pieces:
                        found.append((place, -1))
                    continue
                anchor = _token_at(place, pieces, mark.anchor)
                if mark.guessed:
                    found.append((place, mark.element))
                if not anchor:
                    continue
                self._elements.append((anchor, mark.element))
                ahead = (mark.element, *tokens[anchor : anchor + AHEAD])
                anchors = self._anchors.setdefault(mark.element, [])
                if ahead not in seen and anchor not in anchors and len(anchors) < len(SHARES):
                    seen.add(ahead)
                    anchors.append(anchor)
        self._elements.sort()
        for place, element in sorted(found):
            before = self._element_of(place)
            if element >= 0 or before is not None:
                self.forks.append(place)
                self._expected.append(element if element >= 0 or before is None else before + 1)

    def _behind_marker(self, marker: str) -> list[int]:
        """All drafted places right behind ``marker``."""
        speller, drafts = self.context.speller, self.context.drafts
        assert speller is not None
        ending = speller.tokens(marker)
        if len(ending) < 2:
            return []
        return [
            place
            for place in drafts.behind_pair(*ending[-2:])
            if "".join(map(speller.text, drafts.tokens[max(0, place - len(marker)) : place])).endswith(marker)
        ]

    def _ahead(self, place: int) -> list[str]:
        speller, drafts = self.context.speller, self.context.drafts
        assert speller is not None
        end = min(drafts.end(place), place + AHEAD)
        return [speller.text(token) for token in drafts.tokens[place:end]]


class _Behind(Forks):
    """What follows an alternative of the scaffold, as a text without tokens of its own."""

    def __init__(self, scaffold: FormatScaffold, one: Alternative) -> None:
        self._scaffold = scaffold
        self._one = one

    def following(self, place: int, run: int, before: Sequence[int], least: float) -> Iterable[Continuation]:
        return self._scaffold.behind(self._one, least)


def _token_at(place: int, pieces: Sequence[str], offset: int | None) -> int | None:
    """The place of the token that begins ``offset`` characters behind ``place``, if one does."""
    length = 0
    for step, piece in enumerate(pieces):
        if length == offset:
            return place + step
        length += len(piece)
    return None
