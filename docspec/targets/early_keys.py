"""Keys and values that the rotation of a layer writes into the cache, by the kernel that turns them, on GPUs.

transformers' attention turns queries and keys, then gives keys and values to the cache, which copies both: two kernels
a layer. Here the rotation is told beforehand of the cache and of the values, and writes all to their slots. The cache
copies what it is given only where that is something else than what was written (some models normalise keys behind the
rotation), so that a guess that is wrong costs a kernel and changes nothing. **Never run on a GPU.**
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from docspec.targets.kv_cache import SlotCache, SlotLayer

if TYPE_CHECKING:
    from docspec.targets.kv import KVSpec

VALUES = "v_proj"
"""What transformers calls the module whose output are a layer's values."""

Writes = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


class Early:
    """What the rotation of one attention layer knows of the cache and the values of the pass that runs."""

    def __init__(self, spec: KVSpec) -> None:
        self._heads = spec.kv_heads, spec.head_dim
        self._layer: SlotLayer | None = None
        self._value: torch.Tensor | None = None

    def watch(self, attention: nn.Module) -> None:
        """Knows from now on what ``attention`` is given."""
        attention.register_forward_pre_hook(self._begin, with_kwargs=True)
        getattr(attention, VALUES).register_forward_hook(self._made)

    def _begin(self, attention: Any, args: Any, kwargs: dict[str, Any]) -> None:
        if torch.compiler.is_compiling():
            return
        cache, self._layer, self._value = kwargs.get("past_key_values"), None, None
        if isinstance(cache, SlotCache) and not cache.prefilling:
            self._layer = cache.layers[attention.layer_idx]

    def _made(self, module: Any, args: Any, output: torch.Tensor) -> None:
        if self._layer is not None and not torch.compiler.is_compiling():
            self._value = output.unflatten(-1, self._heads).transpose(1, 2)

    def turned(
        self, key: torch.Tensor, turn: Callable[[Writes | None], tuple[torch.Tensor, torch.Tensor]]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What ``turn`` makes of queries and a ``key``; it writes keys and values too where both are known."""
        layer, value, self._layer, self._value = self._layer, self._value, None, None
        if layer is None or value is None or value.stride(3) != 1:
            return turn(None)
        keys, values, slots = layer.room
        fits = len(slots) == key.shape[0] * key.shape[2] and key.shape == value.shape
        if not fits or not key.dtype == value.dtype == keys.dtype:
            return turn(None)
        query, turned = turn((value, keys, values, slots))
        layer.wrote(turned, value)
        return query, turned


Rotate = Callable[..., tuple[torch.Tensor, torch.Tensor]]


@torch.inference_mode()
def writes_the_same(rotation: Callable[[Early], Rotate], spec: KVSpec) -> bool:
    """Whether a ``rotation`` that knows of the cache leaves there what the cache copies by itself."""
    made = torch.Generator().manual_seed(0)

    def numbers(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=made).to(spec.device, spec.dtype)

    heads, dim = spec.kv_heads, spec.head_dim
    query, key = numbers(2, 3, heads, dim).transpose(1, 2), numbers(2, 3, heads, dim).transpose(1, 2)
    value, cos, sin = numbers(2, 3, heads * dim), numbers(2, 3, dim), numbers(2, 3, dim)
    left = []
    try:
        for knows in (False, True):
            early, cache = Early(spec), SlotCache(spec, 2, 8)
            cache.begin_step(torch.tensor([[1, 2, 3], [4, 5, 6]], device=spec.device), 8)
            early._begin(SimpleNamespace(layer_idx=0), (), {"past_key_values": cache} if knows else {})
            early._made(None, (), value)
            _, turned = rotation(early)(query, key, cos, sin)
            cache.update(turned, value.unflatten(-1, (heads, dim)).transpose(1, 2), 0)
            left.append(cache.buffer)
        return torch.equal(*left)
    except Exception:  # the kernel does not run on this device
        return False
