"""Times the attention of one layer over a long prefix and a tree, kernel by kernel."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import TYPE_CHECKING

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

if TYPE_CHECKING:
    from docspec.targets.kv import KVSpec

BACKENDS = {"memory-efficient": SDPBackend.EFFICIENT_ATTENTION, "plain": SDPBackend.MATH}


REPEATS = 20


def measured(spec: KVSpec, heads: int, prefix: int, tree: int) -> dict[str, float | None]:
    """Milliseconds of a folded tree of ``tree`` nodes behind ``prefix`` tokens, by each kernel that takes a mask and by
    split attention (:mod:`docspec.targets.split_attention`); ``None`` where a kernel refuses."""
    from docspec.targets.split_attention import split_attention

    groups, slots = heads // spec.kv_heads, -(-(prefix + tree) // 128) * 128
    made = {"dtype": spec.dtype, "device": spec.device}
    query = torch.randn(1, spec.kv_heads, groups * tree, spec.head_dim, **made)  # type: ignore[arg-type]
    key, value = torch.randn(2, 1, spec.kv_heads, slots, spec.head_dim, **made)  # type: ignore[call-overload]
    mask = torch.zeros(1, 1, groups * tree, slots, **made)  # type: ignore[arg-type]
    found: dict[str, float | None] = {}
    for name, backend in BACKENDS.items():
        with sdpa_kernel(backend):
            found[name] = _milliseconds(
                lambda: scaled_dot_product_attention(query, key, value, attn_mask=mask), spec.device
            )
    length = torch.tensor([prefix], device=spec.device)
    own = mask[..., :tree]
    found["apart"] = _milliseconds(lambda: split_attention(query, key, value, own, length, tree), spec.device)
    return found


def _milliseconds(run: Callable[[], object], device: torch.device) -> float | None:
    module = torch.get_device_module(device)
    times = []
    try:
        for _ in range(REPEATS + 3):
            module.synchronize()
            start = time.perf_counter()
            run()
            module.synchronize()
            times.append(1e3 * (time.perf_counter() - start))
    except RuntimeError:
        return None
    return median(times[3:])
