"""Stores weights input by output where that makes narrow products faster on a CPU.

A verification step multiplies a few dozen tokens by every weight. For so few rows the BLAS spends much of its time on
rearranging weights stored output by input, as transformers loads them; stored the other way they need no rearranging.
This holds while a weight fits into the caches: beyond :data:`LARGEST` wide trees become slower.
"""

from __future__ import annotations

import torch
from torch import nn

LARGEST = 1 << 22
"""Elements of a weight beyond which it is not changed."""


def store_for_narrow_steps(decoder: nn.Module) -> int:
    """Stores the linear weights of ``decoder`` input by output, if they are float32 on a CPU; returns how many were
    changed.

    Shapes and values stay the same, only strides change. A weight shared with the embedding is not changed.
    """
    table = {id(module.weight) for module in decoder.modules() if isinstance(module, nn.Embedding)}
    stored = 0
    for module in decoder.modules():
        if not isinstance(module, nn.Linear) or id(module.weight) in table:
            continue
        weight = module.weight
        if weight.device.type == "cpu" and weight.dtype == torch.float32 and weight.numel() <= LARGEST:
            weight.data = weight.data.t().contiguous().t()
            stored += 1
    return stored
