"""Measures how much logits depend on the shape of the step that computes them.

The same token after the same tokens gets slightly different logits in a tree than alone, because kernels add in another
order. A choice between two tokens can change only if their logits are closer than that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from docspec.targets.kv_cache import SlotCache
from docspec.targets.threads import decoding_threads, threads_for, using_threads

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel

TOKENS = 64
WIDTHS = (64, 16, 8, 3)
RIVALS = 8
"""The likeliest tokens of each position whose distances from the first are compared."""

SAFETY = 2.0
"""Factor on the measured noise, which is the largest over a few hundred positions of meaningless text."""


@torch.inference_mode()
def shape_noise(target: TargetModel) -> float:
    """The margin (in logits) below which a choice in a tree may differ from the choice in a one-token step.

    It is at least the resolution of the number format.
    """
    with decoding_threads(target):
        vocab = _logits(target, torch.zeros(1, dtype=torch.long), 1).shape[-1]
        tokens = torch.randint(vocab, (TOKENS,), generator=torch.Generator().manual_seed(0))
        alone = _logits(target, tokens, 1)
        values, rivals = alone.topk(min(RIVALS, vocab), -1)
        most = torch.finfo(target.kv_spec.dtype).eps * float(values.abs().max())
        for width in WIDTHS:
            with using_threads(threads_for(target, width)):
                moved = (_logits(target, tokens, width) - alone).gather(-1, rivals)
            most = max(most, float((moved - moved[:, :1]).abs().max()))
    return SAFETY * most


def _logits(target: TargetModel, tokens: torch.Tensor, width: int) -> torch.Tensor:
    """Logits ``(tokens, vocab)`` in float32 of ``tokens`` run ``width`` at a time."""
    device = target.kv_spec.device
    cache = SlotCache(target.kv_spec, rows=1, slots=len(tokens))
    found = []
    for indices in torch.arange(len(tokens)).split(width):
        cache.begin_step(indices.unsqueeze(0).to(device), len(tokens))
        mask = (torch.arange(len(tokens)) <= indices.unsqueeze(1)).unsqueeze(0)
        found.append(
            target.logits(
                target.hidden(
                    tokens[indices].unsqueeze(0).to(device), indices.unsqueeze(0).to(device), mask.to(device), cache
                )
            )[0].float()
        )
    return torch.cat(found)
