"""Root mean square norms as one kernel each, on GPUs.

transformers writes an RMSNorm as seven operations over float32 copies. In a step of a few dozen tokens each takes about
as long as its launch, and Qwen3-VL 2B has 113 such norms. The kernel rounds where transformers does; only the order in
which squares are added differs.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from docspec.targets.one_kernel import are_near, in_one_kernel
from docspec.targets.tree_attention import unavailable


def normalise_in_one_kernel(model: nn.Module) -> int:
    """Computes the RMSNorms of ``model`` with one kernel each, if Triton runs on its device; returns how many were
    changed. A module is changed if the kernel gives what the module's own function does, which is tried once a class,
    size and type."""
    return in_one_kernel(model, _kind_of, _same, _forward)


def _kind_of(module: Any) -> tuple[Any, ...] | None:
    weight, eps = getattr(module, "weight", None), getattr(module, "variance_epsilon", None)
    if "RMSNorm" not in type(module).__name__ or weight is None or eps is None or unavailable(weight.device):
        return None
    return type(module), weight.shape, weight.dtype, float(eps)


def _forward(self: Any, hidden_states: torch.Tensor) -> torch.Tensor:
    from docspec.targets.kernels import normalised

    if hidden_states.dtype != self.weight.dtype:
        found: torch.Tensor = type(self).forward(self, hidden_states)
        return found
    return normalised(hidden_states, self.weight, self.variance_epsilon)


@torch.inference_mode()
def _same(module: Any) -> bool:
    """Whether the kernel computes what ``module`` does, with weights that are not all one."""
    made = torch.Generator().manual_seed(0)
    values = torch.randn((2, 3, *module.weight.shape), generator=made).to(module.weight)
    kept = module.weight.detach().clone()
    try:
        module.weight.copy_(1 + torch.rand(kept.shape, generator=made).to(kept))
        expected, found = module(values), _forward(module, values)
    except Exception:  # another signature, or a device on which the kernel does not run
        return False
    finally:
        module.weight.copy_(kept)
    return are_near(expected, found)
