"""Norms, gates and rotary embedding of a loaded model as one kernel each, on GPUs.

transformers writes an RMSNorm as seven operations over float32 copies (Qwen3-VL 2B has 113 norms), SwiGLU as an
activation and a product, and turns queries and keys by ten operations (products, halves exchanged, sums), a third of
the kernels of a decoder's layer. In a step of a few dozen tokens each takes about as long as its launch. The kernels
round where transformers does: rotary embedding gives the same bits, and of norms only the order differs in which
squares are added. **The kernel of gates was never run on a GPU.**

A module is changed if the kernel gives what the module's own function does, which is tried once a kind of module.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from docspec.targets.early_keys import VALUES, Early, Rotate, writes_the_same
from docspec.targets.tree_attention import unavailable

if TYPE_CHECKING:
    from docspec.targets.kv import KVSpec

APART = 0.01
"""Largest difference from a module's own output on random input, relative to the largest number: about one rounding of
bfloat16. Modules that compute something else (norms by 1 + weight, norms with a gate) differ by far more."""

NORMED = "docspec_normed"
"""What a sum of :mod:`docspec.targets.merged` carries: the norm behind it, and what that one makes of it."""

GATE_PARTS = ("gate_proj", "up_proj", "down_proj", "act_fn")
"""What transformers calls the parts of a layer with a gate."""

ROTATE = "apply_rotary_pos_emb"
"""What transformers calls its function for queries and keys, in every file of a decoder."""


def normalise_in_one_kernel(model: nn.Module) -> int:
    """Computes the RMSNorms of ``model`` with one kernel each, if Triton runs on its device; returns how many were
    changed."""
    return _changed(model, _kind_of_norm, _same_norm, _norm)


def is_one_kernel(norm: Any) -> bool:
    """Whether :func:`normalise_in_one_kernel` changed ``norm``."""
    return getattr(getattr(norm, "forward", None), "__func__", None) is _norm


def gate_in_one_kernel(decoder: nn.Module) -> int:
    """Computes the gates of ``decoder`` with one kernel each, if Triton runs on its device; returns how many layers
    were changed; not those that somebody has changed before."""
    return _changed(decoder, _kind_of_gate, _same_gate, _gate)


def rotate_in_one_kernel(decoder: nn.Module, spec: KVSpec) -> int:
    """Has the attention layers of ``decoder``, whose keys are those of ``spec``, turn queries and keys by one kernel,
    if Triton runs on its device; returns how many were changed; not those that somebody has changed before."""
    if unavailable(spec.device):
        return 0
    known: dict[Rotate, tuple[bool, bool] | None] = {}
    changed = 0
    for module in decoder.modules():
        forward = type(module).forward
        own = getattr(forward, "__globals__", {}).get(ROTATE)
        if own is None or ROTATE not in forward.__code__.co_names or "forward" in vars(module):
            continue
        if own not in known:
            known[own] = _tried(own, spec)
        if (tried := known[own]) is None:
            continue
        wide, writes = tried
        early = Early(spec)
        if writes and hasattr(module, VALUES):
            early.watch(module)
        module.forward = types.MethodType(_calling(forward, _rotation(own, wide, early)), module)  # type: ignore[method-assign]
        changed += 1
    return changed


def _tried(own: Rotate, spec: KVSpec) -> tuple[bool, bool] | None:
    """Whether the kernel that does what ``own`` does is wide, and whether it may write keys and values; ``None``: no
    kernel does."""
    for wide in (False, True):
        if _same_rotation(own, _rotation(own, wide, Early(spec)), spec):
            return wide, writes_the_same(lambda early: _rotation(own, wide, early), spec)  # noqa: B023
    return None


def _changed(
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


def _are_near(module: Any, forward: Callable[..., torch.Tensor], values: torch.Tensor) -> bool:
    """Whether ``forward`` computes what ``module`` does on ``values``; false on errors: the module has another
    signature, or the kernel does not run on its device."""
    try:
        expected, found = module(values), forward(module, values)
    except Exception:
        return False
    return float((found - expected).abs().max()) <= APART * float(expected.abs().max())


def _kind_of_norm(module: Any) -> tuple[Any, ...] | None:
    weight, eps = getattr(module, "weight", None), getattr(module, "variance_epsilon", None)
    if "RMSNorm" not in type(module).__name__ or weight is None or eps is None or unavailable(weight.device):
        return None
    return type(module), weight.shape, weight.dtype, float(eps)


def _norm(self: Any, hidden_states: torch.Tensor) -> torch.Tensor:
    from docspec.targets.kernels import normalised

    if hidden_states.dtype != self.weight.dtype:
        found: torch.Tensor = type(self).forward(self, hidden_states)
        return found
    by, given = getattr(hidden_states, NORMED, (None, None))
    if given is not None and by is self:  # the kernel that added it has done it
        return given
    return normalised(hidden_states, self.weight, self.variance_epsilon)


@torch.inference_mode()
def _same_norm(module: Any) -> bool:
    """Whether the kernel computes what ``module`` does, with weights that are not all one."""
    made = torch.Generator().manual_seed(0)
    values = torch.randn((2, 3, *module.weight.shape), generator=made).to(module.weight)
    kept = module.weight.detach().clone()
    module.weight.copy_(1 + torch.rand(kept.shape, generator=made).to(kept))
    try:
        return _are_near(module, _norm, values)
    finally:
        module.weight.copy_(kept)


def _kind_of_gate(module: Any) -> tuple[Any, ...] | None:
    if not all(hasattr(module, part) for part in GATE_PARTS) or "forward" in vars(module):
        return None
    weight = getattr(module.down_proj, "weight", None)
    if weight is None or not weight.is_floating_point() or unavailable(weight.device):
        return None
    return type(module), type(module.act_fn), weight.dtype


def _gate(self: Any, x: torch.Tensor) -> torch.Tensor:
    from docspec.targets.kernels import gated

    if torch.compiler.is_compiling():  # it fuses by itself
        own: torch.Tensor = type(self).forward(self, x)
        return own
    found: torch.Tensor = self.down_proj(gated(self.gate_proj(x), self.up_proj(x)))
    return found


@torch.inference_mode()
def _same_gate(module: Any) -> bool:
    """Whether the layer computes the same with the kernel; weights are the model's own."""
    weight = module.down_proj.weight
    made = torch.Generator().manual_seed(0)
    return _are_near(module, _gate, torch.randn((2, 3, weight.shape[0]), generator=made).to(weight))


