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
from typing import TYPE_CHECKING, Any

import torch

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
    they can: they were run for one node and for many. A small GPU may have too little memory of its own for them."""
    if why := unavailable(spec.device):
        return why
    made: Any = {"dtype": spec.dtype, "device": spec.device}
    key = torch.zeros((1, spec.kv_heads, LEAST_PART, spec.head_dim), **made)
    for tree in (1, LEAST_PART - 1):
        query = torch.zeros((1, groups * spec.kv_heads, tree, spec.head_dim), **made)
        trees = Trees(
            torch.ones(1, dtype=torch.long, device=spec.device),
            torch.ones((1, tree, tree), dtype=torch.bool, device=spec.device),
        )
        try:
            tree_attention(query, key, key, trees)
        except Exception as error:
            return f"its kernels do not run on this device: {first_line(error)}"
    return ""


def tree_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, trees: Trees, scaling: float | None = None
) -> torch.Tensor:
    """Attention of ``query`` ``(rows, heads, tree, dim)`` over ``key`` and ``value`` ``(rows, kv_heads, slots, dim)``.

    A row's first ``trees.lengths`` slots are its prefix, which every node attends to; the next ``tree`` slots are its
    tree, where ``trees.ancestry`` says who attends to whom. Returns ``(rows, tree, heads, dim)`` in the query's type;
    sums are in float32.
    """
    from docspec.targets.tree_kernels import launch

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
