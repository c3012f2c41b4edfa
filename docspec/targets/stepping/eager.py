"""Steps in their own shapes, kernel by kernel: the reference, and what is fastest on a CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from docspec.targets.stepping.step import StepBatch, StepReport, Verdict

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import TargetModel

VIEW_STEP = 128
"""The slots that attention looks at are a multiple of this (or the whole buffer)."""


def view_of(reach: int, slots: int) -> int:
    """Slots to look at so that ``reach`` of a buffer of ``slots`` are seen."""
    return min(-(-reach // VIEW_STEP) * VIEW_STEP, slots)


class EagerSteps:
    """Runs each step as it comes, through ``target.forward``; ``ranks`` likeliest tokens are told of each node."""

    dense = True

    def __init__(self, target: TargetModel, reason: str = "asked for", ranks: int = 0) -> None:
        self._target = target
        self._ranks = ranks
        self.report = StepReport("eager", reason)

    def geometry(self, rows: int, slots: int) -> tuple[int, int]:
        return rows, slots

    @torch.inference_mode()
    def run(self, step: StepBatch, cache: SlotCache, scored: bool) -> Verdict:
        device = cache.spec.device
        tokens = torch.from_numpy(step.tokens).to(device)
        cache.begin_step(torch.from_numpy(step.slots).to(device), step.view_slots)
        logits = self._target.forward(
            tokens,
            torch.from_numpy(step.positions).to(device),
            torch.from_numpy(step.mask).to(device),
            cache,
        )
        if not scored:
            ranks = min(self._ranks, logits.shape[-1])
            top = logits.topk(ranks, -1).indices.tolist() if ranks else ()
            return Verdict(logits.argmax(-1).tolist(), top=top)
        parents = torch.from_numpy(step.parents).to(device)
        choice, best, drafted = score(logits, tokens, parents)
        return Verdict(choice.tolist(), best.tolist(), drafted.tolist())

    @torch.inference_mode()
    def advance(self, token: int, position: int, length: int, cache: SlotCache) -> int:
        """The lean loop that a speed-up is measured against: no tree, and no copy back but the token."""
        device = cache.spec.device
        view = view_of(length + 1, cache.slots)
        cache.begin_step(torch.tensor([[length]], device=device), view)
        logits = self._target.forward(
            torch.tensor([[token]], device=device),
            torch.tensor([[position]], device=device),
            (torch.arange(view, device=device) <= length).view(1, 1, view),
            cache,
        )
        return int(logits[0, -1].argmax())


def score(
    logits: torch.Tensor, tokens: torch.Tensor, parents: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of ``logits`` ``(rows, tree, vocab)``: the argmax tokens, their log-probabilities in nats, and those of
    ``tokens`` after their ``parents``; each ``(rows, tree)``."""
    logprobs = torch.log_softmax(logits.float(), dim=-1)
    best, choice = logprobs.max(-1)
    after_parent = logprobs.gather(1, parents.unsqueeze(-1).expand(-1, -1, logprobs.shape[-1]))
    return choice, best, after_parent.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
