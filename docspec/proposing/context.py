"""The state of a row that all its proposers see: the output so far, the drafts, and the position of the output in
them."""

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
"""Consecutive right tokens after which a draft counts as found again and lost positions are dropped."""

CONFIRMED = 3
"""Consecutive right tokens after which a resumption counts as right."""

LEFT_POSITIONS = 3
"""Most lost positions that can be resumed."""

AHEAD = 6
"""Lost positions with the same next tokens, this many, count as one."""

ENOUGH = 24
"""Remaining tokens of a draft beyond which their number makes no difference."""

GIVEN_UP = 40
"""Output tokens after which a lost position is dropped."""


class LeftPosition(NamedTuple):
    """A position in the drafts that the output followed until it had ``at`` tokens. ``since`` is the begin (position,
    output tokens) of an unconfirmed resumption that was lost again."""

    position: int
    at: int
    run: int
    since: tuple[int, int]


class Resumed(NamedTuple):
    """A lost position that was found again: the positions and the output tokens on both sides of the difference."""

    lost_position: int
    lost_at: int
    found_position: int
    found_at: int


class Context:
    """One row: its ``output`` so far (the pending token last), its ``drafts``, and ``speller`` and ``grammar`` if there
    are any.

    ``position`` is the last known position of the output in the drafts; ``lost`` are positions that it has left, the
    best first. Three fields describe the last step: ``copied`` is the longest drafted stretch that was written
    unchanged (position, tokens), ``resumed`` are the resumptions that proved right, ``verified`` is the tree with its
    outcome. ``assumed``: the tokens reported as written are not verified yet (skipped verification). ``target`` is the
    verifying model, if one runs; ``states`` are the prompt's hidden states while the row begins, if a proposer wants
    them.
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
        """The prompt's token ids, including image tokens; ``request.prompt`` has all inputs of the model."""
        inputs = self.request.prompt.inputs
        return list(inputs["input_ids"][0].tolist()) if inputs else []

    def extend(self, written: Sequence[int]) -> None:
        """Appends ``written`` to the output."""
        self.output += written
        if self.grammar is not None and self.speller is not None:
            self.grammar.follow("".join([self.speller.text(token) for token in written]))

    def resume(self, lost: LeftPosition, position: int, key: Key, lead: Sequence[int] = ()) -> Continuation:
        """Suggests that ``lead`` is written next and that the lost draft then continues at ``position``."""
        resumed = lost.since[0], lost.since[1] - len(self.output), position, len(lead)
        return Continuation(self.drafts, position, key, 0, lead, 1.0, resumed)

    def locate(self, live: Sequence[Continuation], left: Sequence[tuple[Continuation, int]]) -> None:
        """Updates the position. The output follows the continuations ``live``, the longest run first, and has left
        others, each after a number of output tokens."""
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
