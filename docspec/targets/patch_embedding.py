"""Patches embedded by one matrix product.

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
