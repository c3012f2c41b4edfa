"""The kernels of :mod:`tree_attention` and :mod:`one_kernel`; importing them needs Triton."""

from __future__ import annotations

from itertools import chain

import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def gate_up(gate, up, output, size, gate_row, up_row, BLOCK: tl.constexpr):
    """SiLU of ``gate``, rounded to its own type, times ``up``."""
    row = tl.program_id(0).to(tl.int64)
    places = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    within = places < size
    given = tl.load(gate + row * gate_row + places, mask=within, other=0.0)
    wide = given.to(tl.float32)
    active = (wide / (1.0 + tl.exp(-wide))).to(given.dtype).to(tl.float32)
    factors = tl.load(up + row * up_row + places, mask=within, other=0.0).to(tl.float32)
    tl.store(output + row * size + places, active * factors, mask=within)


def gated(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """``silu(gate) * up`` for tensors of one shape and type; they may be parts of longer rows."""
    shape, size = gate.shape, gate.shape[-1]
    gate, up = (one.reshape(-1, size) if one.stride(-1) == 1 else one.contiguous().view(-1, size) for one in (gate, up))
    output = gate.new_empty(gate.shape)
    gate_up[(len(gate), triton.cdiv(size, BLOCK))](
        gate, up, output, size, gate.stride(0), up.stride(0), BLOCK=BLOCK, num_warps=4
    )
    return output.view(shape)


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


@triton.jit
def normalise(
    values, residual, weight, summed, output, size, eps, inner, outer_stride, inner_stride,
    WIDTH: tl.constexpr, ADDS: tl.constexpr,
):  # fmt: skip
    """``output`` is a row of ``values`` over the root of its mean square, rounded to its own type, times ``weight``;
    with ``ADDS`` a row of ``summed``, that of ``values`` with the one of ``residual``."""
    row = tl.program_id(0).to(tl.int64)
    dims = tl.arange(0, WIDTH)
    within = dims < size
    given = tl.load(values + row // inner * outer_stride + row % inner * inner_stride + dims, mask=within, other=0.0)
    wide = given.to(tl.float32)
    if ADDS:
        wide += tl.load(residual + row * size + dims, mask=within, other=0.0).to(tl.float32)
        tl.store(summed + row * size + dims, wide, mask=within)
        wide = wide.to(given.dtype).to(tl.float32)
    scale = 1.0 / tl.sqrt(tl.sum(wide * wide, 0) / size + eps)
    rounded = (wide * scale).to(given.dtype).to(tl.float32)
    factors = tl.load(weight + dims, mask=within, other=0.0).to(tl.float32)
    tl.store(output + row * size + dims, factors * rounded, mask=within)


def normalised(values: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """``values`` ``(..., size)``, normalised; heads may lie in memory as a part of each row."""
    shape = values.shape
    heads = values.flatten(0, -3) if values.dim() > 3 else values.reshape(-1, 1, shape[-1])
    return _normalised(heads if heads.stride(-1) == 1 else heads.contiguous(), None, weight, eps)[1].view(shape)


def added(
    residual: torch.Tensor, values: torch.Tensor, weight: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """The sum of two tensors of one shape and type, and the same normalised."""
    flat = values.contiguous().view(-1, 1, values.shape[-1])
    summed, output = _normalised(flat, residual.contiguous(), weight, eps)
    return summed.view(values.shape), output.view(values.shape)


def _normalised(
    values: torch.Tensor, residual: torch.Tensor | None, weight: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Of ``values`` ``(rows, heads, size)`` the sum with a ``residual`` and the normalised; neither has gaps."""
    rows, heads, size = values.shape
    output = values.new_empty(values.shape)
    summed = output if residual is None else torch.empty_like(output)
    width = triton.next_power_of_2(size)
    normalise[(rows * heads,)](
        values, output if residual is None else residual, weight, summed, output, size, eps, heads,
        *values.stride()[:2], WIDTH=width, ADDS=residual is not None, num_warps=min(max(width // 256, 1), 16),
    )  # fmt: skip
    return summed, output


@triton.jit
def rotate(
    query, key, value, cos, sin, turned_query, turned_key, keys, values, slots,
    query_row, query_head, query_token, key_row, key_head, key_token, value_row, value_head, value_token,
    to_query_row, to_query_head, to_query_token, to_key_row, to_key_head, to_key_token, angle_row, angle_token,
    heads, kv_heads, tokens, half,
    WIDTH: tl.constexpr, WIDE: tl.constexpr, WRITES: tl.constexpr,
):  # fmt: skip
    """One head of one token of ``query``, or of ``key`` behind those, turned by its angles. Each product is rounded to
    the numbers' own type before the sum, unless ``WIDE``. With ``WRITES`` keys go to their slots of the cache, too, and
    those of ``value``."""
    place = tl.program_id(0)
    row, token = (place // tokens).to(tl.int64), place % tokens
    head = tl.program_id(1)
    if head < heads:
        given = query + row * query_row + head * query_head + token * query_token
        turned = turned_query + row * to_query_row + head * to_query_head + token * to_query_token
    else:
        given = key + row * key_row + (head - heads) * key_head + token * key_token
        turned = turned_key + row * to_key_row + (head - heads) * to_key_head + token * to_key_token
    dims = tl.arange(0, WIDTH)
    within = dims < half
    angle = row * angle_row + token * angle_token + dims
    own = tl.load(given + dims, mask=within, other=0.0)
    low = own.to(tl.float32)
    high = tl.load(given + half + dims, mask=within, other=0.0).to(tl.float32)
    low_kept = low * tl.load(cos + angle, mask=within, other=0.0).to(tl.float32)
    low_added = -high * tl.load(sin + angle, mask=within, other=0.0).to(tl.float32)
    high_kept = high * tl.load(cos + angle + half, mask=within, other=0.0).to(tl.float32)
    high_added = low * tl.load(sin + angle + half, mask=within, other=0.0).to(tl.float32)
    if not WIDE:
        low_kept, low_added = low_kept.to(own.dtype).to(tl.float32), low_added.to(own.dtype).to(tl.float32)
        high_kept, high_added = high_kept.to(own.dtype).to(tl.float32), high_added.to(own.dtype).to(tl.float32)
    tl.store(turned + dims, low_kept + low_added, mask=within)
    tl.store(turned + half + dims, high_kept + high_added, mask=within)
    if WRITES:  # noqa: SIM102  # apart: what is not wanted is not compiled
        if head >= heads:
            to = (tl.load(slots + place) * kv_heads + head - heads) * (2 * half) + dims
            tl.store(keys + to, low_kept + low_added, mask=within)
            tl.store(keys + to + half, high_kept + high_added, mask=within)
            behind = value + row * value_row + (head - heads) * value_head + token * value_token + dims
            tl.store(values + to, tl.load(behind, mask=within, other=0.0), mask=within)
            tl.store(values + to + half, tl.load(behind + half, mask=within, other=0.0), mask=within)


def rotated(
    query: torch.Tensor,
    key: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    wide: bool,
    writes: tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor] | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """``query`` ``(rows, heads, tokens, dim)`` and ``key`` ``(rows, kv_heads, tokens, dim)``, turned by ``cos`` and
    ``sin`` ``(rows, tokens, dim)``; in memory they lie as they did. ``writes``: values like ``key``, and where keys and
    values go, ``(capacity, kv_heads, dim)`` each, at the slots ``(rows * tokens,)``."""
    turned_query, turned_key = torch.empty_like(query), torch.empty_like(key)
    rows, heads, tokens, dim = query.shape
    cos, sin = cos.expand(rows, -1, -1).contiguous(), sin.expand(rows, -1, -1).contiguous()
    half = dim // 2
    value, keys, values, slots = writes or (key, turned_key, turned_key, turned_key)
    laid = (one.stride()[:3] for one in (query, key, value, turned_query, turned_key))
    rotate[(rows * tokens, heads + key.shape[1])](
        query, key, value, cos, sin, turned_query, turned_key, keys, values, slots,
        *chain.from_iterable(laid), *cos.stride()[:2], heads, key.shape[1], tokens, half,
        WIDTH=triton.next_power_of_2(half), WIDE=wide, WRITES=writes is not None, num_warps=1,
        enable_fp_fusion=False,  # a sum that is rounded once is another number
    )  # fmt: skip
    return turned_query, turned_key
