"""What all sources of one row look at: the output so far, the drafts, and where in them the output is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from docspec.core.scaffold import Scaffold
from docspec.engine.acceptance import Outcome
from docspec.engine.request import Request
from docspec.engine.tree import TokenTree
from docspec.proposing.continuation import Continuation, Key
from docspec.proposing.drafts import Drafts
from docspec.proposing.spelling import Speller

if TYPE_CHECKING:
    from docspec.targets.protocol import PromptStates, TargetModel

FOUND = 4
"""Right tokens in a row after which a draft counts as found again, and lost places are given up."""

CONFIRMED = 3
"""Right tokens in a row after which a resumption is taken to have been the right one."""

LOST = 3
"""Lost places that may still be resumed."""

AHEAD = 6
"""Lost places that agree in so many tokens ahead count as one."""

ENOUGH = 24
"""Tokens to come beyond which it makes no difference how many there are."""

GIVEN_UP = 40
"""Tokens written after which a lost place is given up."""


class Lost(NamedTuple):
    """A place in the drafts that the output was following until it had ``at`` tokens. ``since`` is where a resumption
    that was lost again before it was confirmed had set out from: place and tokens of output."""

    place: int
    at: int
    run: int
    since: tuple[int, int]


class Resumed(NamedTuple):
    """A lost place that was found again: tokens of output and places on both sides of what lies between."""

    lost_place: int
    lost_at: int
    found_place: int
    found_at: int


class Context:
    """One row: ``output`` so far (the pending token last), its ``drafts``, ``speller`` and ``scaffold`` where there are
    any.

    ``place`` is the last known place of the output in the drafts and ``lost`` are places that it has left, the best
    first. Of the last step, ``copied`` is the longest drafted stretch written as it stands (place, tokens), and
    ``resumed`` which resumptions proved right, and ``verified`` the tree with what became of it; ``assumed``:
    what is told to be written is only taken to be so, and will be verified with what comes behind it. ``target``,
    where a model runs, is the one that verifies (its ``card`` says how it spells); ``states`` are those of the
    prompt while the row begins, where a source wants hidden ones.
    """

    def __init__(
        self,
        request: Request,
        speller: Speller | None = None,
        target: TargetModel | None = None,
        states: PromptStates | None = None,
        drafts: Drafts | None = None,
    ) -> None:
        self.request = request
        self.target = target
        self.states = states
        self.output: list[int] = []
        self.drafts = drafts or Drafts(request.drafts, [draft.limit for draft in request.growing])
        self.speller = speller
        self.scaffold: Scaffold | None = request.scaffold() if request.scaffold is not None else None
        self.place = 0
        self.lost: list[Lost] = []
        self.copied = 0, 0
        self.resumed: list[Resumed] = []
        self.verified: tuple[TokenTree, Outcome] | None = None
        self.assumed = False

    @property
    def prompt(self) -> list[int]:
        """The prompt's token ids, image tokens included; ``request.prompt`` has all of the model's inputs."""
        inputs = self.request.prompt.inputs
        return list(inputs["input_ids"][0].tolist()) if inputs else []

    def extend(self, written: Sequence[int]) -> None:
        """The output has grown by ``written``."""
        self.output += written
        if self.scaffold is not None and self.speller is not None:
            self.scaffold.follow("".join([self.speller.text(token) for token in written]))

    def resume(self, lost: Lost, place: int, key: Key, lead: Sequence[int] = ()) -> Continuation:
        """Suggests that ``lead`` is written next and that what was lost goes on at ``place`` then."""
        resumed = lost.since[0], lost.since[1] - len(self.output), place, len(lead)
        return Continuation(self.drafts, place, key, 0, lead, 1.0, resumed)

    def locate(self, live: Sequence[Continuation], left: Sequence[tuple[Continuation, int]]) -> None:
        """Where the output is now: the output goes on along ``live``, the longest run first, and has left others, each
        with the tokens of output by then."""
        drafted = [continuation for continuation in live if continuation.text is self.drafts]
        lost = [(one, at) for one, at in left if one.text is self.drafts]
        self.resumed = []
        for one in [*drafted, *(one for one, _ in lost)]:
            if one.resumed is not None and one.run >= CONFIRMED and not one.lead:
                self.resumed.append(Resumed(*one.resumed))
                one.resumed = None
        if drafted and drafted[0].run >= FOUND:
            self.place, self.lost = drafted[0].place, []
            return
        size, tokens = len(self.output), self.drafts.tokens
        found = [
            Lost(one.place, at, one.run, one.resumed[:2] if one.resumed is not None else (one.place, at))
            for one, at in lost
        ]
        ends = self.drafts.end  # of two that are trusted alike, the one with more to come is worth more
        found.sort(key=lambda lost: (-lost.run, -min(ends(lost.place) - lost.place, ENOUGH)))
        known: set[tuple[int, ...]] = set()
        self.lost, old = [], [place for place in self.lost if size - place.at <= GIVEN_UP]
        for place in found + old:
            ahead = tuple(tokens[place.place : place.place + AHEAD])
            if ahead not in known and len(self.lost) < LOST:
                known.add(ahead)
                self.lost.append(place)
        if self.lost:
            self.place = self.lost[0].place
