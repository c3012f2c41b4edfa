"""Matrix products of a loaded model made faster, with the same values.

**Patches.** Vision towers write the patch embedding as a convolution whose kernel has the size of a patch, so that it
is applied once to each patch: a matrix product. On a CPU torch computes the convolution three times as slowly; on a
GPU some versions of cuDNN are many times slower in bfloat16, and only for kernels with three axes.

**Narrow steps.** A verification step multiplies a few dozen tokens by every weight. For so few rows the BLAS spends
much of its time on rearranging weights stored output by input, as transformers loads them; stored the other way they
need no rearranging. This holds while a weight fits into the caches: beyond :data:`LARGEST` wide trees become slower.
"""

from __future__ import annotations

import types

import torch
from torch import nn
from torch.nn.functional import linear

LARGEST = 1 << 22
"""Elements of a weight beyond which it is not changed."""


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
