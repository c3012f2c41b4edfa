"""Attention of a tree in two parts: over the prefix, which needs no mask, and over the tree itself.

One kernel over both needs a mask over the whole prefix, and kernels that take masks do not split their keys among
multiprocessors: a tree of 64 nodes with two KV heads keeps a dozen of them busy. Over the prefix alone, flash attention
takes no mask and splits its keys. Each part returns its output and the logarithm of its sum of exponentials, from which
the softmax over both follows exactly: ``(o1 e^l1 + o2 e^l2) / (e^l1 + e^l2)``.
"""

from __future__ import annotations

import torch


def split_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    own: torch.Tensor,
    lengths: torch.Tensor,
    tree: int,
    scaling: float | None = None,
) -> torch.Tensor:
    """Attention of folded ``query`` ``(rows, kv_heads, groups * tree, dim)`` over ``key`` and ``value`` ``(rows,
    kv_heads, slots, dim)``; a row's first ``lengths`` ``(rows,)`` slots are its prefix and the next ``tree`` its tree.

    ``own`` is the additive mask ``(rows, 1, groups * tree, tree)`` of the tree. Returns the result of masked attention
    over both, in the query's shape and type.
    """
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    prefix = _flash(query, key, value, lengths, scale) if _has_flash(query) else None
    if prefix is None:
        indices = torch.arange(key.shape[2], device=key.device)
        behind = indices >= lengths.unsqueeze(1)  # (rows, slots)
        blocked = torch.zeros(behind.shape, device=key.device).masked_fill_(behind, torch.finfo(torch.float32).min)
        prefix = _whole(query, key, value, blocked[:, None, None], scale)
    nodes = lengths.unsqueeze(1) + torch.arange(tree, device=key.device)
    nodes = nodes.clamp(max=key.shape[2] - 1)[:, None, :, None].expand(-1, key.shape[1], -1, key.shape[3])
    of_tree = _whole(query, key.gather(2, nodes), value.gather(2, nodes), own.float(), scale)
    return merged(*prefix, *of_tree).to(query.dtype)


def merged(
    first: torch.Tensor, first_sum: torch.Tensor, second: torch.Tensor, second_sum: torch.Tensor
) -> torch.Tensor:
    """Attention over two sets of keys, from the outputs ``(..., dim)`` over each and the logarithms ``(...)`` of their
    sums of exponentials; in float32."""
    share = torch.sigmoid(first_sum.float() - second_sum.float()).unsqueeze(-1)
    return first.float() * share + second.float() * (1 - share)


def _whole(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Masked attention by its definition: output and logarithm of the sum of exponentials, in float32."""
    scores = (query.float() * scale) @ key.float().transpose(2, 3) + mask
    total = scores.logsumexp(-1)
    return (scores - total.unsqueeze(-1)).exp() @ value.float(), total


def _has_flash(query: torch.Tensor) -> bool:
    return query.device.type == "cuda" and query.dtype in (torch.float16, torch.bfloat16)


def _flash(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, lengths: torch.Tensor, scale: float
) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Flash attention over prefixes whose lengths only the device knows, so that it can be captured; ``None`` for more
    than one row."""
    rows, heads, queries, _ = query.shape
    slots = key.shape[2]
    if rows > 1:
        return None
    keys, values = (one.transpose(1, 2).flatten(0, 1) for one in (key, value))  # (slots, kv_heads, dim)
    ends = torch.arange(2, device=query.device, dtype=torch.int32)
    output, total, *_ = torch.ops.aten._flash_attention_forward(
        query.transpose(1, 2).flatten(0, 1), keys, values, ends * queries, ends * slots, queries, slots,
        0.0, False, False, scale=scale, seqused_k=lengths.to(torch.int32),
    )  # fmt: skip
    return output.unflatten(0, (rows, queries)).transpose(1, 2), total.view(heads, rows, queries).transpose(0, 1)
