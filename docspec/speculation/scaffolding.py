"""A dialect's scaffold tied to the drafts of one row: where its forks and anchors are among the drafted tokens.

The scaffold speaks in characters, the tree in tokens. Markers are found in the drafts once; behind them the scaffold
says which element is described there. Where a drafted trail reaches such a place, the tree forks as the scaffold
says instead of copying the draft.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from docspec.core.scaffold import Fork, Scaffold, Way
from docspec.speculation.draft_index import END, DraftIndex
from docspec.speculation.odds import Source
from docspec.speculation.spelling import Speller
from docspec.speculation.trail import Trail

AHEAD = 64
"""Drafted tokens behind a marker that the scaffold is shown."""

LANDINGS = 3
"""Drafts of one element that are taken up at the same time."""

SHARES = (0.7, 0.2, 0.1)
"""The chance of each, the first draft of an element being the likeliest."""

SEQUEL_RUNS = (1, 3, 8)
"""How many right tokens a sequel of each sureness is trusted like."""

SURE = 0.5
"""Where the ways on from the output's end have more than this chance together, nothing else is looked for."""


class Scaffolding:
    """``forks`` are the drafted places where the scaffold takes over, in ascending order.

    ``here`` are the ways on from the output's end, none with a chance below ``least``. ``landed`` holds the nodes of
    the tree grown last behind which an element's draft was taken up, with its place.
    """

    def __init__(self, scaffold: Scaffold, index: DraftIndex, speller: Speller, least: float) -> None:
        self._least = least
        self._scaffold = scaffold
        self._index = index
        self._speller = speller
        self.here: Sequence[Way] = ()
        self.forks: list[int] = []
        self.landed: list[tuple[int, int]] = []
        self._expected: list[int] = []
        self._resume: list[int] = []
        self._anchors: dict[int, list[int]] = {}
        self._elements: list[tuple[int, int]] = []
        self._find_landmarks()

    def follow(self, written: Sequence[int]) -> None:
        """``written`` was written since the last call."""
        self._scaffold.follow("".join([self._speller.text(token) for token in written]))
        fork = self._scaffold.here()
        ways = fork.ways(self._least) if fork is not None else ()
        self.here = [way for way in ways if way.text or self.landings(way)]

    def sequels(self) -> list[Trail]:
        """What the scaffold says may follow the output's end."""
        return [
            Trail(
                [*self._speller.tokens(text), END],
                0,
                Source(Source.SEQUEL_0 + sureness),
                SEQUEL_RUNS[sureness],
            )
            for text, sureness in self._scaffold.sequels()
            if text
        ]

    @property
    def is_sure(self) -> bool:
        """Whether the ways on from the output's end are likely enough to look for no others."""
        return sum(way.chance for way in self.here) > SURE

    def fork_at(self, number: int) -> Fork | None:
        """The fork at the drafted place ``forks[number]``."""
        return self._scaffold.beginning(self._expected[number])

    def next_fork(self, place: int) -> int:
        """The number of the first of ``forks`` at ``place`` or behind it."""
        return bisect_left(self.forks, place)

    def is_guessed(self, place: int) -> bool:
        """Whether ``place`` lies where the scaffold knows better than the draft."""
        number = bisect_right(self.forks, place) - 1
        return number >= 0 and place < self._resume[number]

    def tokens(self, text: str) -> tuple[int, ...]:
        """The tokens of a way's text."""
        return self._speller.tokens(text)

    def landings(self, way: Way) -> list[tuple[float, int]]:
        """Drafted places behind the anchor and what was passed of ``way``, each with its share of the chance."""
        places: list[int] = []
        for anchor in self._anchors.get(-1 if way.anchor is None else way.anchor, ()):
            place = self._behind(anchor, way.passed) if way.passed else anchor
            if place:
                places.append(place)
        return list(zip(SHARES, places, strict=False))

    def _behind(self, place: int, text: str) -> int:
        """The place behind ``text``, if the draft has it at ``place``; else 0."""
        tokens = self._index.tokens
        while text:
            piece = self._speller.text(tokens[place])
            if not piece or not text.startswith(piece):
                return 0
            text, place = text[len(piece) :], place + 1
        return place

    def _element_of(self, place: int) -> int | None:
        at = bisect_right(self._elements, (place, 1 << 60)) - 1
        if at < 0 or not place:
            return None
        known, element = self._elements[at]
        return element if self._index.draft_of(known) == self._index.draft_of(place) else None

    def _find_landmarks(self) -> None:
        seen: set[tuple[int, ...]] = set()
        found: list[tuple[int, int, int]] = []
        for marker in self._scaffold.markers:
            for place in self._behind_marker(marker):
                pieces = self._ahead(place)
                mark = self._scaffold.landmark(marker, "".join(pieces))
                if mark is None:
                    if not pieces:
                        found.append((place, -1, place))
                    continue
                anchor = self._token_at(place, pieces, mark.anchor)
                if mark.guessed:
                    found.append((place, mark.element, anchor or place))
                if not anchor:
                    continue
                self._elements.append((anchor, mark.element))
                ahead = (mark.element, *self._index.tokens[anchor : anchor + AHEAD])
                anchors = self._anchors.setdefault(mark.element, [])
                if ahead not in seen and anchor not in anchors and len(anchors) < LANDINGS:
                    seen.add(ahead)
                    anchors.append(anchor)
        self._elements.sort()
        for place, element, resume in sorted(found):
            before = self._element_of(place)
            if element < 0 and before is None:
                continue
            self.forks.append(place)
            self._expected.append(element if element >= 0 or before is None else before + 1)
            self._resume.append(resume)

    def _behind_marker(self, marker: str) -> list[int]:
        """All drafted places right behind ``marker``."""
        ending = self._speller.tokens(marker)
        if len(ending) < 2:
            return []
        tokens, text = self._index.tokens, self._speller.text
        return [
            place
            for place in self._index.after_pair(ending)
            if "".join([text(token) for token in tokens[max(0, place - len(marker)) : place]]).endswith(
                marker
            )
        ]

    def _ahead(self, place: int) -> list[str]:
        end = min(self._index.end_of(place), place + AHEAD)
        return [self._speller.text(token) for token in self._index.tokens[place:end]]

    @staticmethod
    def _token_at(place: int, pieces: Sequence[str], offset: int | None) -> int | None:
        """The place of the token that begins ``offset`` characters behind ``place``, if one does."""
        length = 0
        for step, piece in enumerate(pieces):
            if length == offset:
                return place + step
            length += len(piece)
        return None
