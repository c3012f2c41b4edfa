"""The two kernels of :mod:`docspec.targets.tree_attention`; importing them needs Triton."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

KEYS = {4: 32}
"""Keys that a block of work reads at once, by the bytes of a number; 64 of half precision."""

STAGES = 2
"""Reads of keys in flight: with more, a multiprocessor has memory for one block of work alone."""

LOG2_E = 1.4426950408889634


@triton.jit
def with_keys(scores, values, best, total, output, PRECISION: tl.constexpr):
    """The running maxima, sums of exponentials and outputs of queries, with ``scores`` of further keys (in logarithms
    to base 2) and their ``values``."""
    higher = tl.maximum(best, tl.max(scores, 1))
    level = tl.where(higher == float("-inf"), 0.0, higher)
    weights = tl.exp2(scores - level[:, None])
    kept = tl.exp2(best - level)
    total = total * kept + tl.sum(weights, 1)
    added = tl.dot(weights.to(values.dtype), values, input_precision=PRECISION)
    return higher, total, output * kept[:, None] + added


@triton.jit(do_not_specialize=["kv_heads", "tree", "parts"])
def attend_to_part(
    query, key, value, lengths, ancestry, found, sums,
    query_row, query_head, query_node, key_row, key_head, key_slot,
    value_row, value_head, value_slot, kv_heads, tree, parts, scale,
    GROUPS: tl.constexpr, DIM: tl.constexpr, WIDTH: tl.constexpr, NODES: tl.constexpr, KEYS: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    """Attention of ``NODES`` queries of one KV head of one row over one part of the keys that they may attend to.

    Queries are counted head after head, nodes within. Leaves the output in ``found`` ``(rows, heads, tree, parts,
    dim)`` and the logarithm to base 2 of the sum of exponentials in ``sums`` ``(rows, heads, tree, parts)``.
    """
    row, head = (tl.program_id(2) // kv_heads).to(tl.int64), tl.program_id(2) % kv_heads
    part = tl.program_id(1)
    queries = tl.program_id(0) * NODES + tl.arange(0, NODES)
    real = queries < GROUPS * tree
    node, its_head = queries % tree, head * GROUPS + queries // tree
    dims = tl.arange(0, WIDTH)
    within = dims < DIM

    at = query + row * query_row + its_head[:, None] * query_head + node[:, None] * query_node + dims[None, :]
    asked = tl.load(at, mask=real[:, None] & within[None, :], other=0.0)
    key += row * key_row + head * key_head
    value += row * value_row + head * value_head
    ancestry += (row * tree + node[:, None]) * tree

    length = tl.load(lengths + row)
    end = length + tree
    share = tl.cdiv(tl.cdiv(end, parts), KEYS) * KEYS  # a row's parts are even, however long the buffer is
    first = part * share
    last = tl.minimum(first + share, end)

    best = tl.full([NODES], float("-inf"), tl.float32)
    total = tl.zeros([NODES], tl.float32)
    output = tl.zeros([NODES, WIDTH], tl.float32)
    whole = tl.minimum(tl.maximum(first, length // KEYS * KEYS), last)  # up to here all keys are in the prefix
    for start in range(first, whole, KEYS):
        slots = start + tl.arange(0, KEYS)
        keys = tl.load(key + slots[:, None] * key_slot + dims[None, :], mask=within[None, :], other=0.0)
        values = tl.load(value + slots[:, None] * value_slot + dims[None, :], mask=within[None, :], other=0.0)
        scores = tl.dot(asked, tl.trans(keys), input_precision=PRECISION) * scale
        best, total, output = with_keys(scores, values, best, total, output, PRECISION)
    for start in range(whole, last, KEYS):
        slots = start + tl.arange(0, KEYS)
        used = slots < last
        shown = used[:, None] & within[None, :]
        keys = tl.load(key + slots[:, None] * key_slot + dims[None, :], mask=shown, other=0.0)
        values = tl.load(value + slots[:, None] * value_slot + dims[None, :], mask=shown, other=0.0)
        scores = tl.dot(asked, tl.trans(keys), input_precision=PRECISION) * scale
        behind = slots - length
        own = (behind >= 0) & used
        ancestor = tl.load(ancestry + behind[None, :], mask=own[None, :] & real[:, None], other=0)
        seen = used[None, :] & ((behind < 0)[None, :] | (ancestor != 0))
        scores = tl.where(seen, scores, float("-inf"))
        best, total, output = with_keys(scores, values, best, total, output, PRECISION)

    some = total > 0
    output = output / tl.where(some, total, 1.0)[:, None]
    place = ((row * kv_heads * GROUPS + its_head) * tree + node) * parts + part
    tl.store(found + place[:, None] * DIM + dims[None, :], output, mask=real[:, None] & within[None, :])
    tl.store(sums + place, tl.where(some, best + tl.log2(tl.where(some, total, 1.0)), float("-inf")), mask=real)


@triton.jit
def sum_parts(
    found, sums, output, heads, tree,
    PARTS: tl.constexpr, DIM: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """The parts of one query, weighed by their sums of exponentials, to ``output`` ``(rows, tree, heads, dim)``."""
    query = tl.program_id(0)
    parts, dims = tl.arange(0, PARTS), tl.arange(0, WIDTH)
    within = dims < DIM
    logs = tl.load(sums + query * PARTS + parts)
    weights = tl.exp2(logs - tl.max(logs, 0))
    weights = weights / tl.sum(weights, 0)
    at = (query * PARTS + parts[:, None]) * DIM + dims[None, :]
    values = tl.load(found + at, mask=within[None, :], other=0.0)
    node, head, row = query % tree, query // tree % heads, query // (tree * heads)
    place = ((row * tree + node) * heads + head) * DIM + dims
    tl.store(output + place, tl.sum(values * weights[:, None], 0), mask=within)


def launch(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    lengths: torch.Tensor,
    ancestry: torch.Tensor,
    scale: float,
    nodes: int,
    parts: int,
) -> torch.Tensor:
    """:func:`docspec.targets.tree_attention.tree_attention` with ``nodes`` queries a block and ``parts`` parts."""
    rows, heads, tree, dim = query.shape
    kv_heads = key.shape[1]
    query, key, value = (one if one.stride(3) == 1 else one.contiguous() for one in (query, key, value))
    width = max(16, triton.next_power_of_2(dim))
    made = {"dtype": torch.float32, "device": query.device}
    found, sums = torch.empty((rows, heads, tree, parts, dim), **made), torch.empty((rows, heads, tree, parts), **made)
    output = torch.empty((rows, tree, heads, dim), dtype=query.dtype, device=query.device)
    groups, precision = heads // kv_heads, "ieee" if query.dtype == torch.float32 else None
    attend_to_part[(triton.cdiv(groups * tree, nodes), parts, rows * kv_heads)](
        query, key, value, lengths, ancestry.contiguous().view(torch.uint8), found, sums,
        *query.stride()[:3], *key.stride()[:3], *value.stride()[:3], kv_heads, tree, parts, scale * LOG2_E,
        GROUPS=groups, DIM=dim, WIDTH=width, NODES=nodes, KEYS=KEYS.get(query.element_size(), 64),
        PRECISION=precision, num_stages=STAGES,
    )  # fmt: skip
    sum_parts[(rows * heads * tree,)](found, sums, output, heads, tree, PARTS=parts, DIM=dim, WIDTH=width)
    return output
