"""The changes that generation rules make to a step's logits: computed on the host, applied on the device.

The edits of all rows are copied together. The arithmetic is that of transformers' own processors, in the same order:
biases, the repetition penalty, forbidden tokens, forced tokens.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from docspec.targets.staging import uploaded


@dataclass(slots=True)
class Edits:
    """Changes to logits ``(rows, nodes, vocab)``. ``penalised`` and ``forbidden`` tokens ``(row, token)`` apply to all
    nodes of a row, those in ``..._at`` ``(row, node, token)`` to one node. At ``forced`` nodes only ``allowed`` tokens
    remain."""

    penalty: float = 1.0
    biases: dict[tuple[int, int, int], np.float32] = field(default_factory=dict)
    penalised: list[tuple[int, int]] = field(default_factory=list)
    penalised_at: list[tuple[int, int, int]] = field(default_factory=list)
    forbidden: list[tuple[int, int]] = field(default_factory=list)
    forbidden_at: list[tuple[int, int, int]] = field(default_factory=list)
    forced: list[tuple[int, int]] = field(default_factory=list)
    allowed: list[tuple[int, int, int]] = field(default_factory=list)

    def bias(self, row: int, node: int, token: int, amount: float) -> None:
        """Adds ``amount`` to a logit."""
        at = row, node, token
        self.biases[at] = self.biases.get(at, np.float32(0)) + np.float32(amount)

    def force(self, row: int, node: int, tokens: Sequence[int]) -> None:
        """Leaves only ``tokens`` at a node."""
        self.forced.append((row, node))
        self.allowed += [(row, node, token) for token in tokens]

    def arrays(self) -> tuple[np.ndarray, ...]:
        """The arguments of :meth:`applied`: index arrays ``(axes, entries)``, and last the amounts of the biases."""
        lists: tuple[tuple[Sequence[tuple[int, ...]], int], ...] = (
            (list(self.biases), 3),
            (self.penalised, 2),
            (self.penalised_at, 3),
            (self.forbidden, 2),
            (self.forbidden_at, 3),
            (self.forced, 2),
            (self.allowed, 3),
        )
        indices = [np.array(indices, dtype=np.int64).reshape(-1, axes).T for indices, axes in lists]
        return *indices, np.array(list(self.biases.values()), dtype=np.float32)

    def applied(self, logits: torch.Tensor, arrays: Sequence[torch.Tensor] | None = None) -> torch.Tensor:
        """``logits`` ``(rows, nodes, vocab)`` with these changes, in float32; ``arrays`` are :meth:`arrays` on the
        device, if they are there already."""
        if arrays is None:
            arrays = [uploaded(torch.from_numpy(one.copy()), logits.device) for one in self.arrays()]
        biased, penalised, penalised_at, forbidden, forbidden_at, forced, allowed, amounts = arrays
        logits = logits.to(torch.float32, copy=True)
        everywhere = logits.transpose(1, 2)  # (rows, vocab, nodes), the same memory
        if len(amounts):
            logits[tuple(biased)] += amounts
        for view, index in ((everywhere, penalised), (logits, penalised_at)):
            if index.numel():
                values = view[tuple(index)]
                view[tuple(index)] = torch.where(values < 0, values * self.penalty, values / self.penalty)
        for view, index, value in (
            (everywhere, forbidden, -math.inf),
            (logits, forbidden_at, -math.inf),
            (logits, forced, -math.inf),
            (logits, allowed, 0.0),
        ):
            if index.numel():
                view.index_put_(tuple(index), torch.full((), value, device=logits.device))
        return logits
