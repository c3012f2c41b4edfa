"""Steps padded into static buffers, one set for each bucket of rows, tree nodes and slots looked at.

Shapes and addresses repeat, so that the computation of a bucket can be captured once and replayed. Padding is
harmless by construction: its keys and values go to the row's bin, nothing looks at it, and it looks at something
that exists. A step is one copy to the device, one computation, one copy back.
"""

from __future__ import annotations

import time
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch

from docspec.targets.stepping.eager import score
from docspec.targets.stepping.step import StepBatch, StepReport, Verdict, chain

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel

ROWS = (1, 2, 4, 8, 16)
TREES = (1, 8, 16, 32, 64, 128)
LEAST_VIEW = 512
"""Fewest slots that a bucket looks at; above it come powers of two and one and a half times these."""

MAX_SHAPES = 64
"""Buckets held at a time; the one that was used longest ago makes room."""


def bucket(size: int, sizes: tuple[int, ...]) -> int:
    """The least of ``sizes`` that holds ``size``; beyond them, the next multiple of the largest."""
    for candidate in sizes:
        if size <= candidate:
            return candidate
    return -(-size // sizes[-1]) * sizes[-1]


def view_bucket(reach: int) -> int:
    """Slots looked at for ``reach`` slots in use: at most half as many again, in few steps."""
    size = LEAST_VIEW
    while size < reach:
        if reach <= size + size // 2:
            return size + size // 2
        size *= 2
    return size


@dataclass(frozen=True, slots=True)
class Shape:
    """A bucket: rows, tree nodes and slots looked at, in a cache of ``slots`` slots a row."""

    rows: int
    tree: int
    view: int
    slots: int
    scored: bool

    @classmethod
    def holding(cls, step: StepBatch, cache: SlotCache, scored: bool) -> Shape:
        """The bucket for ``step``; there are never more rows or slots than ``cache`` has."""
        return cls(
            rows=min(bucket(step.rows, ROWS), cache.rows),
            tree=bucket(step.width, TREES),
            view=min(view_bucket(step.view_slots), cache.slots),
            slots=cache.slots,
            scored=scored,
        )


class StaticStep:
    """The buffers of one bucket, and the computation over them, which touches nothing but the device."""

    def __init__(self, target: TargetModel, shape: Shape) -> None:
        self.shape = shape
        self._target = target
        device = target.kv_spec.device
        pinned = device.type == "cuda"
        rows, tree = shape.rows, shape.tree
        self._host = torch.zeros(4 * rows * tree + rows, dtype=torch.long, pin_memory=pinned)
        self._host_ancestry = torch.zeros((rows, tree, tree), dtype=torch.bool, pin_memory=pinned)
        self._host_output = torch.zeros(
            (3 if shape.scored else 1, rows, tree), dtype=torch.double, pin_memory=pinned
        )
        self._input = torch.zeros_like(self._host, device=device)
        self._ancestry = torch.zeros_like(self._host_ancestry, device=device)
        self.output = torch.zeros_like(self._host_output, device=device)
        self.peak = torch.zeros((rows, tree), dtype=torch.float, device=device)
        self._columns = torch.arange(shape.view, device=device)
        grids, self._lengths = self._input.split([4 * rows * tree, rows])
        self._tokens, self._positions, self._places, self._parents = grids.view(4, rows, tree)

    def load(self, step: StepBatch) -> None:
        """Copies ``step`` into the buffers; what it leaves free is padding: the bin's slot, one slot to look at."""
        shape, rows, width = self.shape, step.rows, step.width
        flat = self._host.numpy()
        flat[:] = 0
        grids = flat[: 4 * shape.rows * shape.tree].reshape(4, shape.rows, shape.tree)
        offsets = np.arange(shape.rows)[:, None] * shape.slots
        grids[2] = offsets + shape.slots - 1
        for grid, values in zip(
            grids, (step.tokens, step.positions, step.slots + offsets[:rows], step.parents), strict=True
        ):
            grid[:rows, :width] = values
        lengths = flat[-shape.rows :]
        lengths[:] = 1
        lengths[:rows] = step.lengths
        ancestry = self._host_ancestry.numpy()
        ancestry[:] = False
        ancestry[:rows, :width, :width] = step.ancestry
        self._input.copy_(self._host, non_blocking=True)
        self._ancestry.copy_(self._host_ancestry, non_blocking=True)

    def compute(self, cache: SlotCache) -> None:
        """The forward pass of the loaded step; leaves argmax tokens (and scores) in ``output``.

        ``peak`` are the argmax tokens' logits, by which a capture is compared with the computation it stands for.
        """
        cache.begin_static_step(self._places.flatten(), self.shape.rows, self.shape.view)
        logits = self._target.forward(self._tokens, self._positions, self._mask(), cache)
        if self.shape.scored:
            choice, best, drafted = score(logits, self._tokens, self._parents)
            self.output.copy_(torch.stack((choice.double(), best.double(), drafted.double())))
        else:
            choice = logits.argmax(-1)
            self.output.copy_(choice.double().unsqueeze(0))
        self.peak.copy_(logits.gather(-1, choice.unsqueeze(-1)).squeeze(-1))

    def _mask(self) -> torch.Tensor:
        """Boolean ``(rows, tree, view)`` like :attr:`StepBatch.mask`, made on the device."""
        rows, tree, view = self.shape.rows, self.shape.tree, self.shape.view
        offset = self._columns - self._lengths.unsqueeze(1)  # of each slot from the row's tree
        node = offset.clamp(0, tree - 1).unsqueeze(1).expand(rows, tree, view)
        in_tree = ((offset >= 0) & (offset < tree)).unsqueeze(1)
        return (offset < 0).unsqueeze(1) | (in_tree & self._ancestry.gather(2, node))

    def read(self, rows: int, width: int) -> Verdict:
        """The answer for the first ``rows`` rows and ``width`` nodes; waits for the device."""
        self._host_output.copy_(self.output, non_blocking=True)
        if self.output.is_cuda:
            torch.cuda.current_stream(self.output.device).synchronize()
        answer = self._host_output[:, :rows, :width]
        choice = answer[0].long().tolist()
        return Verdict(choice, *answer[1:].tolist()) if self.shape.scored else Verdict(choice)


Replay = Callable[["SlotCache"], None]
"""Runs a bucket's computation over a cache of the geometry and the memory that it was captured with."""


class Capture(Protocol):
    """Turns the computation of a loaded :class:`StaticStep` into something quicker that does the same."""

    mode: str

    def capture(self, step: StaticStep, cache: SlotCache) -> Replay:
        """Runs ``step`` and returns its replay; raises whatever went wrong."""
        ...

    def forget(self) -> None:
        """All replays were dropped."""
        ...


class NoCapture:
    """The buckets' computation as it is: for comparison, and for tests without an accelerator."""

    mode = "static"

    def capture(self, step: StaticStep, cache: SlotCache) -> Replay:
        step.compute(cache)
        return step.compute

    def forget(self) -> None:
        return None


class CaptureError(Exception):
    """A bucket could not be captured; the message says why."""


class BucketedSteps:
    """Runs steps in buckets, each captured at its first use. Raises :class:`CaptureError` where that fails."""

    dense = False

    def __init__(self, target: TargetModel, capture: Capture, reason: str = "asked for") -> None:
        self._target = target
        self._capture = capture
        self._reason = reason
        self._buckets: OrderedDict[Shape, tuple[StaticStep, Replay]] = OrderedDict()
        self._storage: weakref.ref[torch.Tensor] | None = None
        self._captured = 0
        self._seconds = 0.0

    @property
    def report(self) -> StepReport:
        return StepReport(self._capture.mode, self._reason, len(self._buckets), self._captured, self._seconds)

    def geometry(self, rows: int, slots: int) -> tuple[int, int]:
        return bucket(rows, ROWS), view_bucket(slots + 1) - 1  # the bin is one more

    @torch.inference_mode()
    def run(self, step: StepBatch, cache: SlotCache, scored: bool) -> Verdict:
        self._follow(cache)
        shape = Shape.holding(step, cache, scored)
        known = self._buckets.get(shape)
        if known is None:
            static = self._captured_step(shape, step, cache)
        else:
            self._buckets.move_to_end(shape)
            static, replay = known
            static.load(step)
            replay(cache)
        return static.read(step.rows, step.width)

    def advance(self, token: int, position: int, length: int, cache: SlotCache) -> int:
        step = replace(
            chain(1, 1, length, length + 1), tokens=np.array([[token]]), positions=np.array([[position]])
        )
        return self.run(step, cache, scored=False).choice[0][0]

    def forget(self) -> None:
        """Drops everything that was captured."""
        self._buckets.clear()
        self._capture.forget()

    def _follow(self, cache: SlotCache) -> None:
        """Captures hold addresses: those of memory that is no longer in use are dropped."""
        if self._storage is None or self._storage() is not cache.storage:
            self.forget()
            self._storage = weakref.ref(cache.storage)

    def _captured_step(self, shape: Shape, step: StepBatch, cache: SlotCache) -> StaticStep:
        """A new bucket with ``step`` run in it."""
        start = time.perf_counter()
        try:
            static = StaticStep(self._target, shape)
            static.load(step)
            replay = self._capture.capture(static, cache)
        except Exception as error:
            self.forget()
            raise CaptureError(f"{type(error).__name__}: {_first_line(error)}") from error
        self._buckets[shape] = static, replay
        if len(self._buckets) > MAX_SHAPES:
            self._buckets.popitem(last=False)
        self._captured += 1
        self._seconds += time.perf_counter() - start
        return static


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no message"])[0]
