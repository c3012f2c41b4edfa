"""What is kept of each row between steps: the state of every recurrent layer, the last inputs of its convolution, and
what the nodes of the latest step would add to both.

A row's state is that of its verified tokens before the latest step. Which nodes of that step were accepted is known
when the next one begins: its trees stand behind all verified tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from docspec.targets.recurrent.gated_delta import Updates, committed


@dataclass(frozen=True, slots=True)
class RecurrentSpec:
    """Recurrent layers of a decoder by their places in it, the shape of their states (``heads`` x ``key_dim`` x
    ``value_dim``, float32), and the ``window`` inputs of ``channels`` numbers that a convolution looks back."""

    layers: tuple[int, ...]
    heads: int
    key_dim: int
    value_dim: int
    channels: int
    window: int

    def bytes_per_row(self, itemsize: int) -> int:
        """Bytes of one row's states, and of its convolutions' inputs of ``itemsize`` bytes a number."""
        state = 4 * self.heads * self.key_dim * self.value_dim
        return len(self.layers) * (state + itemsize * self.channels * self.window)


@dataclass(frozen=True, slots=True)
class TreeStep:
    """A step as recurrent layers see it. ``ancestry`` ``(rows, nodes, nodes)`` holds each node's ancestors and itself;
    ``windows`` ``(rows, nodes, window + 1)`` are places, in a row's kept inputs followed by the nodes' own, that a
    node's convolution covers; ``accepted`` ``(rows,)`` nodes of the step before were."""

    ancestry: torch.Tensor
    windows: torch.Tensor
    accepted: torch.Tensor


@dataclass(frozen=True, slots=True)
class Prompts:
    """A prefill as recurrent layers see it: ``rows`` with prompts of ``lengths`` tokens, padded on the right; a
    ``continued`` one goes on where its row is."""

    rows: torch.Tensor
    lengths: torch.Tensor
    continued: bool = False


@dataclass(slots=True)
class LayerStates:
    """One layer's ``states`` ``(rows, heads, key_dim, value_dim)`` and kept ``inputs`` ``(rows, window, channels)``; of
    the latest step the nodes' ``updates`` and inputs ``(rows, nodes, channels)``."""

    states: torch.Tensor
    inputs: torch.Tensor
    updates: Updates | None = None
    node_inputs: torch.Tensor | None = None

    def commit(self, accepted: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Adds the ``accepted`` ``(rows,)`` nodes of the latest step; the states and inputs of those rows."""
        rows = len(accepted)
        states, inputs = self.states[:rows], self.inputs[:rows]
        if self.updates is not None and self.node_inputs is not None:
            known = min(rows, len(self.node_inputs))
            updates, counts = _first(self.updates, known), accepted[:known]
            states[:known] = committed(states[:known], updates, counts)
            window = inputs.shape[1]
            shown = torch.cat([inputs[:known], self.node_inputs[:known]], dim=1)
            places = counts.unsqueeze(1) + torch.arange(window, device=counts.device)
            inputs[:known] = shown.gather(1, places.unsqueeze(-1).expand(-1, -1, shown.shape[2]))
        return states, inputs


class RecurrentStates:
    """The recurrent layers' part of a cache of ``rows`` rows; told of the same things as its keys and values."""

    def __init__(self, spec: RecurrentSpec, rows: int, dtype: torch.dtype, device: torch.device) -> None:
        self.spec = spec
        self.rows = rows
        self.nbytes = rows * spec.bytes_per_row(dtype.itemsize)
        """Bytes of states and inputs; what the nodes of the latest step would add comes on top."""
        count, window = len(spec.layers), spec.window
        shape = (count, rows, spec.heads, spec.key_dim, spec.value_dim)
        states = torch.zeros(shape, dtype=torch.float32, device=device)
        inputs = torch.zeros((count, rows, window, spec.channels), dtype=dtype, device=device)
        self._layers = {
            place: LayerStates(*both) for place, both in zip(spec.layers, zip(states, inputs, strict=True), strict=True)
        }
        self._lengths = torch.zeros(rows, dtype=torch.long, device=device)
        self._slots: torch.Tensor | None = None
        self._step: TreeStep | None = None
        self.prompts: Prompts | None = None
        """The prefill that goes on; ``None`` while a step does."""

    def layer(self, place: int) -> LayerStates:
        """What is kept of the layer at ``place`` of the decoder."""
        return self._layers[place]

    @torch.inference_mode()
    def begin_prefills(self, rows: Sequence[int], lengths: Sequence[int]) -> None:
        """The next forward pass is whole prompts."""
        device = self._lengths.device
        self.prompts = Prompts(torch.tensor(rows, device=device), torch.tensor(lengths, device=device))
        self._lengths[self.prompts.rows] = self.prompts.lengths

    @torch.inference_mode()
    def begin_piece(self, row: int, start: int, stop: int) -> None:
        """The next forward pass is tokens ``start`` to ``stop`` of a row's prompt."""
        device = self._lengths.device
        rows, lengths = torch.tensor([row], device=device), torch.tensor([stop - start], device=device)
        self.prompts = Prompts(rows, lengths, continued=start > 0)
        self._lengths[row] = stop

    def begin_step(self, slots: torch.Tensor) -> None:
        """The next forward pass is trees whose nodes go to ``slots`` ``(rows, nodes)``, the roots behind all verified
        tokens."""
        self.prompts, self._step, self._slots = None, None, slots

    def step(self, mask: torch.Tensor) -> TreeStep:
        """The step that was begun, whose ``mask`` ``(rows, nodes, slots)`` is true where a node may look."""
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
        accepted = (slots[:, 0] - self._lengths[:rows]).clamp(0, self._nodes)
        self._lengths[:rows] = slots[:, 0]
        return TreeStep(ancestry, windows.clamp(min=0), accepted)

    @property
    def _nodes(self) -> int:
        """Nodes a row of the latest step."""
        first = next(iter(self._layers.values())).node_inputs
        return 0 if first is None else first.shape[1]

    @torch.inference_mode()
    def compact(self, sources: torch.Tensor, targets: torch.Tensor, slots: int) -> None:
        """What nodes in ``sources`` add belongs in ``targets`` now: addresses ``row * slots + slot`` ``(moved,)``."""
        rows = sources // slots
        roots = self._lengths[rows]
        nodes, places = sources % slots - roots, targets % slots - roots
        for layer in self._layers.values():
            if layer.updates is None or layer.node_inputs is None:
                continue
            for each in (layer.updates.decays, layer.updates.keys, layer.updates.values, layer.node_inputs):
                each[rows, places] = each[rows, nodes]

    @torch.inference_mode()
    def move_row(self, source: int, target: int) -> None:
        """Row ``target`` is what row ``source`` was."""
        self._lengths[target] = self._lengths[source]
        for layer in self._layers.values():
            kept = [layer.states, layer.inputs]
            if layer.updates is not None and layer.node_inputs is not None:
                kept += [layer.updates.decays, layer.updates.keys, layer.updates.values, layer.node_inputs]
            for each in kept:
                each[target] = each[source]


def _first(updates: Updates, rows: int) -> Updates:
    return replace(
        updates, decays=updates.decays[:rows], keys=updates.keys[:rows], values=updates.values[:rows]
    )
