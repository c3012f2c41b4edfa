"""Modules of a model that compute by one kernel each, where it gives what their own functions do."""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable
from typing import Any

import torch
from torch import nn

APART = 0.01
"""Largest difference from a module's own output on random input, relative to the largest number: about one rounding of
bfloat16. Modules that compute something else (norms by 1 + weight, norms with a gate) differ by far more."""


def in_one_kernel(
    model: nn.Module,
    kind_of: Callable[[Any], Hashable | None],
    same: Callable[[Any], bool],
    forward: Callable[..., torch.Tensor],
) -> int:
    """Has the modules of ``model`` compute by ``forward``; returns how many were changed. A module is changed if it is
    of a kind (``None``: of none), of which the first one computes the ``same``."""
    known: dict[Hashable, bool] = {}
    changed = 0
    for module in model.modules():
        kind = kind_of(module)
        if kind is None:
            continue
        if kind not in known:
            known[kind] = same(module)
        if known[kind]:
            module.forward = types.MethodType(forward, module)  # type: ignore[method-assign]
            changed += 1
    return changed


def are_near(expected: torch.Tensor, found: torch.Tensor) -> bool:
    """Whether no number of ``found`` differs from the ``expected`` one by more than :data:`APART`."""
    return float((found - expected).abs().max()) <= APART * float(expected.abs().max())