def _calling(forward: Any, rotate: Rotate) -> types.FunctionType:
    """``forward`` with ``rotate`` in the place of the function of that name in its file, for one module alone."""
    names = {**forward.__globals__, ROTATE: rotate}
    found = types.FunctionType(forward.__code__, names, forward.__name__, forward.__defaults__, forward.__closure__)
    found.__kwdefaults__ = forward.__kwdefaults__
    return found


def _rotation(own: Rotate, wide: bool, early: Early) -> Rotate:
    """The kernel as a function in the place of ``own``, which is called where the kernel does not fit, and in
    ``torch.compile``, which fuses it by itself; ``wide``: only sums are rounded, not products. It writes keys and
    values of which ``early`` knows."""

    def rotate(
        q: torch.Tensor, k: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, unsqueeze_dim: int = 1
    ) -> tuple[torch.Tensor, torch.Tensor]:
        from docspec.targets.kernels import rotated

        fits = unsqueeze_dim == 1 and cos.shape[-1] == q.shape[-1] and cos.ndim == 3 and q.dtype == k.dtype == cos.dtype
        if torch.compiler.is_compiling() or not fits or q.stride(3) != 1 or k.stride(3) != 1:
            return own(q, k, cos, sin, unsqueeze_dim)
        return early.turned(k, partial(rotated, q, k, cos, sin, wide))

    return rotate


@torch.inference_mode()
def _same_rotation(own: Rotate, kernel: Rotate, spec: KVSpec) -> bool:
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
