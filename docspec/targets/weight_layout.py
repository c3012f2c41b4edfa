"""Weights stored input by output where that makes narrow products faster on a CPU.

A verification step multiplies a few dozen tokens by every weight. For so few rows the BLAS spends much of its time on
rearranging weights stored output by input, as transformers loads them; kept the other way round they need none. That
holds while a weight stays in the caches: beyond :data:`LARGEST` it turns round for wide trees.

Patches embedded by one matrix product.

Vision towers write the embedding of their patches as a convolution whose kernel is as large as the patch, so that it
fits each patch once. That is a matrix product. On a CPU torch computes the convolution three times as slowly; on a GPU
cuDNN's in bfloat16 is known to be many times as slow in some of its versions, and then only for kernels of three axes.
"""

from __future__ import annotations

import types

import torch
from torch import nn
from torch.nn.functional import linear


def embed_by_products(model: nn.Module) -> int:
    """Lets convolutions of ``model`` take inputs of the kernel's own size as one product each; returns how many."""
    changed = 0
    for module in model.modules():
        if not isinstance(module, nn.Conv2d | nn.Conv3d):
            continue
        if module.groups == 1 and not any(_sizes(module.padding)) and set(_sizes(module.dilation)) == {1}:
            module.forward = types.MethodType(_forward, module)  # type: ignore[method-assign]
            changed += 1
    return changed


def _forward(self: nn.Conv2d | nn.Conv3d, patches: torch.Tensor) -> torch.Tensor:
    if patches.shape[2:] != self.kernel_size or patches.dim() != 2 + len(self.kernel_size):
        return type(self).forward(self, patches)
    found = linear(patches.flatten(1), self.weight.flatten(1), self.bias)
    return found.unflatten(1, (-1, *[1] * len(self.kernel_size)))


def _sizes(setting: str | tuple[int, ...]) -> tuple[int, ...]:
    """A padding by name ("same") pads."""
    return {"valid": (0,), "same": (1,)}[setting] if isinstance(setting, str) else setting


LARGEST = 1 << 22
"""Elements of a weight beyond which it stays as it is."""


def store_for_narrow_steps(decoder: nn.Module) -> int:
    """Stores the linear weights of ``decoder`` input by output, if it is a float32 one on a CPU; returns how many.

    Shapes and values stay as they are, only strides change. A weight shared with the embedding is left alone.
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
