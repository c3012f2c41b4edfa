"""Plain autoregressive decoding in the same engine: one token a step, same cache, same guards (the baseline)."""

from __future__ import annotations

import torch

from docspec.speculation.batch import VIEW_STEP
from docspec.speculation.decode import Row
from docspec.targets.kv_cache import SlotCache
from docspec.targets.protocol import TargetModel


@torch.inference_mode()
def decode_autoregressively(target: TargetModel, cache: SlotCache, row: Row) -> int:
    """Runs ``row``, prefilled into row 0 of ``cache``, to its end; returns the forward passes.

    This is the lean loop that a speed-up is measured against: no proposer, no tree, no copy back but the token.
    """
    device = cache.spec.device
    mask = torch.zeros((1, 1, cache.slots), dtype=torch.bool, device=device)
    mask[..., : row.length] = True
    forwards = 0
    while row.finish is None and row.length < cache.slots - 1:
        mask[..., row.length] = True
        view = min(-(-(row.length + 1) // VIEW_STEP) * VIEW_STEP, cache.slots)
        cache.begin_step(torch.tensor([[row.length]], device=device), view)
        logits = target.forward(
            torch.tensor([[row.output[-1]]], device=device),
            torch.tensor([[row.length + row.rope_delta]], device=device),
            mask[..., :view],
            cache,
        )
        row.length += 1
        row.steps += 1
        forwards += 1
        row.emit(int(logits[0, -1].argmax()))
    return forwards
