"""Pads steps into static buffers, one set for each bucket of rows, tree nodes and slots in view.

Shapes and addresses repeat, so that the computation of a bucket can be captured once and replayed. Padding has no
effect: its keys and values go to the row's last slot, nothing attends to it, and it attends to a slot that exists. A
step is one copy to the device, one computation and one copy back.
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

from docspec.core.errors import is_out_of_memory, release_memory
from docspec.core.safe_text import first_line
from docspec.targets.kv_cache import SlotCache
from docspec.targets.rules import Edits
from docspec.targets.staging import Staging, can_pin, put_groups
from docspec.targets.stepping.inputs import Inputs, laid
from docspec.targets.stepping.outputs import arrays_of, brought, edits_of, planes, step_outputs, unpacked
from docspec.targets.stepping.step import (
    CHOICES_ONLY,
    Choice,
    OutputFlags,
    PendingToken,
    StepBatch,
    StepOutput,
    StepReport,
    bucket,
    chain,
)
from docspec.targets.tree_attention import MOST_NODES

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel

ROWS = (1, 2, 4, 8, 16)
TREES = (1, 8, 16, 32, 64, 128)
LEAST_VIEW = 512
"""Fewest slots in view of a bucket; above it come powers of two and one and a half times these."""

LEAST_ROOM = 64
"""Least room in the log of recurrent states, in nodes: captured steps are lost when it grows."""

MAX_SHAPES = 64
"""Most buckets held at a time; the least recently used one is dropped."""


def view_bucket(reach: int) -> int:
    """Slots in view for ``reach`` slots in use: at most half as many again, in few sizes."""
    size = LEAST_VIEW
    while size < reach:
        if reach <= size + size // 2:
            return size + size // 2
        size *= 2
    return size


@dataclass(frozen=True, slots=True)
class GraphKey:
    """A bucket: rows, tree nodes and slots in view, and its outputs. ``stride`` is the distance of two rows of the
    cache in slots (0 for one row). With ``ruled`` its outputs are logits, to be changed by rules; ``split``:
    attention is that of :mod:`docspec.targets.tree_attention`."""

    rows: int
    tree: int
    view: int
    stride: int
    flags: OutputFlags = CHOICES_ONLY
    ruled: bool = False
    split: bool = False

    @classmethod
    def holding(cls, step: StepBatch, cache: SlotCache) -> GraphKey:
        """The bucket for ``step``; it has no more rows or slots than ``cache``."""
        rows = min(bucket(step.rows, ROWS), cache.rows)
        return cls(
            rows=rows,
            tree=bucket(step.width, TREES),
            view=min(view_bucket(step.view_slots), cache.slots),
            stride=cache.slots if rows > 1 else 0,
            flags=step.flags,
            ruled=bool(step.rules),
        )


class StaticStep:
    """The buffers of one bucket and the computation over them, which runs on the device alone.

    Its inputs are in ``staging`` and its keys and values in the storage of ``cache``, at addresses that all steps of
    the bucket share, whichever cache uses that storage.
    """

    def __init__(self, target: TargetModel, shape: GraphKey, cache: SlotCache, staging: Staging) -> None:
        self.shape = shape
        self.replay: ReplayStep | None = None
        self.address = 0
        self._target = target
        self._staging = staging
        spec = target.kv_spec
        slots = shape.stride or cache.storage.shape[2]
        states = None if spec.recurrent is None else cache.recurrent
        self._cache = SlotCache(spec, shape.rows, slots - 1, cache.storage, recurrent=states)
        self.output = torch.zeros((planes(shape.flags), shape.rows, shape.tree), device=spec.device)
        self._host_output = torch.zeros(self.output.shape, pin_memory=can_pin(spec.device))
        self.logits: torch.Tensor | None = None
        self.hidden: torch.Tensor | None = None
        self.peak = torch.zeros((shape.rows, shape.tree), device=spec.device)
        self.real = np.zeros((shape.rows, shape.tree), dtype=bool)
        self._inputs: Inputs | None = None
        self._edits: Edits | None = None
        self._of_rules: list[torch.Tensor] = []
        self._of_behind: list[list[torch.Tensor]] = []

    def load(self, step: StepBatch, cache: SlotCache) -> None:
        """Copies ``step`` over ``cache`` to the device, with the edits of its rules and the inputs of the work behind
        it, padded. The accepted nodes of the previous step are settled here, because their number differs from step to
        step."""
        shape = self.shape
        self._edits = edits_of(step)
        laid_out = laid(step, cache, shape.rows, shape.tree)
        given = laid_out, arrays_of(self._edits), *(one.arrays() for one in step.behind)
        arrays, self._of_rules, *self._of_behind = put_groups(self._staging.put, given)
        if self._inputs is None:
            self._inputs, self.address = Inputs(*arrays), self._staging.address
        cache.settle(step.lengths, Inputs(*arrays).accepted, shape.tree)
        self.real[:] = False
        self.real[: step.rows, : step.width] = step.slots != cache.padding_slot

    def compute(self) -> None:
        """Runs the forward pass of the loaded step; leaves argmax tokens and other outputs in ``output``, or the logits
        in ``logits``, and hidden states in ``hidden``.

        ``peak`` has the largest logits; a capture is checked by them.
        """
        shape, inputs = self.shape, self._inputs
        assert inputs is not None
        indices = inputs.indices.flatten()
        self._cache.begin_static_step(indices, shape.rows, shape.view, inputs.prompts, inputs.trees)
        mask = None if shape.split else inputs.mask(shape.view)
        hidden = self._target.hidden(inputs.tokens, inputs.positions, mask, self._cache)
        logits = self._target.logits(hidden)
        if shape.flags.hidden:
            if self.hidden is None:
                self.hidden = torch.empty_like(hidden)
            self.hidden.copy_(hidden)
        if shape.ruled:
            if self.logits is None:
                self.logits = torch.empty_like(logits)
            self.logits.copy_(logits)
        else:
            self.output.copy_(step_outputs(logits, inputs.tokens, inputs.parents, shape.flags))
        self.peak.copy_(logits.amax(-1))

    def read(self, step: StepBatch) -> StepOutput:
        """The answer to ``step`` after it ran; waits for the device."""
        if self._edits is not None:
            assert self.logits is not None and self._inputs is not None
            logits = self._edits.applied(self.logits, self._of_rules)
            self.output.copy_(step_outputs(logits, self._inputs.tokens, self._inputs.parents, self.shape.flags))
        rows, width = step.rows, step.width
        if step.behind:
            assert self._inputs is not None
            answer = brought(self.output, step, self._inputs, self.hidden, self._of_behind)
        else:
            answer, device = self._host_output, self.output.device
            answer.copy_(self.output, non_blocking=True)
            if can_pin(device):
                torch.get_device_module(device).current_stream(device).synchronize()
        hidden = self.hidden[:rows, :width] if self.hidden is not None else None
        return unpacked(answer[:, :rows, :width], self.shape.flags, hidden)


ReplayStep = Callable[[], None]
"""Runs the computation of the loaded step."""


class Capture(Protocol):
    """Turns the computation of a loaded :class:`StaticStep` into a faster equivalent."""

    mode: str

    def capture(self, step: StaticStep) -> ReplayStep:
        """Runs ``step``, which ran before, and returns its replay; raises any error."""
        ...

    def forget(self) -> None:
        """Called after all replays were dropped."""
        ...


class CaptureError(Exception):
    """A bucket could not be captured; the message says why. ``for_now``: it may be captured later, when there is
    memory."""

    def __init__(self, message: str, for_now: bool = False) -> None:
        super().__init__(message)
        self.for_now = for_now


class BucketedSteps:
    """Runs steps in buckets. A bucket is captured at its second use, because many are used once.

    Raises :class:`CaptureError` if that fails.
    """

    dense = False

    def __init__(self, target: TargetModel, capture: Capture, reason: str = "asked for") -> None:
        self._target = target
        self._capture = capture
        self._reason = reason
        self._staging = Staging(target.kv_spec.device, 1 << 20)
        self._buckets: OrderedDict[GraphKey, StaticStep] = OrderedDict()
        self._memory: list[weakref.ref[torch.Tensor]] = []
        self._too_large: set[GraphKey] = set()
        self._captured = 0
        self._seconds = 0.0

    @property
    def report(self) -> StepReport:
        held = sum(static.replay is not None for static in self._buckets.values())
        return StepReport(self._capture.mode, self._reason, held, self._captured, self._seconds)

    def geometry(self, rows: int, slots: int) -> tuple[int, int]:
        return bucket(rows, ROWS), view_bucket(slots + 1) - 1  # the slot for padding is one more

    def padded(self, nodes: int, reach: int, slots: int) -> tuple[int, int]:
        return bucket(nodes, TREES), min(view_bucket(reach), slots)

    @torch.inference_mode()
    def run(self, step: StepBatch, cache: SlotCache) -> StepOutput:
        cache.check()
        shape = GraphKey.holding(step, cache)
        shape = replace(shape, split=self._target.split and shape.rows * shape.tree <= MOST_NODES)
        cache.reserve(max(shape.tree, LEAST_ROOM))
        self._follow(cache)
        if shape in self._too_large:
            raise CaptureError("out of memory before", for_now=True)
        static = self._buckets.get(shape)
        if static is not None:
            static.load(step, cache)
            if static.address != self._staging.address:  # it had to grow
                static = None
        if static is not None and static.replay is not None:
            self._buckets.move_to_end(shape)
            static.replay()
        else:
            static = self._without_replay(shape, static, step, cache)
        return static.read(step)

    def advance(self, pending: PendingToken, cache: SlotCache) -> Choice:
        step = replace(
            chain(1, 1, pending.length, pending.length + 1),
            tokens=np.array([[pending.token]]),
            positions=np.array([[pending.position]]),
            rules=() if pending.rules is None else (pending.rules,),
            flags=OutputFlags(margins=pending.margin),
        )
        answer = self.run(step, cache)
        return Choice(answer.choice[0][0], answer.margin[0][0] if pending.margin else math.nan)

    def forget(self) -> None:
        """Drops everything that was captured."""
        self._buckets.clear()
        self._capture.forget()

    def _follow(self, cache: SlotCache) -> None:
        """Drops all captures if the memory whose addresses they hold is no longer in use."""
        held = [part() for part in self._memory]
        if len(held) != len(cache.memory) or any(a is not b for a, b in zip(held, cache.memory, strict=True)):
            self.forget()
            self._too_large.clear()
            self._memory = [weakref.ref(part) for part in cache.memory]

    def _without_replay(
        self, shape: GraphKey, static: StaticStep | None, step: StepBatch, cache: SlotCache
    ) -> StaticStep:
        """Runs ``step`` plainly if its bucket is new, otherwise while the loaded bucket is captured. A bucket that ran
        out of memory is not tried again over the same storage."""
        start = time.perf_counter()
        try:
            if static is None:
                static = StaticStep(self._target, shape, cache, self._staging)
                static.load(step, cache)
                static.compute()
            else:
                static.replay = self._capture.capture(static)
                self._captured += 1
        except Exception as error:
            self.forget()
            for_now = is_out_of_memory(error)
            if for_now:
                self._too_large.add(shape)
                release_memory()
            first = _first(error)
            raise CaptureError(f"{type(first).__name__}: {first_line(first)}", for_now) from error
        self._buckets[shape] = static
        self._buckets.move_to_end(shape)
        if len(self._buckets) > MAX_SHAPES:
            self._buckets.popitem(last=False)
        self._seconds += time.perf_counter() - start
        return static


def _first(error: BaseException) -> BaseException:
    """The first error in a chain: when a capture fails, ending it raises another one."""
    while error.__context__ is not None:
        error = error.__context__
    return error
