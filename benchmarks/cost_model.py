"""What a verification step should cost, on paper: by size of model and device, every assumption beside it.

Nothing is run: the model is laid out without memory, its operations are counted, and the rest is division. Who has the
device sees by ``python -m benchmarks step`` where reality differs, and by which part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchmarks.launches import as_on_a_gpu, launches
from docspec.targets.tree_attention import block_of, parts_of

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
    Machine("H200", 4.8e12, 989e12, 132),
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


AS_MEASURED = Assumptions(gap=0.84, copy=10.0, host=700.0, of_bandwidth=0.9)
"""What the H200 of docs/gpu-measured.md showed of itself: small kernels in a graph, copies and waits, the triad's
bandwidth; and the host's part of a step, beside which it was measured."""


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What of a model the paper needs: operations of a step by kind (:data:`benchmarks.launches.KINDS`), bytes of the
    weights that every step reads, bytes a token of keys and values, weights that a token is multiplied with, and its
    attention."""

    operations: Mapping[str, int]
    weight_bytes: int
    kv_bytes: int
    weights: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    split: bool = False
    """Whether attention splits the keys of a prefix (:mod:`docspec.targets.tree_attention`)."""

    @property
    def launched(self) -> int:
        """All operations."""
        return sum(self.operations.values())


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
    block = block_of(groups * tree) if shape.split else assumed.block
    blocks = rows * shape.kv_heads * -(-groups * tree // block)
    parts = parts_of(prefix + tree, blocks, machine.processors) if shape.split else 1
    busy = min(1.0, blocks * parts / machine.processors)
    summed = 8 * parts * tokens * shape.heads * shape.head_dim * shape.layers if shape.split else 0
    looked = 4 * tokens * (prefix + tree) * shape.heads * shape.head_dim * shape.layers
    return StepEstimate(
        rows,
        tree,
        launches=1e-3 * shape.launched * assumed.launch,
        gaps=1e-3 * (shape.launched * assumed.gap + assumed.replay),
        weights=1e3 * shape.weight_bytes / bandwidth,
        keys_values=1e3 * (rows * (prefix + tree) * shape.kv_bytes / busy + summed) / bandwidth,
        arithmetic=1e3 * 2 * shape.weights * tokens / speed,
        attention=1e3 * looked / (speed * busy),
        copies=1e-3 * 3 * assumed.copy,
        host=1e-3 * assumed.host,
    )


def fused_shape_of(make: Callable[[], TransformersTarget], prefix: int = 1024, tree: int = 64) -> ModelShape:
    """:func:`shape_of` what ``make`` makes, as it is on a GPU with Triton: docspec's kernels in the place of many
    operations, and keys that are split."""
    with as_on_a_gpu() as own:
        target = make()
        shape = shape_of(target, prefix, tree, split=not target.no_split)
    return replace(shape, operations=Counter(shape.operations) + own)


def shape_of(target: TransformersTarget, prefix: int = 1024, tree: int = 64, split: bool = False) -> ModelShape:
    """Of a ``target`` on any device, the one without memory (``meta``) included: one step of a row is run."""
    spec, config = target.kv_spec, target.decoder.config
    operations = launches(target, tree, prefix, split)
    experts, chosen = _experts(config)
    weight_bytes = target.decoder_bytes
    per_token = weight_bytes // spec.dtype.itemsize
    if experts:  # a tree reads nearly all of them, a token is multiplied with few
        named = target.decoder.named_parameters()
        routed = sum(weight.numel() for name, weight in named if ".experts." in name)
        per_token -= round(routed * (1 - chosen / experts))
    return ModelShape(
        operations,
        weight_bytes,
        spec.bytes_per_slot(),
        per_token,
        spec.layers,
        config.num_attention_heads,
        spec.kv_heads,
        spec.head_dim,
        split,
    )


def _experts(config: object) -> tuple[int, int]:
    """Of a mixture: all of them, and those of a token."""
    names = ("num_experts", "n_routed_experts", "num_local_experts")
    all_of_them = next((n for n in (getattr(config, name, None) for name in names) if n), 0)
    return int(all_of_them), int(getattr(config, "num_experts_per_tok", None) or 0)
