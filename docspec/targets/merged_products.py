"""Products of one input as one product, on GPUs: queries, keys and values of a layer, and gate and up.

The weights are put into one block of memory, of which each module's own weight becomes a part, so that nothing is held
twice. The first module of a group multiplies by the whole block; the input carries to the others what is theirs. A
library may add in another order for another width, which only a trial shows: a group is multiplied together for those
numbers of tokens alone for which a trial gives the same bits, else apart as before. **Never run on a GPU.**
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn.functional import linear

from docspec.targets.tree_attention import unavailable

GROUPS = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"))
"""What transformers calls the modules that are given the same input, in the order in which they are."""

TOKENS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Numbers of tokens that are tried: those of steps that are captured."""

PRODUCTS = "docspec_products"
"""What an input carries: for each module of its group that has not asked yet, by its identity, its product."""


def multiply_together(decoder: nn.Module) -> int:
    """Has the groups of ``decoder`` multiply as one, if they are on a GPU and give the same bits for some number of
    tokens; returns how many do."""
    known: dict[Any, frozenset[int]] = {}
    changed = 0
    for module in decoder.modules():
        for group in GROUPS:
            parts: list[Any] = [getattr(module, name, None) for name in group]
            if not _fit(parts):
                continue
            first = parts[0]
            kind = first.weight.dtype, first.bias is None, first.in_features, *(one.out_features for one in parts)
            if kind not in known:
                known[kind] = _same_products(parts)
            if known[kind]:
                _merge(parts, known[kind])
                changed += 1
    return changed


def _fit(parts: Sequence[Any]) -> bool:
    """Whether these are plain linear modules alike, on a GPU, that nobody has changed."""
    plain = all(type(one) is nn.Linear and type(one.weight) is nn.Parameter for one in parts)
    if not plain or any("forward" in vars(one) for one in parts):
        return False
    kinds = {(one.weight.dtype, one.weight.device, one.in_features, one.bias is None) for one in parts}
    weight = parts[0].weight
    return len(kinds) == 1 and weight.is_floating_point() and not unavailable(weight.device)


@torch.inference_mode()
def _same_products(parts: Sequence[nn.Linear]) -> frozenset[int]:
    """The numbers of tokens for which one product gives the bits of each."""
    made = torch.Generator().manual_seed(0)
    weight, bias = _joined(parts)
    sizes = [one.out_features for one in parts]
    found = set()
    for tokens in TOKENS:
        values = torch.randn((1, tokens, parts[0].in_features), generator=made).to(weight)
        together = linear(values, weight, bias).split(sizes, -1)
        if all(torch.equal(one(values), own) for one, own in zip(parts, together, strict=True)):
            found.add(tokens)
    return frozenset(found)


def _joined(parts: Sequence[nn.Linear]) -> tuple[torch.Tensor, torch.Tensor | None]:
    bias = None if parts[0].bias is None else torch.cat([one.bias.data for one in parts])
    return torch.cat([one.weight.data for one in parts]), bias


def _merge(parts: Sequence[Any], tokens: frozenset[int]) -> None:
    weight, bias = _joined(parts)
    sizes = [one.out_features for one in parts]
    for one, rows in zip(parts, weight.split(sizes), strict=True):
        one.weight.data = rows
    for one, numbers in zip(parts, bias.split(sizes) if bias is not None else (), strict=False):
        one.bias.data = numbers
    first, *others = parts
    first.forward = partial(_together, first, others, weight, bias, tokens)
    for one in others:
        one.forward = partial(_given, one)


def _together(
    self: nn.Linear,
    others: Sequence[nn.Linear],
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    tokens: frozenset[int],
    values: torch.Tensor,
) -> torch.Tensor:
    if torch.compiler.is_compiling() or values.numel() // self.in_features not in tokens:
        return linear(values, self.weight, self.bias)
    own, *theirs = linear(values, weight, bias).split([self.out_features, *(one.out_features for one in others)], -1)
    setattr(values, PRODUCTS, {id(one): product for one, product in zip(others, theirs, strict=True)})
    return own


def _given(self: nn.Linear, values: torch.Tensor) -> torch.Tensor:
    given: dict[int, torch.Tensor] = {} if torch.compiler.is_compiling() else getattr(values, PRODUCTS, {})
    product = given.pop(id(self), None)
    return linear(values, self.weight, self.bias) if product is None else product
