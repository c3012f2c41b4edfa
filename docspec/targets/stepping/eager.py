"""Steps in their own shapes, kernel by kernel: the reference, and what is fastest on a CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from docspec.targets.stepping.judging import chosen, judged
from docspec.targets.stepping.step import Answer, Choice, Pending, StepBatch, StepReport, bucket
from docspec.targets.threads import threads_for, using_threads

if TYPE_CHECKING:
    from docspec.targets.kv import KVCache
    from docspec.targets.protocol import TargetModel

VIEW_STEP = 128
"""The slots that attention looks at are a multiple of this (or the whole buffer)."""


def view_of(reach: int, slots: int) -> int:
    """Slots to look at so that ``reach`` of a buffer of ``slots`` are seen."""
    return min(-(-reach // VIEW_STEP) * VIEW_STEP, slots)


TREES = (1, 2, *range(4, 33, 4), *range(40, 65, 8), *range(80, 129, 16), 192, 256)
"""Tree sizes, close enough together that padding stays cheap."""


class EagerSteps:
    """Runs each step as it comes."""

    dense = True

    def __init__(self, target: TargetModel, reason: str = "asked for") -> None:
        self._target = target
        self.report = StepReport("eager", reason)

    def geometry(self, rows: int, slots: int) -> tuple[int, int]:
        return rows, slots

    def forget(self) -> None:
        """Nothing is captured."""

    def padded(self, nodes: int, reach: int, slots: int) -> tuple[int, int]:
        return bucket(nodes, TREES), view_of(reach, slots)

    @torch.inference_mode()
    def run(self, step: StepBatch, cache: KVCache) -> Answer:
        device = cache.spec.device
        tokens = torch.from_numpy(step.tokens).to(device)
        cache.begin_step(torch.from_numpy(step.slots).to(device), step.view_slots)
        with using_threads(threads_for(self._target, tokens.numel())):
            hidden = self._target.hidden(
                tokens,
                torch.from_numpy(step.positions).to(device),
                torch.from_numpy(step.mask).to(device),
                cache,
            )
            return judged(self._target.logits(hidden), step, hidden)

    @torch.inference_mode()
    def advance(self, pending: Pending, cache: KVCache) -> Choice:
        """The lean loop that a speed-up is measured against: no tree, and no copy back but the choice."""
        device, length = cache.spec.device, pending.length
        view = view_of(length + 1, cache.slots)
        cache.begin_step(torch.tensor([[length]], device=device), view)
        hidden = self._target.hidden(
            torch.tensor([[pending.token]], device=device),
            torch.tensor([[pending.position]], device=device),
            (torch.arange(view, device=device) <= length).view(1, 1, view),
            cache,
        )
        return chosen(self._target.logits(hidden)[0, -1], pending.rules, pending.margin)
