"""The state of each row between steps: the states of all recurrent layers, the last inputs of their convolutions, and a
log of the updates of the last step's nodes.

States are those of the verified tokens before the last step's trees. A step reads them and writes only the log: so it
can be run twice, and captured, as all of this memory stays in place. The accepted nodes are known when the next step is
laid out. Before that step runs, their updates are added for all layers together (:meth:`RecurrentStates.settle`); the
others are dropped with the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from docspec.targets.recurrent.gated_delta import Updates, committed
from docspec.targets.staging import uploaded


@dataclass(frozen=True, slots=True)
class RecurrentSpec:
    """The recurrent layers of a decoder by their indices, the shape of their states (``heads`` x ``key_dim`` x
    ``value_dim``, float32), and the ``window`` of past inputs of ``channels`` numbers that a convolution needs."""

    layers: tuple[int, ...]
    heads: int
    key_dim: int
    value_dim: int
    channels: int
    window: int


class TreeStep(NamedTuple):
    """A step for recurrent layers. ``ancestry`` ``(rows, nodes, nodes)`` has each node's ancestors and itself;
    ``windows`` ``(rows, nodes, window + 1)`` are the inputs of a node's convolution: indices into the row's past inputs
    followed by those of the nodes."""

    ancestry: torch.Tensor
    windows: torch.Tensor


class Prompts(NamedTuple):
    """A prefill for recurrent layers: ``rows`` with prompts of ``lengths`` tokens, padded on the right; with
    ``continued`` the prompt continues from the row's state."""

    rows: torch.Tensor
    lengths: torch.Tensor
    continued: bool = False


class Log(NamedTuple):
    """The updates of nodes: the parts of :class:`Updates` and the convolutions' ``inputs``, each ``(layers, rows,
    nodes, ...)``."""

    decays: torch.Tensor
    keys: torch.Tensor
    values: torch.Tensor
    inputs: torch.Tensor


class Remembered(NamedTuple):
    """Saved rows: states, inputs, and the number of tokens in them."""

    states: torch.Tensor
    inputs: torch.Tensor
    lengths: np.ndarray


