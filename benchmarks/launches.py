"""Counts what a step launches on a device, kind by kind: with transformers' operations, and with docspec's kernels.

Operations are counted as torch dispatches them, on any device, the one without memory (``meta``) included; views launch
nothing. Without a GPU docspec's kernels do not run: :func:`as_on_a_gpu` puts others in their place that make an output
of the right shape and are counted as what they stand for.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from inspect import signature, unwrap
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode
from transformers.activations import SiLUActivation

from docspec.targets import adapter, kv_cache, merged, merged_products, one_kernel, tree_attention
from docspec.targets.adapter import TransformersTarget
from docspec.targets.stepping.inputs import Inputs

KINDS = ("products", "attention", "rotation", "norms", "keys written", "gates", "residuals", "copies", "other")
"""Matrix products; attention with its mask's share of a layer; rotary embedding; norms; keys and values into the cache;
element-wise operations of inner layers; residual sums; copies; what is left, the mask and the choice among them."""

PROCESSORS = 132
"""Multiprocessors of the device on paper: an H100 or H200."""

_aten = torch.ops.aten
_MAKE_NOTHING = {_aten.empty, _aten.empty_strided, _aten.empty_like, _aten.detach}
_PRODUCTS = {_aten.mm, _aten.addmm, _aten.bmm, _aten.baddbmm, _aten.linear}
_COPIES = {_aten.clone, _aten._to_copy, _aten.copy_}
_WRITTEN = {_aten.index_copy_, _aten.index_copy}
_PARTS = {"Norm": "norms", "Attention": "rotation", "MLP": "gates", "DecoderLayer": "residuals"}
"""The kind of element-wise operations by the end of the class's name in which they stand."""


class Launches(TorchDispatchMode):
    """Counts operations by their kinds in ``kinds``, within it."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: Counter[str] = Counter()
        self._within: list[str] = []
        self._hooks = ExitStack()

    def __enter__(self) -> Launches:
        for hook in (
            register_module_forward_pre_hook(lambda module, given: self._within.append(_part(module))),
            register_module_forward_hook(lambda module, given, found: self._left()),
        ):
            self._hooks.callback(hook.remove)
        super().__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self._hooks.close()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        if not (func.is_view or func.overloadpacket in _MAKE_NOTHING):
            self.kinds[self._kind(func.overloadpacket)] += 1
        return found

    def _left(self) -> None:
        self._within.pop()

    def _kind(self, operation: Any) -> str:
        if operation in _PRODUCTS:
            return "products"
        if "attention" in str(operation):
            return "attention"
        if operation in _WRITTEN:
            return "keys written"
        part = next((part for part in reversed(self._within) if part), "other")
        return "copies" if operation in _COPIES and part != "norms" else part


def _part(module: torch.nn.Module) -> str:
    name = type(module).__name__
    return next((kind for end, kind in _PARTS.items() if name.endswith(end)), "")


@contextmanager
def as_on_a_gpu() -> Iterator[Counter[str]]:
    """Within this context targets are made as on a GPU with Triton; the launches of docspec's kernels, which do not
    run, are added to the counter. Instead of their trials the arguments of norms and the formula of rotations are
    looked at."""
    own: Counter[str] = Counter()

    def normalised(values: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
        own["norms"] += 1
        return torch.empty_like(values)

    def added(residual: torch.Tensor, values: torch.Tensor, *given: Any) -> tuple[torch.Tensor, torch.Tensor]:
        own["norms"] += 1
        return torch.empty_like(values), torch.empty_like(values)

    def rotated(query: torch.Tensor, key: torch.Tensor, *angles: Any) -> tuple[torch.Tensor, torch.Tensor]:
        own["rotation"] += 1
        return torch.empty_like(query), torch.empty_like(key)

    def launch(query: torch.Tensor, *given: Any) -> torch.Tensor:
        own["attention"] += 2
        rows, heads, tree, dim = query.shape
        return torch.empty((rows, tree, heads, dim), dtype=query.dtype, device=query.device)

    def gated(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
        own["gates"] += 1
        return torch.empty_like(gate)

    with ExitStack() as stack:
        kernels = SimpleNamespace(normalised=normalised, added=added, rotated=rotated, gated=gated, launch=launch)
        stack.enter_context(mock.patch.dict(sys.modules, {"docspec.targets.kernels": kernels}))
        for room, name, instead in (
            (one_kernel, "unavailable", lambda device: ""),
            (one_kernel, "_same_norm", lambda module: len(signature(type(module).forward).parameters) == 2),
            (one_kernel, "_same_gate", lambda module: isinstance(module.act_fn, torch.nn.SiLU | SiLUActivation)),
            (one_kernel, "writes_the_same", lambda rotation, spec: True),
            (one_kernel, "_same_rotation", lambda own, kernel, spec: _turns_halves(own, spec.head_dim)),
            (kv_cache, "_is_the_same", _share_memory),
            (merged_products, "unavailable", lambda device: ""),
            (merged_products, "_same_products", lambda parts: frozenset(merged_products.TOKENS)),
            (merged, "_same_layer", lambda layer, following: _adds_twice(layer)),
            (adapter, "not_working", lambda spec, groups: ""),
            (tree_attention, "_processors", lambda device: PROCESSORS),
        ):
            stack.enter_context(mock.patch.object(room, name, instead))
        yield own


def _share_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors are views of one; without memory, too, where all have the same address."""
    return one.untyped_storage()._cdata == other.untyped_storage()._cdata


def _adds_twice(layer: torch.nn.Module) -> bool:
    """Whether the ``layer`` uses its parts and nothing else of its own."""
    return set(unwrap(type(layer).forward).__code__.co_names) == set(merged.PARTS)


def _turns_halves(own: Callable[..., Any], dim: int) -> bool:
    """Whether ``own`` is what the kernel computes: the halves of a head, all of it, turned against each other."""
    query, (cos, sin) = torch.randn(1, 2, 3, dim), torch.randn(2, 1, 3, dim)
    low, high = query.chunk(2, -1)
    try:
        found, _ = own(query, query, cos, sin)
    except RuntimeError:
        return False
    return torch.allclose(found, query * cos[:, None] + torch.cat((-high, low), -1) * sin[:, None])


def launches(target: TransformersTarget, tree: int, prefix: int, split: bool = False) -> Counter[str]:
    """The operations of a step of one row with ``tree`` nodes behind ``prefix`` tokens, from its inputs on the device
    to its choices; ``split``: attention without a mask."""
    spec = target.kv_spec
    cache = target.kv.cache(1, prefix + tree + 1)
    grid = torch.zeros(1, tree, dtype=torch.long, device=spec.device)
    one = torch.ones(1, dtype=torch.long, device=spec.device)
    ancestry = torch.ones(1, tree, tree, dtype=torch.bool, device=spec.device)
    inputs = Inputs(grid, grid, grid, grid, one, one, one, ancestry)
    cache.reserve(tree)
    with torch.inference_mode(), Launches() as counted:
        cache.begin_static_step(grid.flatten(), 1, prefix + tree, one, inputs.trees if split else None)
        mask = None if split else inputs.mask(prefix + tree)
        target.logits(target.hidden(grid, grid, mask, cache)).argmax(-1)
    return counted.kinds
