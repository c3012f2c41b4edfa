"""What a verification step should cost, on paper: by size of model and device, every assumption beside it.

Nothing is run: the model is laid out without memory, its operations are counted, and the rest is division. Who has the
device sees by ``docspec bench step`` where reality differs, and by which part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from docspec.targets.stepping.inputs import Inputs

if TYPE_CHECKING:
    from docspec.targets.adapter import TransformersTarget


@dataclass(frozen=True, slots=True)
class Machine:
    """A device by its published figures: bytes and half-precision operations a second, and multiprocessors."""

    name: str
    bandwidth: float
    operations: float
    processors: int


MACHINES = (
    Machine("H100 SXM", 3.35e12, 989e12, 132),
    Machine("A100 80GB", 2.04e12, 312e12, 108),
    Machine("RTX 4090", 1.01e12, 165e12, 128),
    Machine("L4", 0.30e12, 121e12, 58),
)
"""From the makers' data sheets, dense, without sparsity."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is not known of a device before it is there. Microseconds, and shares of the published figures.

    ``launch`` is the host's time for one operation of torch, kernel by kernel; ``gap`` what lies between two kernels of
    a captured graph; ``replay`` the launch of a graph; ``copy`` a small copy or a wait. ``host`` is what trees, masks
    and their outcome take of the host, as measured on a CPU of 2026. ``block`` are the queries that one multiprocessor
    takes of a tree's attention.
    """

    launch: float = 7.0
    gap: float = 1.2
    replay: float = 15.0
    copy: float = 12.0
    host: float = 1000.0
    of_bandwidth: float = 0.8
    of_operations: float = 0.5
    block: int = 64


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What of a model the paper needs: operations of a step as torch dispatches them, bytes of the weights that every
    step reads, bytes a token of keys and values, weights that a token is multiplied with, and its attention."""

    operations: int
    weight_bytes: int
    kv_bytes: int
    weights: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int


@dataclass(frozen=True, slots=True)
class StepEstimate:
    """Milliseconds of one step: ``plain`` kernel by kernel and ``graphed``, from the parts that follow."""

    rows: int
    tree: int
    launches: float
    gaps: float
    weights: float
    keys_values: float
    arithmetic: float
    attention: float
    copies: float
    host: float

    @property
    def on_device(self) -> float:
        """Weights are read while they are multiplied; what takes longer counts."""
        return max(self.weights, self.arithmetic) + max(self.keys_values, self.attention)

    @property
    def plain(self) -> float:
        """The host launches while the device works; what takes longer counts."""
        return max(self.launches, self.on_device) + self.copies + self.host

    @property
    def graphed(self) -> float:
        return self.on_device + self.gaps + self.copies + self.host


def cost(
    shape: ModelShape, machine: Machine, rows: int, tree: int, prefix: int, assumed: Assumptions | None = None
) -> StepEstimate:
    """One step of ``rows`` trees of ``tree`` nodes behind ``prefix`` tokens."""
    assumed = assumed or Assumptions()
    bandwidth, speed = assumed.of_bandwidth * machine.bandwidth, assumed.of_operations * machine.operations
    tokens, groups = rows * tree, shape.heads // shape.kv_heads
    blocks = rows * shape.kv_heads * -(-groups * tree // assumed.block)
    busy = min(1.0, blocks / machine.processors)
    looked = 4 * tokens * (prefix + tree) * shape.heads * shape.head_dim * shape.layers
    return StepEstimate(
        rows,
        tree,
        launches=1e-3 * shape.operations * assumed.launch,
        gaps=1e-3 * (shape.operations * assumed.gap + assumed.replay),
        weights=1e3 * shape.weight_bytes / bandwidth,
        keys_values=1e3 * rows * (prefix + tree) * shape.kv_bytes / (bandwidth * busy),
        arithmetic=1e3 * 2 * shape.weights * tokens / speed,
        attention=1e3 * looked / (speed * busy),
        copies=1e-3 * 3 * assumed.copy,
        host=1e-3 * assumed.host,
    )


class _Operations(TorchDispatchMode):
    """Counts what is dispatched; views launch nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        found = func(*args, **(kwargs or {}))
        makes_nothing = func.is_view or func.overloadpacket in _MAKE_NOTHING
        self.count += not makes_nothing
        return found


_MAKE_NOTHING = {torch.ops.aten.empty, torch.ops.aten.empty_strided, torch.ops.aten.empty_like, torch.ops.aten.detach}


def shape_of(target: TransformersTarget, prefix: int = 1024, tree: int = 64) -> ModelShape:
    """Of a ``target`` on any device, the one without memory (``meta``) included: one step of a row is run."""
    spec, config = target.kv_spec, target.decoder.config
    cache = target.kv.cache(1, prefix + tree + 1)
    grid = torch.zeros(1, tree, dtype=torch.long, device=spec.device)
    one = torch.ones(1, dtype=torch.long, device=spec.device)
    ancestry = torch.ones(1, tree, tree, dtype=torch.bool, device=spec.device)
    inputs = Inputs(grid, grid, grid, grid, one, one, one, ancestry)
    cache.reserve(tree)
    with torch.inference_mode(), _Operations() as counted:
        cache.begin_static_step(grid.flatten(), 1, prefix + tree, one)
        mask = inputs.mask(prefix + tree)
        target.logits(target.hidden(grid, grid, mask, cache)).argmax(-1)
    experts, chosen = _experts(config)
    weight_bytes = target.decoder_bytes
    per_token = weight_bytes // spec.dtype.itemsize
    if experts:  # a tree reads nearly all of them, a token is multiplied with few
        named = target.decoder.named_parameters()
        routed = sum(weight.numel() for name, weight in named if ".experts." in name)
        per_token -= round(routed * (1 - chosen / experts))
    return ModelShape(
        counted.count,
        weight_bytes,
        spec.bytes_per_slot(),
        per_token,
        spec.layers,
        config.num_attention_heads,
        spec.kv_heads,
        spec.head_dim,
    )


def _experts(config: object) -> tuple[int, int]:
    """Of a mixture: all of them, and those of a token."""
    names = ("num_experts", "n_routed_experts", "num_local_experts")
    all_of_them = next((n for n in (getattr(config, name, None) for name in names) if n), 0)
    return int(all_of_them), int(getattr(config, "num_experts_per_tok", None) or 0)
