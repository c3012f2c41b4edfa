"""The inputs and outputs of a verification step, as arrays and numbers on the host."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    import torch

    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.rules import RowRules


@dataclass(frozen=True, slots=True)
class OutputFlags:
    """The outputs of a step besides its choices; outputs that are not asked for cost nothing.

    ``scores`` are log-probabilities of choices and nodes, ``margins`` the differences of the two best logits,
    ``hidden`` the last hidden states of all nodes.
    """

    scores: bool = False
    margins: bool = False
    hidden: bool = False

    def __or__(self, other: OutputFlags) -> OutputFlags:
        """The outputs of both."""
        return OutputFlags(self.scores or other.scores, self.margins or other.margins, self.hidden or other.hidden)


CHOICES_ONLY = OutputFlags()


class Verified(NamedTuple):
    """The trees of a step with the target's choices, on the device: ``tokens``, ``parents`` and ``choice`` (the
    target's token after each node) are ``(rows, tree)``, ``ancestry`` is ``(rows, tree, tree)`` and false for padding,
    ``hidden`` is ``(rows, tree, size)`` if it was asked for. No path has more than ``deepest`` nodes."""

    tokens: torch.Tensor
    parents: torch.Tensor
    ancestry: torch.Tensor
    choice: torch.Tensor
    hidden: torch.Tensor | None
    deepest: int


class Behind(Protocol):
    """Work on the device that follows a step: it is launched before the step's answer is waited for, and its results
    arrive with that answer."""

    def arrays(self) -> Sequence[np.ndarray]:
        """Its inputs from the host; they reach the device in the step's own copy."""
        ...

    def launch(self, verified: Verified, arrays: Sequence[torch.Tensor]) -> torch.Tensor:
        """Computes without waiting, with its ``arrays`` on the device; returns float32 numbers in any shape."""
        ...

    def arrived(self, numbers: torch.Tensor) -> None:
        """Takes the results of :meth:`launch` on the host."""
        ...


@dataclass(frozen=True)
class StepBatch:
    """Trees of one step after their prefixes.

    ``tokens``, ``positions``, ``slots``, ``parents`` are ``(rows, tree)``; ``lengths`` ``(rows,)`` are the verified
    tokens before each tree; ``ancestry`` ``(rows, tree, tree)`` is true for the nodes that a node attends to.
    ``view_slots`` is the number of slots in view of attention. ``rules`` are the rows' generation rules; empty if no
    row has any. ``flags`` are the outputs besides the choices; ``behind`` is launched after the step.
    """

    tokens: np.ndarray
    positions: np.ndarray
    slots: np.ndarray
    parents: np.ndarray
    lengths: np.ndarray
    ancestry: np.ndarray
    view_slots: int
    rules: tuple[RowRules | None, ...] = ()
    flags: OutputFlags = CHOICES_ONLY
    behind: tuple[Behind, ...] = ()

    @property
    def rows(self) -> int:
        return int(self.tokens.shape[0])

    @property
    def width(self) -> int:
        """Nodes of each row, including padding."""
        return int(self.tokens.shape[1])

    @cached_property
    def mask(self) -> np.ndarray:
        """Boolean ``(rows, tree, view_slots)``, true for the slots that a token attends to: its prefix and its path.

        Padding attends to the prefix only, and nothing attends to padding.
        """
        mask = np.zeros((self.rows, self.width, self.view_slots), dtype=bool)
        for row, length in enumerate(self.lengths.tolist()):
            mask[row, :, :length] = True
            reach = min(self.width, self.view_slots - length)
            mask[row, :, length : length + reach] = self.ancestry[row, :, :reach]
        return mask


def chain(rows: int, width: int, prefix: int, view_slots: int) -> StepBatch:
    """A step for measurements: in each row a chain of ``width`` meaningless tokens after ``prefix`` verified ones."""
    indices = np.tile(np.arange(prefix, prefix + width), (rows, 1))
    parents = np.tile(np.maximum(np.arange(width) - 1, 0), (rows, 1))
    lengths = np.full(rows, prefix)
    ancestry = np.tile(np.tri(width, dtype=bool), (rows, 1, 1))
    return StepBatch(np.zeros_like(indices), indices, indices, parents, lengths, ancestry, view_slots)


