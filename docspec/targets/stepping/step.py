"""What a verification step takes and gives, as plain arrays and numbers on the host."""

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
    """What a step is to tell beside its choices; whatever nobody asks for costs nothing.

    ``scores`` are log-probabilities of choices and nodes, ``margins`` those of the choices, ``ranks`` so many likeliest
    tokens after each node, ``hidden`` the last hidden states of all nodes.
    """

    scores: bool = False
    margins: bool = False
    ranks: int = 0
    hidden: bool = False

    def __or__(self, other: OutputFlags) -> OutputFlags:
        """What both ask for."""
        return OutputFlags(
            self.scores or other.scores,
            self.margins or other.margins,
            max(self.ranks, other.ranks),
            self.hidden or other.hidden,
        )


CHOICES_ONLY = OutputFlags()


class Verified(NamedTuple):
    """The trees of a step with what the target makes of them, on the device: ``tokens``, ``parents`` and ``choice``
    (the target's token after each node) are ``(rows, tree)``, ``ancestry`` is ``(rows, tree, tree)`` and false for
    padding, ``hidden``, where it was asked for, is ``(rows, tree, size)``. No path has more than ``deepest`` nodes."""

    tokens: torch.Tensor
    parents: torch.Tensor
    ancestry: torch.Tensor
    choice: torch.Tensor
    hidden: torch.Tensor | None
    deepest: int


class Behind(Protocol):
    """Work on the device that follows a step: it is launched before the step's answer is waited for, and what it finds
    comes with that."""

    def arrays(self) -> Sequence[np.ndarray]:
        """What it needs of the host; comes to the device in the step's own copy."""
        ...

    def launch(self, verified: Verified, arrays: Sequence[torch.Tensor]) -> torch.Tensor:
        """Computes without waiting, with its ``arrays`` on the device; numbers that float32 holds, in any shape."""
        ...

    def arrived(self, numbers: torch.Tensor) -> None:
        """What :meth:`launch` found is on the host."""
        ...