class RecurrentStates:
    """The recurrent layers' part of a cache of ``rows`` rows, with the same operations as its keys and values.

    ``states`` ``(layers, rows, heads, key_dim, value_dim)`` in float32, ``inputs`` ``(layers, rows, window,
    channels)``.
    """

    def __init__(self, spec: RecurrentSpec, rows: int, dtype: torch.dtype, device: torch.device) -> None:
        self.spec = spec
        self.rows = rows
        self._at = {index: at for at, index in enumerate(spec.layers)}
        layers = len(spec.layers)
        with torch.inference_mode(False):
            self.states = torch.zeros((layers, rows, spec.heads, spec.key_dim, spec.value_dim), device=device)
            self.inputs = torch.zeros((layers, rows, spec.window, spec.channels), dtype=dtype, device=device)
        self._log: Log | None = None
        self._lengths = np.zeros(rows, dtype=np.int64)  # tokens that are in the states
        self._width = 0  # nodes a row of the latest step
        self._slots: torch.Tensor | None = None
        self._step: TreeStep | None = None
        self._remembered: Remembered | None = None
        self.prompts: Prompts | None = None
        """The prefill that goes on; ``None`` while a step does."""

    @property
    def memory(self) -> tuple[torch.Tensor, ...]:
        return self.states, self.inputs, *(self._log or ())

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in (*self.memory, *(self._remembered or ())))

    def at(self, index: int) -> int:
        """The index among recurrent layers of the decoder's layer ``index``."""
        return self._at[index]

    def begin_prefills(self, rows: Sequence[int], lengths: Sequence[int]) -> None:
        device = self.states.device
        self.prompts = Prompts(torch.tensor(rows, device=device), torch.tensor(lengths, device=device))
        self._lengths[list(rows)] = lengths

    def begin_piece(self, row: int, start: int, stop: int) -> None:
        device = self.states.device
        rows, lengths = torch.tensor([row], device=device), torch.tensor([stop - start], device=device)
        self.prompts = Prompts(rows, lengths, continued=start > 0)
        self._lengths[row] = stop

    def unsettled(self, lengths: np.ndarray) -> np.ndarray:
        """How many nodes of the last step are among the ``lengths`` ``(rows,)`` verified tokens of each row."""
        found: np.ndarray = (lengths - self._lengths[: len(lengths)]).clip(0, self._width)
        return found

    @torch.inference_mode()
    def settle(self, lengths: np.ndarray, accepted: torch.Tensor, nodes: int) -> None:
        """Prepares a step with trees of ``nodes`` nodes after ``lengths`` ``(rows,)`` verified tokens: adds the
        ``accepted`` ``(rows or more,)`` nodes of the last step, a tensor on the device, to the states."""
        rows, most = len(lengths), int(self.unsettled(lengths).max(initial=0))
        if most:
            self.states[:, :rows], self.inputs[:, :rows] = self._after(accepted[:rows], most)
        self._lengths[:rows] = lengths
        self._width = nodes
        self.prompts = None
        self.reserve(nodes)

    def _after(self, accepted: torch.Tensor, most: int) -> tuple[torch.Tensor, torch.Tensor]:
        """States and inputs of the first rows after ``accepted`` ``(rows,)`` nodes of the last step, at most
        ``most``."""
        assert self._log is not None
        rows = len(accepted)
        decays, keys, values, inputs = (part[:, :rows, :most] for part in self._log)
        states = committed(self.states[:, :rows], Updates(decays, keys, values), accepted)
        shown = torch.cat([self.inputs[:, :rows], inputs], dim=2)
        indices = accepted.unsqueeze(1) + torch.arange(self.spec.window, device=accepted.device)
        indices = indices.unsqueeze(-1).expand(shown.shape[0], -1, -1, shown.shape[3])
        return states, shown.gather(2, indices)

    def reserve(self, nodes: int) -> None:
        """Makes room in the log for trees of ``nodes`` nodes; its content is kept."""
        old = self._log
        room = 0 if old is None else old.decays.shape[2]
        if nodes <= room:
            return
        spec, layers = self.spec, len(self.spec.layers)
        heads, keys, values = (spec.heads,), (spec.heads, spec.key_dim), (spec.heads, spec.value_dim)
        kinds = [(heads, self.states), (keys, self.states), (values, self.states), ((spec.channels,), self.inputs)]
        with torch.inference_mode(False):
            shape = (layers, self.rows, max(nodes, 2 * room))
            self._log = Log(*(like.new_zeros((*shape, *rest)) for rest, like in kinds))
            for new, known in zip(self._log, old or (), strict=False):
                new[:, :, :room] = known

    def begin_step(self, slots: torch.Tensor) -> None:
        """Prepares a forward pass over trees whose nodes are written to ``slots`` ``(rows, nodes)``, after all verified
        tokens."""
        self.prompts, self._step, self._slots = None, None, slots

    def step(self, mask: torch.Tensor) -> TreeStep:
        """The current step; its ``mask`` ``(rows, nodes, slots)`` is true for the slots that a node attends to."""
        if self._step is None:
            if self._slots is None:
                raise RuntimeError("no step was begun")
            self._step = self._step_of(self._slots, mask)
        return self._step

    def _step_of(self, slots: torch.Tensor, mask: torch.Tensor) -> TreeStep:
        rows, nodes = slots.shape
        inside = slots < mask.shape[2]
        columns = slots.clamp(max=mask.shape[2] - 1).unsqueeze(1).expand(rows, nodes, nodes)
        ancestry = mask.gather(2, columns) & inside.unsqueeze(1)
        depths = ancestry.sum(2) - 1
        back = torch.arange(self.spec.window, -1, -1, device=slots.device)
        wanted = depths.unsqueeze(-1) - back  # depths of the ancestors in a window; negative: before the tree
        found = (ancestry.unsqueeze(2) & (depths[:, None, None, :] == wanted.unsqueeze(-1))).long().argmax(-1)
        windows = torch.where(wanted < 0, wanted, found) + self.spec.window
        return TreeStep(ancestry, windows.clamp(min=0))

    def note(self, at: int, updates: Updates, inputs: torch.Tensor) -> None:
        """Logs the updates of the current step's nodes for layer ``at``."""
        assert self._log is not None, "no step was settled"
        rows, nodes = inputs.shape[:2]
        for kept, new in zip(self._log, (updates.decays, updates.keys, updates.values, inputs), strict=True):
            kept[at, :rows, :nodes].copy_(new)

    def moved(self, moves: Iterable[tuple[int, list[int], int]]) -> list[list[int]]:
        """The rows, source nodes and target indices in the log for the ``moves`` of ``SlotCache.compact``."""
        rows: list[int] = []
        nodes: list[int] = []
        indices: list[int] = []
        for row, slots, to in moves:
            root = int(self._lengths[row])
            rows += [row] * len(slots)
            nodes += [slot - root for slot in slots]
            indices += range(to - root, to - root + len(slots))
        return [rows, nodes, indices]

    @torch.inference_mode()
    def compact(self, rows: torch.Tensor, nodes: torch.Tensor, indices: torch.Tensor) -> None:
        """Moves the log entries of ``nodes`` of ``rows`` to ``indices`` (see :meth:`moved`)."""
        for part in self._log or ():
            part[:, rows, indices] = part[:, rows, nodes]

    @torch.inference_mode()
    def move_row(self, source: int, target: int) -> None:
        self._lengths[target] = self._lengths[source]
        for part in (self.states, self.inputs, *(part[:, :, : self._width] for part in self._log or ())):
            part[:, target] = part[:, source]

    @torch.inference_mode()
    def remember(self, lengths: Sequence[int]) -> None:
        """Saves the states of the first rows after ``lengths`` tokens, for :meth:`recall`."""
        wanted = np.array(lengths)
        rows, accepted = len(wanted), self.unsettled(wanted)
        if most := int(accepted.max(initial=0)):
            counts = uploaded(torch.from_numpy(accepted), self.states.device)
            states, inputs = self._after(counts, most)
        else:
            states, inputs = self.states[:, :rows].clone(), self.inputs[:, :rows].clone()
        self._remembered = Remembered(states, inputs, wanted)

    @torch.inference_mode()
    def recall(self) -> None:
        if self._remembered is None:
            raise RuntimeError("nothing was remembered")
        states, inputs, lengths = self._remembered
        rows = len(lengths)
        self.states[:, :rows], self.inputs[:, :rows], self._lengths[:rows] = states, inputs, lengths
        self._width = 0

    @torch.inference_mode()
    def take(self, other: RecurrentStates) -> None:
        rows = other.rows
        self.states[:, :rows], self.inputs[:, :rows] = other.states, other.inputs
        self._lengths[:rows] = other._lengths
