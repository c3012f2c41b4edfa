"""Attention of the trees of a step by kernels of our own, in Triton, which split the keys of a prefix.

A tree of 64 nodes over two KV heads is a dozen blocks of work for the 132 multiprocessors of a large GPU, plain
decoding is two, and each would read the whole prefix alone. Here each block reads a part of the keys: first every part
by itself (output, and logarithm of the sum of exponentials), then their sum, which is exact but for rounding
(Flash-Decoding; Milakov and Gimelshein 2018, arXiv 1805.02867). A row's length and a tree's ancestry are read on the
device, so that no mask over the prefix is made, slots beyond a row's length are not read, and a step can be captured.
"""

from __future__ import annotations

import importlib.util
import math
import os
from functools import cache
from typing import TYPE_CHECKING

import torch
from torch.nn.functional import scaled_dot_product_attention

from docspec.core.safe_text import first_line
from docspec.targets.kv import Trees

if TYPE_CHECKING:
    from docspec.targets.kv import KVSpec

BLOCKS_PER_PROCESSOR = 2
"""Blocks of work for each multiprocessor: one computes while the other waits for memory."""

MAX_PARTS = 64
"""Most parts of a prefix."""

LEAST_PART = 64
"""Least slots of a part, about what one block reads at once."""

MOST_NODES = 256
"""Most nodes of all rows of a step for which keys are split: more are work enough for a GPU, and there torch's
masked kernel is faster (H200: 4 rows of 64 nodes 10.2 ms against 12.8, 4 of 128 16.6 against 15.8)."""

APART = 0.02
"""Largest difference from masked attention in a trial, relative to the largest number: a few roundings of bfloat16."""


def unavailable(device: torch.device) -> str:
    """Why these kernels cannot run on ``device``; empty if they can. With ``TRITON_INTERPRET=1`` they run on a CPU,
    slowly, for tests."""
    if device.type != "cuda" and not (device.type == "cpu" and os.environ.get("TRITON_INTERPRET") == "1"):
        return f"it runs on CUDA devices, this is {device.type}"
    if importlib.util.find_spec("triton") is None:
        return "Triton is not installed"
    return ""


def not_working(spec: KVSpec, groups: int) -> str:
    """Why these kernels cannot attend for a decoder of ``spec`` with ``groups`` query heads for each KV head; empty if
    they can: they were run for one node and for many, and gave what masked attention gives. A small GPU may have too
    little memory of its own for them."""
    if why := unavailable(spec.device):
        return why
    made = torch.Generator().manual_seed(0)

    def numbers(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=made).to(spec.device, spec.dtype)

    slots, length = 5 * LEAST_PART, 3 * LEAST_PART + 9
    key, value = (numbers(1, slots, spec.kv_heads, spec.head_dim).transpose(1, 2) for _ in range(2))
    for tree in (1, LEAST_PART):
        query = numbers(1, tree, groups * spec.kv_heads, spec.head_dim).transpose(1, 2)
        ancestry = torch.ones((1, tree, tree), dtype=torch.bool, device=spec.device).tril()
        seen = torch.zeros((1, 1, tree, slots), dtype=torch.bool, device=spec.device)
        seen[..., :length], seen[0, 0, :, length : length + tree] = True, ancestry[0]
        keys, values = (one.repeat_interleave(groups, 1) for one in (key, value))
        try:
            found = tree_attention(query, key, value, Trees(torch.tensor([length], device=spec.device), ancestry))
            expected = scaled_dot_product_attention(query, keys, values, attn_mask=seen).transpose(1, 2)
            apart = float((found - expected).abs().max() / expected.abs().max())
        except Exception as error:
            return f"its kernels do not run on this device: {first_line(error)}"
        if not apart <= APART:  # NaN is never within
            return f"its kernels give other numbers than masked attention ({apart:.2g} apart)"
    return ""


def tree_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, trees: Trees, scaling: float | None = None
) -> torch.Tensor:
    """Attention of ``query`` ``(rows, heads, tree, dim)`` over ``key`` and ``value`` ``(rows, kv_heads, slots, dim)``.

    A row's first ``trees.lengths`` slots are its prefix, which every node attends to; the next ``tree`` slots are its
    tree, where ``trees.ancestry`` says who attends to whom. Returns ``(rows, tree, heads, dim)`` in the query's type;
    sums are in float32.
    """
    from docspec.targets.kernels import launch

    rows, heads, tree, dim = query.shape
    kv_heads, slots = key.shape[1:3]
    nodes = block_of(heads // kv_heads * tree)
    blocks = rows * kv_heads * math.ceil(heads // kv_heads * tree / nodes)
    parts = parts_of(slots, blocks, _processors(query.device))
    scale = dim**-0.5 if scaling is None else scaling
    return launch(query, key, value, trees.lengths, trees.ancestry, scale, nodes, parts)


def block_of(queries: int) -> int:
    """Queries of one KV head (all its heads' nodes) that a block of work takes."""
    return next((size for size in (16, 32) if queries <= size), 64)


def parts_of(slots: int, blocks: int, processors: int) -> int:
    """The parts of ``slots`` slots, a power of two, that occupy ``processors`` with ``blocks`` blocks of each part."""
    most = max(1, min(MAX_PARTS, slots // LEAST_PART))
    wanted = min(most, max(1, BLOCKS_PER_PROCESSOR * processors // blocks))
    return 1 << (wanted.bit_length() - 1)


@cache
def _processors(device: torch.device) -> int:
    return 1 if device.type == "cpu" else int(torch.cuda.get_device_properties(device).multi_processor_count)
