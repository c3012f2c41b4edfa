"""Embeds patches with one matrix product.

Vision towers write the patch embedding as a convolution whose kernel has the size of a patch, so that it is applied
once to each patch: a matrix product. On a CPU torch computes the convolution three times as slowly; on a GPU some
versions of cuDNN are many times slower in bfloat16, and only for kernels with three axes.
"""

from __future__ import annotations

import types

import torch
from torch import nn
from torch.nn.functional import linear


def embed_by_products(model: nn.Module) -> int:
    """Computes convolutions of ``model`` on inputs of the kernel's own size as matrix products; returns how many were
    changed."""
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
    """The sizes of a setting; ``"same"`` counts as padding."""
    return {"valid": (0,), "same": (1,)}[setting] if isinstance(setting, str) else setting
