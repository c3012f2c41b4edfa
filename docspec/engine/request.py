"""The input of the engine and its output: immutable values, except for drafts that are still being written; rules that
end a sequence before the target does; and the record of how each token was produced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from docspec.core.grammar import Grammar
from docspec.targets.protocol import Prompt

if TYPE_CHECKING:
    from docspec.targets.protocol import GenerationRules


class Trail:
    """``steps``: for each verification step, how many tokens the row had before it and how many proposed ones it
    accepted; a row's first token is a step that accepted none. ``margins`` are those of the tokens, in logits, if they
    were computed. ``proposed`` names the source of the proposed token at each position of the output (written by the
    proposers; it may have a step's own last token, if a draft continues with it); this took ``seconds`` of processor
    time."""

    __slots__ = ("margins", "proposed", "seconds", "steps")

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []
        self.margins: list[float] = []
        self.proposed: dict[int, str] = {}
        self.seconds = 0.0

    def tokens_per_step(self, size: int) -> list[int]:
        """How many of the row's ``size`` tokens each step wrote, without the step of the first token."""
        starts = [min(start, size) for start, _ in self.steps]
        return [end - start for start, end in zip(starts[1:], [*starts[2:], size], strict=False) if end > start]

    def accepted(self, size: int) -> Iterator[bool]:
        """For each of the row's ``size`` tokens whether it was proposed and accepted."""
        positions = [False] * size
        for start, accepted in self.steps:
            for position in range(start, min(start + accepted, size)):
                positions[position] = True
        return iter(positions)

    def margin(self, positions: Sequence[int]) -> float | None:
        """The smallest margin at ``positions`` of the output; ``None`` if one is unknown."""
        known = [self.margins[position] for position in positions if position < len(self.margins)]
        known = [one for one in known if one == one]  # NaN: not computed
        return min(known) if known and len(known) == len(positions) else None


@dataclass(frozen=True, slots=True)
class Loop:
    """A detected repetition. The output's first ``keep`` tokens end with the first turn of a cycle of ``cycle`` tokens,
    whose text is ``text``; the ``dropped`` tokens after them only repeat it."""

    keep: int
    cycle: int
    dropped: int
    text: str


class StopRule(Protocol):
    """Watches one row's output."""

    def observe(self, token: int) -> Loop | None:
        """Takes the next token; returns the loop that ends the sequence, or ``None``."""
        ...


class NeverStop:
    """Never ends a sequence."""

    def observe(self, token: int) -> Loop | None:
        return None


Finish = Literal["eos", "loop", "budget", "stopped"]
"""Why a sequence ended: by itself, cut by its stop rule, at its budget, or from outside."""

Drafts = tuple[tuple[int, ...], ...]


class GrowingDraft:
    """A draft that is still being written while the rows that copy from it are decoded; at most ``limit`` tokens of it
    count.

    Proposers look at ``tokens`` before each step; tokens are only ever added.
    """

    __slots__ = ("limit", "tokens")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.tokens: list[int] = []

    def extend(self, tokens: Sequence[int]) -> None:
        """Appends ``tokens`` to the draft."""
        self.tokens.extend(tokens)


@dataclass(frozen=True, slots=True)
class Request:
    """One sequence to decode: its prompt, the drafts it may copy from, its budget in tokens.

    ``stop`` makes the rule that may end it early; ``grammar`` makes what predicts the format of the output: both
    follow one decoding, so each gets its own. ``growing`` are drafts that are written while the sequence is decoded.
    A ``plain`` one is decoded one token a step. Choices of a tree whose margin is below ``least_margin`` (in logits)
    are decided again by a step of one token, which takes a request that is alone in its batch or the first of it.
    A ``traced`` one keeps how its tokens came to be. Requests of one ``kind`` (formulas, text) share what is learnt of
    how often drafts are right. ``rules`` take the place of the target's own.
    """

    prompt: Prompt
    drafts: Drafts
    budget: int
    grammar: Callable[[], Grammar | None] | None = None
    growing: tuple[GrowingDraft, ...] = ()
    plain: bool = False
    stop: Callable[[], StopRule] = NeverStop
    least_margin: float = 0.0
    traced: bool = False
    kind: str = ""
    rules: GenerationRules | None = None

    @property
    def slots(self) -> int:
        """Cache slots that the sequence may fill, without its trees."""
        return self.prompt.length + self.budget


@dataclass(frozen=True, slots=True)
class Output:
    """The tokens written for a request, without the end-of-sequence token, and why they ended; ``loop`` is the
    repetition that they were cut at. ``trail`` records the origin of each token, if asked for."""

    tokens: tuple[int, ...]
    finish: Finish
    loop: Loop | None = None
    trail: Trail | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written."""
        return not self.tokens
