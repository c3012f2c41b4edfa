"""Gates of a decoder's inner layers as one kernel each, on GPUs.

transformers writes SwiGLU as an activation and a product, which in a step of a few dozen tokens take about as long as
their launches: two of a layer's kernels. The kernel rounds where transformers does. **Never run on a GPU.**
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from docspec.targets.one_kernel import are_near, in_one_kernel
from docspec.targets.tree_attention import unavailable

PARTS = ("gate_proj", "up_proj", "down_proj", "act_fn")
"""What transformers calls the parts of such a layer."""


def gate_in_one_kernel(decoder: nn.Module) -> int:
    """Computes the gates of ``decoder`` with one kernel each, if Triton runs on its device; returns how many layers
    were changed. A layer is changed if the kernel gives what its own function does, which is tried once a class and
    type, and if nobody has changed it before."""
    return in_one_kernel(decoder, _kind_of, _same, _forward)


def _kind_of(module: Any) -> tuple[Any, ...] | None:
    if not all(hasattr(module, part) for part in PARTS) or "forward" in vars(module):
        return None
    weight = getattr(module.down_proj, "weight", None)
    if weight is None or not weight.is_floating_point() or unavailable(weight.device):
        return None
    return type(module), type(module.act_fn), weight.dtype


def _forward(self: Any, x: torch.Tensor) -> torch.Tensor:
    from docspec.targets.kernels import gated

    if torch.compiler.is_compiling():  # it fuses by itself
        own: torch.Tensor = type(self).forward(self, x)
        return own
    found: torch.Tensor = self.down_proj(gated(self.gate_proj(x), self.up_proj(x)))
    return found


@torch.inference_mode()
def _same(module: Any) -> bool:
    """Whether the layer computes the same with the kernel; weights are the model's own."""
    weight = module.down_proj.weight
    made = torch.Generator().manual_seed(0)
    values = torch.randn((2, 3, weight.shape[0]), generator=made).to(weight)
    try:
        expected, found = module(values), _forward(module, values)
    except Exception:  # another signature, or a device on which the kernel does not run
        return False
    return are_near(expected, found)
