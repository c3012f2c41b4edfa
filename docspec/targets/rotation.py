"""Rotary embedding of queries and keys as one kernel, on GPUs.

transformers turns both by ten operations (products, halves exchanged, sums), each of which takes about as long as its
launch in a step of a few dozen tokens: a third of the kernels of a decoder's layer. The kernel rounds where
transformers does and gives the same bits.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from docspec.targets.tree_attention import unavailable

if TYPE_CHECKING:
    from docspec.targets.kv import KVSpec

NAME = "apply_rotary_pos_emb"
"""What transformers calls its function for queries and keys, in every file of a decoder."""

Rotate = Callable[..., tuple[torch.Tensor, torch.Tensor]]


def rotate_in_one_kernel(decoder: nn.Module, spec: KVSpec) -> int:
    """Has the attention layers of ``decoder``, whose keys are those of ``spec``, turn queries and keys by one kernel,
    if Triton runs on its device; returns how many were changed. A layer is changed if the kernel gives what its own
    function gives, bit for bit, which is tried once a function, and if nobody has changed it before."""
    if unavailable(spec.device):
        return 0
    known: dict[Rotate, Rotate | None] = {}
    changed = 0
    for module in decoder.modules():
        forward = type(module).forward
        own = getattr(forward, "__globals__", {}).get(NAME)
        if own is None or NAME not in forward.__code__.co_names or "forward" in vars(module):
            continue
        if own not in known:
            tried = (_kernel(own, wide) for wide in (False, True))
            known[own] = next((one for one in tried if _same(own, one, spec)), None)
        rotate = known[own]
        if rotate is not None:
            module.forward = types.MethodType(_calling(forward, rotate), module)  # type: ignore[method-assign]
            changed += 1
    return changed


def _calling(forward: Any, rotate: Rotate) -> types.FunctionType:
    """``forward`` with ``rotate`` in the place of the function of that name in its file, for one module alone."""
    names = {**forward.__globals__, NAME: rotate}
    found = types.FunctionType(forward.__code__, names, forward.__name__, forward.__defaults__, forward.__closure__)
    found.__kwdefaults__ = forward.__kwdefaults__
    return found


def _kernel(own: Rotate, wide: bool) -> Rotate:
    """The kernel as a function in the place of ``own``, which is called where the kernel does not fit, and in
    ``torch.compile``, which fuses it by itself; ``wide``: only sums are rounded, not products."""

    def rotate(
        q: torch.Tensor, k: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, unsqueeze_dim: int = 1
    ) -> tuple[torch.Tensor, torch.Tensor]:
        from docspec.targets.kernels import rotated

        fits = unsqueeze_dim == 1 and cos.shape[-1] == q.shape[-1] and cos.ndim == 3 and q.dtype == k.dtype == cos.dtype
        if torch.compiler.is_compiling() or not fits or q.stride(3) != 1 or k.stride(3) != 1:
            return own(q, k, cos, sin, unsqueeze_dim)
        return rotated(q, k, cos, sin, wide)

    return rotate


@torch.inference_mode()
def _same(own: Rotate, kernel: Rotate, spec: KVSpec) -> bool:
    """Whether ``kernel`` gives what ``own`` does, for heads and angles that have nothing in common."""
    made = torch.Generator().manual_seed(0)

    def numbers(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=made).to(spec.device, spec.dtype)

    dim = spec.head_dim
    query, key = numbers(2, 5, 4, dim).transpose(1, 2), numbers(2, 5, 2, dim).transpose(1, 2)
    cos, sin = numbers(2, 5, dim), numbers(2, 5, dim)
    try:
        pairs = zip(kernel(query, key, cos, sin), own(query, key, cos, sin), strict=True)
        return all(torch.equal(found, expected) for found, expected in pairs)
    except Exception:  # a function of other arguments, or a device on which the kernel does not run
        return False