@dataclass(frozen=True)
class StepBatch:
    """Trees of one step behind their prefixes.

    ``tokens``, ``positions``, ``slots``, ``parents`` are ``(rows, tree)``; ``lengths`` ``(rows,)`` are the verified
    tokens before each tree; ``ancestry`` ``(rows, tree, tree)`` is true where a node may look at another one.
    ``view_slots`` are the slots that attention has to look at. ``rules`` are the rows' generation rules, none where no
    row has any. ``flags`` is what the answer tells beside the choices; ``behind`` is launched behind the step.
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
        """Nodes of each row, padding included."""
        return int(self.tokens.shape[1])

    @cached_property
    def mask(self) -> np.ndarray:
        """Boolean ``(rows, tree, view_slots)``, true where a token may look: its prefix and its path.

        Padding looks at the prefix alone, and nothing looks at padding.
        """
        mask = np.zeros((self.rows, self.width, self.view_slots), dtype=bool)
        for row, length in enumerate(self.lengths.tolist()):
            mask[row, :, :length] = True
            reach = min(self.width, self.view_slots - length)
            mask[row, :, length : length + reach] = self.ancestry[row, :, :reach]
        return mask


def chain(rows: int, width: int, prefix: int, view_slots: int) -> StepBatch:
    """A step for measurements: in each row ``width`` meaningless tokens in a chain behind ``prefix`` verified ones."""
    indices = np.tile(np.arange(prefix, prefix + width), (rows, 1))
    parents = np.tile(np.maximum(np.arange(width) - 1, 0), (rows, 1))
    lengths = np.full(rows, prefix)
    ancestry = np.tile(np.tri(width, dtype=bool), (rows, 1, 1))
    return StepBatch(np.zeros_like(indices), indices, indices, parents, lengths, ancestry, view_slots)


def bucket(size: int, sizes: tuple[int, ...]) -> int:
    """The least of ``sizes`` that holds ``size``; beyond them, the next multiple of the largest."""
    for candidate in sizes:
        if size <= candidate:
            return candidate
    return -(-size // sizes[-1]) * sizes[-1]


@dataclass(frozen=True, slots=True)
class Scores:
    """What the target says about one tree.

    ``choice[i]`` is the argmax token after node ``i``. ``best[i]`` is that token's log-probability (nats) and
    ``drafted[i]`` the log-probability of node ``i``'s own token after its parent; both are empty for rules that
    do not ask for them. ``top[i]`` are the likeliest tokens after node ``i``, best first, and ``margin[i]`` how far the
    first one's logit is from the second one's; empty where nobody asked. ``hidden`` ``(nodes, size)`` are the last
    hidden states, where they were asked for.
    """

    choice: Sequence[int]
    best: Sequence[float] = ()
    drafted: Sequence[float] = ()
    top: Sequence[Sequence[int]] = ()
    margin: Sequence[float] = ()
    hidden: torch.Tensor | None = None

    def states(self, nodes: Sequence[int]) -> torch.Tensor | None:
        """The last hidden states ``(nodes, size)`` of ``nodes``, in memory of their own, where they are known. Which
        they are is not uploaded."""
        if self.hidden is None:
            return None
        import torch

        return torch.stack([self.hidden[node] for node in nodes])


@dataclass(frozen=True, slots=True)
class StepOutput:
    """The target's answer to a :class:`StepBatch`, ``(rows, tree)`` nested lists on the host: for each row what
    :class:`Scores` says, ``hidden`` ``(rows, tree, size)`` on the device and valid until the next step."""

    choice: Sequence[Sequence[int]]
    best: Sequence[Sequence[float]] = ()
    drafted: Sequence[Sequence[float]] = ()
    top: Sequence[Sequence[Sequence[int]]] = ()
    margin: Sequence[Sequence[float]] = ()
    hidden: torch.Tensor | None = None

    @property
    def scores(self) -> Iterator[Scores]:
        """Row by row."""
        nothing = [()] * len(self.choice)
        return map(
            Scores,
            self.choice,
            self.best or nothing,
            self.drafted or nothing,
            self.top or nothing,
            self.margin or nothing,
            [None] * len(self.choice) if self.hidden is None else self.hidden,
        )


class Pending(NamedTuple):
    """One token to run alone: the pending one of row 0, its rotary position, the verified tokens before it. The choice
    after it is made as ``rules`` say, its ``margin`` told where that is asked for."""

    token: int
    position: int
    length: int
    rules: RowRules | None = None
    margin: bool = False


class Choice(NamedTuple):
    """The target's next token, and how far its logit is from the second one (NaN where nobody asked)."""

    token: int
    margin: float = math.nan


@dataclass(frozen=True, slots=True)
class StepReport:
    """How steps are run: ``mode`` (``eager``, ``cuda``, ``compile``), why, the captured shapes held at present, those
    captured in all and the seconds that this took."""

    mode: str
    reason: str
    held: int = 0
    captured: int = 0
    warmup_seconds: float = 0.0


class StepRunner(Protocol):
    """Runs steps of one target. ``dense``: whether it wants the step's mask laid out on the host."""

    @property
    def dense(self) -> bool: ...

    @property
    def report(self) -> StepReport: ...

    def geometry(self, rows: int, slots: int) -> tuple[int, int]:
        """Rows and slots of the cache to make where ``rows`` and ``slots`` are needed: few different ones, where
        captures depend on it."""
        ...

    def padded(self, nodes: int, reach: int, slots: int) -> tuple[int, int]:
        """Nodes that trees of ``nodes`` are padded to, and slots to look at so that ``reach`` of a buffer of ``slots``
        are seen: few different ones, as shapes that repeat run faster."""
        ...

    def run(self, step: StepBatch, cache: SlotCache) -> StepOutput:
        """Verifies ``step`` over ``cache``."""
        ...

    def advance(self, pending: Pending, cache: SlotCache) -> Choice:
        """The choice after one token run alone."""
        ...

    def forget(self) -> None:
        """Lets go of the memory that captures of steps hold."""
        ...
