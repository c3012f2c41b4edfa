"""What all proposers of one row look at: the output so far, the drafts, and where in them the output is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from docspec.core.grammar import Grammar
from docspec.engine.acceptance import VerifyOutcome
from docspec.engine.request import Request
from docspec.engine.tree import TokenTree
from docspec.proposing.continuation import Continuation, Key
from docspec.proposing.drafts import DraftText
from docspec.proposing.spelling import Speller

if TYPE_CHECKING:
    from docspec.targets.protocol import PromptStates, TargetModel

FOUND = 4
"""Right tokens in a row after which a draft counts as found again, and lost positions are given up."""

CONFIRMED = 3
"""Right tokens in a row after which a resumption is taken to have been the right one."""

LEFT_POSITIONS = 3
"""Lost positions that may still be resumed."""

AHEAD = 6
"""Lost positions that agree in so many tokens ahead count as one."""

ENOUGH = 24
"""Tokens to come beyond which it makes no difference how many there are."""

GIVEN_UP = 40
"""Tokens written after which a lost position is given up."""


class LeftPosition(NamedTuple):
    """A position in the drafts that the output was following until it had ``at`` tokens. ``since``: where a resumption
    had set out from that was lost again before it was confirmed (position, tokens of output)."""

    position: int
    at: int
    run: int
    since: tuple[int, int]


class Resumed(NamedTuple):
    """A lost position that was found again: tokens of output and positions on both sides of what lies between."""

    lost_position: int
    lost_at: int
    found_position: int
    found_at: int


class Context:
    """One row: ``output`` so far (the pending token last), its ``drafts``, ``speller`` and ``grammar`` where there are
    any.

    ``position`` is the last known position of the output in the drafts and ``lost`` are positions that it has left, the
    best first. Of the last step, ``copied`` is the longest drafted stretch written as it stands (position, tokens), and
    ``resumed`` which resumptions proved right, and ``verified`` the tree with what became of it; ``assumed``:
    what is told to be written is only taken to be so, and will be verified with what comes behind it. ``target``,
    where a model runs, is the one that verifies (its ``card`` says how it spells); ``states`` are those of the
    prompt while the row begins, where a proposer wants hidden ones.
    """

    def __init__(
        self,
        request: Request,
        speller: Speller | None = None,
        target: TargetModel | None = None,
        states: PromptStates | None = None,
        drafts: DraftText | None = None,
    ) -> None:
        self.request = request
        self.target = target
        self.states = states
        self.output: list[int] = []
        self.drafts = drafts or DraftText(request.drafts, [draft.limit for draft in request.growing])
        self.speller = speller
        self.grammar: Grammar | None = request.grammar() if request.grammar is not None else None
        self.position = 0
        self.lost: list[LeftPosition] = []
        self.copied = 0, 0
        self.resumed: list[Resumed] = []
        self.verified: tuple[TokenTree, VerifyOutcome] | None = None
        self.assumed = False

    @property
    def prompt(self) -> list[int]:
        """The prompt's token ids, image tokens included; ``request.prompt`` has all of the model's inputs."""
        inputs = self.request.prompt.inputs
        return list(inputs["input_ids"][0].tolist()) if inputs else []

    def extend(self, written: Sequence[int]) -> None:
        """The output has grown by ``written``."""
        self.output += written
        if self.grammar is not None and self.speller is not None:
            self.grammar.follow("".join([self.speller.text(token) for token in written]))

    def resume(self, lost: LeftPosition, position: int, key: Key, lead: Sequence[int] = ()) -> Continuation:
        """Suggests that ``lead`` is written next and that what was lost goes on at ``position`` then."""
        resumed = lost.since[0], lost.since[1] - len(self.output), position, len(lead)
        return Continuation(self.drafts, position, key, 0, lead, 1.0, resumed)

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
            self.position, self.lost = drafted[0].position, []
            return
        size, tokens = len(self.output), self.drafts.tokens
        found = [
            LeftPosition(one.position, at, one.run, one.resumed[:2] if one.resumed is not None else (one.position, at))
            for one, at in lost
        ]
        ends = self.drafts.end  # of two that are trusted alike, the one with more to come is worth more
        found.sort(key=lambda lost: (-lost.run, -min(ends(lost.position) - lost.position, ENOUGH)))
        known: set[tuple[int, ...]] = set()
        self.lost, old = [], [gone for gone in self.lost if size - gone.at <= GIVEN_UP]
        for gone in found + old:
            ahead = tuple(tokens[gone.position : gone.position + AHEAD])
            if ahead not in known and len(self.lost) < LEFT_POSITIONS:
                known.add(ahead)
                self.lost.append(gone)
        if self.lost:
            self.position = self.lost[0].position