def bucket(size: int, sizes: tuple[int, ...]) -> int:
    """The smallest of ``sizes`` that is at least ``size``; beyond them, the next multiple of the largest."""
    for candidate in sizes:
        if size <= candidate:
            return candidate
    return -(-size // sizes[-1]) * sizes[-1]


@dataclass(frozen=True, slots=True)
class Scores:
    """The target's outputs for one tree.

    ``choice[i]`` is the argmax token after node ``i``. ``best[i]`` is that token's log-probability (nats) and
    ``drafted[i]`` the log-probability of node ``i``'s own token after its parent; both are empty for rules that do not
    need them. ``margin[i]`` is the difference of the two best logits; empty if not asked for. ``hidden`` ``(nodes,
    size)`` are the last hidden states, if asked for.
    """

    choice: Sequence[int]
    best: Sequence[float] = ()
    drafted: Sequence[float] = ()
    margin: Sequence[float] = ()
    hidden: torch.Tensor | None = None

    def states(self, nodes: Sequence[int]) -> torch.Tensor | None:
        """The last hidden states ``(nodes, size)`` of ``nodes`` in memory of their own, if they are known. The indices
        are not copied to the device."""
        if self.hidden is None:
            return None
        import torch

        return torch.stack([self.hidden[node] for node in nodes])


@dataclass(frozen=True, slots=True)
class StepOutput:
    """The target's answer to a :class:`StepBatch`: the fields of :class:`Scores` for each row, as ``(rows, tree)``
    nested lists on the host; ``hidden`` ``(rows, tree, size)`` is on the device and valid until the next step."""

    choice: Sequence[Sequence[int]]
    best: Sequence[Sequence[float]] = ()
    drafted: Sequence[Sequence[float]] = ()
    margin: Sequence[Sequence[float]] = ()
    hidden: torch.Tensor | None = None

    @property
    def scores(self) -> Iterator[Scores]:
        """The outputs row by row."""
        nothing = [()] * len(self.choice)
        return map(
            Scores,
            self.choice,
            self.best or nothing,
            self.drafted or nothing,
            self.margin or nothing,
            [None] * len(self.choice) if self.hidden is None else self.hidden,
        )


class PendingToken(NamedTuple):
    """One token to run alone: the pending token of row 0, its rotary position, and the number of verified tokens before
    it. The choice after it follows ``rules``; its ``margin`` is computed if asked for."""

    token: int
    position: int
    length: int
    rules: RowRules | None = None
    margin: bool = False


class Choice(NamedTuple):
    """The target's next token, and the difference of the two best logits (NaN if not asked for)."""

    token: int
    margin: float = math.nan


@dataclass(frozen=True, slots=True)
class StepReport:
    """How steps run: ``mode`` (``eager``, ``cuda``, ``compile``), the reason, the captured shapes held at present, the
    total number of captures and their seconds."""

    mode: str
    reason: str
    held: int = 0
    captured: int = 0
    warmup_seconds: float = 0.0


class StepRunner(Protocol):
    """Runs steps of one target. ``dense``: it needs the step's mask on the host."""

    @property
    def dense(self) -> bool: ...

    @property
    def report(self) -> StepReport: ...

    def geometry(self, rows: int, slots: int) -> tuple[int, int]:
        """Rows and slots of the cache for ``rows`` and ``slots``: rounded to few values if captures depend on them."""
        ...

    def padded(self, nodes: int, reach: int, slots: int) -> tuple[int, int]:
        """Padded nodes for trees of ``nodes``, and slots in view that include ``reach`` of a buffer of ``slots``:
        rounded to few values, because shapes that repeat run faster."""
        ...

    def run(self, step: StepBatch, cache: SlotCache) -> StepOutput:
        """Verifies ``step`` over ``cache``."""
        ...

    def advance(self, pending: PendingToken, cache: SlotCache) -> Choice:
        """The choice after one token that runs alone."""
        ...

    def forget(self) -> None:
        """Frees the memory of captured steps."""
        ...
