"""Runs steps in their own shapes, kernel by kernel: the reference, and the fastest way on a CPU.

On an accelerator a step is one copy to the device and one back; nothing in between waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from docspec.targets.kv import Trees
from docspec.targets.rules import Edits
from docspec.targets.staging import Staging, put_groups
from docspec.targets.stepping.inputs import Inputs, laid
from docspec.targets.stepping.outputs import arrays_of, brought, choice_of, edits_of, step_outputs, unpacked
from docspec.targets.stepping.step import Choice, PendingToken, StepBatch, StepOutput, StepReport, bucket
from docspec.targets.threads import threads_for, using_threads
from docspec.targets.tree_attention import MOST_NODES

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel

VIEW_STEP = 128
"""The slots in view are a multiple of this (or the whole buffer)."""


def view_of(reach: int, slots: int) -> int:
    """Slots in view that include ``reach`` of a buffer of ``slots``."""
    return min(-(-reach // VIEW_STEP) * VIEW_STEP, slots)


TREES = (1, 2, *range(4, 33, 4), *range(40, 65, 8), *range(80, 129, 16), 192, 256)
"""Padded tree sizes, close enough together that padding stays cheap."""


class EagerSteps:
    """Runs each step eagerly."""

    def __init__(self, target: TargetModel, reason: str = "asked for") -> None:
        self._target = target
        self._device = target.kv_spec.device
        self._staging: Staging | None = None
        self.report = StepReport("eager", reason)

    @property
    def dense(self) -> bool:
        """True on a CPU. Elsewhere the mask, the largest of a step's inputs, is made on the device."""
        return self._device.type == "cpu"

    def geometry(self, rows: int, slots: int) -> tuple[int, int]:
        return rows, slots

    def forget(self) -> None:
        """Nothing is captured."""

    def padded(self, nodes: int, reach: int, slots: int) -> tuple[int, int]:
        return bucket(nodes, TREES), view_of(reach, slots)

    def _put(self, arrays: Sequence[np.ndarray]) -> list[torch.Tensor]:
        """``arrays`` on the device."""
        if self._device.type == "cpu":
            return list(map(torch.from_numpy, arrays))
        self._staging = self._staging or Staging(self._device)
        return self._staging.put(arrays)

    @torch.inference_mode()
    def run(self, step: StepBatch, cache: SlotCache) -> StepOutput:
        edits = edits_of(step)
        given = laid(step, cache), arrays_of(edits), *(one.arrays() for one in step.behind)
        arrays, of_rules, *of_behind = put_groups(self._put, given)
        inputs = Inputs(*arrays)
        cache.settle(step.lengths, inputs.accepted, step.width)
        cache.begin_static_step(inputs.indices.flatten(), step.rows, step.view_slots, inputs.prompts, inputs.trees)
        mask = None
        if not (self._target.split and inputs.tokens.numel() <= MOST_NODES):
            mask = torch.from_numpy(step.mask) if self.dense else inputs.mask(step.view_slots)
        with using_threads(threads_for(self._target, inputs.tokens.numel())):
            hidden = self._target.hidden(inputs.tokens, inputs.positions, mask, cache)
            logits = self._target.logits(hidden)
            if edits is not None:
                logits = edits.applied(logits, of_rules)
            answer = step_outputs(logits, inputs.tokens, inputs.parents, step.flags)
        return unpacked(brought(answer, step, inputs, hidden, of_behind), step.flags, hidden)

    @torch.inference_mode()
    def advance(self, pending: PendingToken, cache: SlotCache) -> Choice:
        """One step of plain decoding, the baseline of all speed-ups: no tree, and only the choice is copied back."""
        length, rules = pending.length, pending.rules
        view = view_of(length + 1, cache.slots)
        edits = None if rules is None else Edits(rules.penalty)
        if edits is not None and rules is not None:
            rules.plan(edits, 0, [pending.token], [0])
        lengths = np.array([length])
        accepted = cache.unsettled(lengths)
        numbers = np.array([pending.token, pending.position, length, int(cache.prompts[0]), *accepted])
        [[of_token], of_rules] = put_groups(self._put, [[numbers], arrays_of(edits)])
        token, position, slot, prompt, taken = of_token.view(5, 1).unbind()
        cache.settle(lengths, taken, 1)
        mask, trees = None, None
        if self._target.split:
            trees = Trees(slot, torch.ones((1, 1, 1), dtype=torch.bool, device=self._device))
        else:
            mask = (torch.arange(view, device=self._device) <= length).view(1, 1, view)
        cache.begin_static_step(slot, 1, view, prompt, trees)
        hidden = self._target.hidden(token.unsqueeze(0), position.unsqueeze(0), mask, cache)
        logits = self._target.logits(hidden)
        if edits is not None:
            logits = edits.applied(logits, of_rules)
        return choice_of(logits[0, -1], margin=pending.margin)
