"""Steps padded into static buffers, one set for each bucket of rows, tree nodes and slots looked at.

Shapes and addresses repeat, so that the computation of a bucket can be captured once and replayed. Padding is
harmless by construction: its keys and values go to the row's last slot, nothing looks at it, and it looks at something
that exists. A step is one copy to the device, one computation, one copy back.
"""

from __future__ import annotations

import math
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch

from docspec.core.memory import is_out_of_memory, release_memory
from docspec.core.safe_text import first_line
from docspec.targets.stepping.judging import judged, likeliest, score
from docspec.targets.stepping.step import (
    NOTHING,
    Answer,
    Choice,
    Pending,
    StepBatch,
    StepReport,
    Wanted,
    bucket,
    chain,
)

if TYPE_CHECKING:
    from docspec.targets.kv import KVCache
    from docspec.targets.protocol import TargetModel

ROWS = (1, 2, 4, 8, 16)
TREES = (1, 8, 16, 32, 64, 128)
LEAST_VIEW = 512
"""Fewest slots that a bucket looks at; above it come powers of two and one and a half times these."""

MAX_SHAPES = 64
"""Buckets held at a time; the one that was used longest ago makes room."""


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
    """A bucket: rows, tree nodes and slots looked at, in a cache of ``slots`` slots a row; what it answers. Where rows
    have ``ruled`` logits, those are what it answers."""

    rows: int
    tree: int
    view: int
    slots: int
    wanted: Wanted = NOTHING
    ruled: bool = False

    @classmethod
    def holding(cls, step: StepBatch, cache: KVCache) -> Shape:
        """The bucket for ``step``; there are never more rows or slots than ``cache`` has."""
        return cls(
            rows=min(bucket(step.rows, ROWS), cache.rows),
            tree=bucket(step.width, TREES),
            view=min(view_bucket(step.view_slots), cache.slots),
            slots=cache.slots,
            wanted=step.wanted,
            ruled=bool(step.rules),
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
        wanted = shape.wanted
        planes = (3 if wanted.scores else 1) + wanted.margins + wanted.ranks
        self._host_output = torch.zeros((planes, rows, tree), dtype=torch.double, pin_memory=pinned)
        self._input = torch.zeros_like(self._host, device=device)
        self._ancestry = torch.zeros_like(self._host_ancestry, device=device)
        self.output = torch.zeros_like(self._host_output, device=device)
        self.logits: torch.Tensor | None = None
        self.hidden: torch.Tensor | None = None
        self.peak = torch.zeros((rows, tree), dtype=torch.float, device=device)
        self._columns = torch.arange(shape.view, device=device)
        grids, self._lengths = self._input.split([4 * rows * tree, rows])
        self._tokens, self._positions, self._places, self._parents = grids.view(4, rows, tree)

    def load(self, step: StepBatch) -> None:
        """Copies ``step`` into the buffers; what it leaves free is padding: the last slot, one slot to look at."""
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

    def compute(self, cache: KVCache) -> None:
        """The forward pass of the loaded step; leaves argmax tokens and what else is wanted in ``output``, or its
        logits, and hidden states in ``hidden``.

        ``peak`` are the argmax tokens' logits, by which a capture is compared with the computation it stands for.
        """
        cache.begin_static_step(self._places.flatten(), self.shape.rows, self.shape.view)
        wanted = self.shape.wanted
        hidden = self._target.hidden(self._tokens, self._positions, self._mask(), cache)
        logits = self._target.logits(hidden)
        if wanted.hidden:
            if self.hidden is None:
                self.hidden = torch.empty_like(hidden)
            self.hidden.copy_(hidden)
        if self.shape.ruled:
            if self.logits is None:
                self.logits = torch.empty_like(logits)
            self.logits.copy_(logits)
        answer = score(logits, self._tokens, self._parents) if wanted.scores else (logits.argmax(-1),)
        choice = answer[0]
        top, margin = likeliest(logits, wanted)
        if margin is not None:
            answer = (*answer, margin)
        if top is not None:
            answer = (*answer, *top.unbind(-1))
        self.output.copy_(torch.stack([plane.double() for plane in answer]))
        self.peak.copy_(logits.gather(-1, choice.unsqueeze(-1)).squeeze(-1))

    def _mask(self) -> torch.Tensor:
        """Boolean ``(rows, tree, view)`` like :attr:`StepBatch.mask`, made on the device."""
        rows, tree, view = self.shape.rows, self.shape.tree, self.shape.view
        offset = self._columns - self._lengths.unsqueeze(1)  # of each slot from the row's tree
        node = offset.clamp(0, tree - 1).unsqueeze(1).expand(rows, tree, view)
        in_tree = ((offset >= 0) & (offset < tree)).unsqueeze(1)
        return (offset < 0).unsqueeze(1) | (in_tree & self._ancestry.gather(2, node))

    def read(self, rows: int, width: int) -> Answer:
        """The answer for the first ``rows`` rows and ``width`` nodes; waits for the device."""
        self._host_output.copy_(self.output, non_blocking=True)
        if self.output.is_cuda:
            torch.cuda.current_stream(self.output.device).synchronize()
        answer, wanted = self._host_output[:, :rows, :width], self.shape.wanted
        planes = iter(answer[: len(answer) - wanted.ranks])
        choice = next(planes).long().tolist()
        best, drafted = (next(planes).tolist(), next(planes).tolist()) if wanted.scores else ((), ())
        margin = next(planes).tolist() if wanted.margins else ()
        top = answer[-wanted.ranks :].permute(1, 2, 0).long().tolist() if wanted.ranks else ()
        hidden = self.hidden[:rows, :width] if self.hidden is not None else None
        return Answer(choice, best, drafted, top, margin, hidden)


Replay = Callable[["KVCache"], None]
"""Runs a bucket's computation over a cache of the geometry and the memory that it was captured with."""


class Capture(Protocol):
    """Turns the computation of a loaded :class:`StaticStep` into something quicker that does the same."""

    mode: str

    def capture(self, step: StaticStep, cache: KVCache) -> Replay:
        """Runs ``step`` and returns its replay; raises whatever went wrong."""
        ...

    def forget(self) -> None:
        """All replays were dropped."""
        ...


class NoCapture:
    """The buckets' computation as it is: for comparison, and for tests without an accelerator."""

    mode = "static"

    def capture(self, step: StaticStep, cache: KVCache) -> Replay:
        step.compute(cache)
        return step.compute

    def forget(self) -> None:
        return None


class CaptureError(Exception):
    """A bucket could not be captured; the message says why. ``for_now``: it may be, once there is memory again."""

    def __init__(self, message: str, for_now: bool = False) -> None:
        super().__init__(message)
        self.for_now = for_now


class BucketedSteps:
    """Runs steps in buckets, each captured at its first use. Raises :class:`CaptureError` where that fails."""

    dense = False

    def __init__(self, target: TargetModel, capture: Capture, reason: str = "asked for") -> None:
        self._target = target
        self._capture = capture
        self._reason = reason
        self._buckets: OrderedDict[Shape, tuple[StaticStep, Replay]] = OrderedDict()
        self._storage: weakref.ref[torch.Tensor] | None = None
        self._too_large: set[Shape] = set()
        self._captured = 0
        self._seconds = 0.0

    @property
    def report(self) -> StepReport:
        return StepReport(self._capture.mode, self._reason, len(self._buckets), self._captured, self._seconds)

    def geometry(self, rows: int, slots: int) -> tuple[int, int]:
        return bucket(rows, ROWS), view_bucket(slots + 1) - 1  # the slot for padding is one more

    def padded(self, nodes: int, reach: int, slots: int) -> tuple[int, int]:
        return bucket(nodes, TREES), min(view_bucket(reach), slots)

    @torch.inference_mode()
    def run(self, step: StepBatch, cache: KVCache) -> Answer:
        self._follow(cache)
        shape = Shape.holding(step, cache)
        known = self._buckets.get(shape)
        if known is None:
            static = self._captured_step(shape, step, cache)
        else:
            self._buckets.move_to_end(shape)
            static, replay = known
            static.load(step)
            replay(cache)
        if static.logits is not None:
            hidden = static.hidden[: step.rows, : step.width] if static.hidden is not None else None
            return judged(static.logits[: step.rows, : step.width], step, hidden)
        return static.read(step.rows, step.width)

    def advance(self, pending: Pending, cache: KVCache) -> Choice:
        step = replace(
            chain(1, 1, pending.length, pending.length + 1),
            tokens=np.array([[pending.token]]),
            positions=np.array([[pending.position]]),
            rules=() if pending.rules is None else (pending.rules,),
            wanted=Wanted(margins=pending.margin),
        )
        answer = self.run(step, cache)
        return Choice(answer.choice[0][0], answer.margin[0][0] if pending.margin else math.nan)

    def forget(self) -> None:
        """Drops everything that was captured."""
        self._buckets.clear()
        self._capture.forget()

    def _follow(self, cache: KVCache) -> None:
        """Captures hold addresses: those of memory that is no longer in use are dropped."""
        if self._storage is None or self._storage() is not cache.storage:
            self.forget()
            self._too_large.clear()
            self._storage = weakref.ref(cache.storage)

    def _captured_step(self, shape: Shape, step: StepBatch, cache: KVCache) -> StaticStep:
        """A new bucket with ``step`` run in it. One that ran out of memory is not tried again over the same cache."""
        if shape in self._too_large:
            raise CaptureError("out of memory before", for_now=True)
        start = time.perf_counter()
        try:
            static = StaticStep(self._target, shape)
            static.load(step)
            replay = self._capture.capture(static, cache)
        except Exception as error:
            self.forget()
            for_now = is_out_of_memory(error)
            if for_now:
                self._too_large.add(shape)
                release_memory()
            raise CaptureError(f"{type(error).__name__}: {first_line(error)}", for_now) from error
        self._buckets[shape] = static, replay
        if len(self._buckets) > MAX_SHAPES:
            self._buckets.popitem(last=False)
        self._captured += 1
        self._seconds += time.perf_counter() - start
        return static
