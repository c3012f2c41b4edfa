"""Ways of a tree's attention that are measured beside the product's: the keys cut into pieces that are looked at side
by side, by masked attention (``chunked``) or by flash attention (``cut``).

Here alone the check reaches into how docspec attends: :func:`attending` puts a way in place of docspec's own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from docspec.targets import attention, split_attention
from docspec.targets.adapter import TransformersTarget

LEAST_KEYS = 256
"""A chunk has no fewer slots."""

MOST_QUERIES = 2048
"""Pieces of prompts have more, and are left as they are."""

SPLIT_FROM = {"apart": 64, "cut": 1}
"""The smallest trees whose prefix is attended by itself, by the name of the way."""


def chunked(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor,
    chunks: int,
    scale: float | None = None,
) -> torch.Tensor:
    """Masked attention of one row, ``query`` ``(1, heads, queries, dim)``, with the slots of ``key`` and ``value`` cut
    into ``chunks``.

    The chunks are a batch over the same memory; their outputs are weighted by their sums of exponentials.
    """
    _, heads, queries, dim = query.shape
    size = key.shape[2] // chunks
    keys, values = (one[0].unflatten(1, (chunks, size)).transpose(0, 1) for one in (key, value))
    bias = mask[0, 0].unflatten(1, (chunks, size)).transpose(0, 1).unsqueeze(1).expand(chunks, heads, queries, size)
    asked = query.expand(chunks, heads, queries, dim)
    if query.device.type == "cuda":
        efficient = torch.ops.aten._scaled_dot_product_efficient_attention
        found, total, *_ = efficient(asked, keys, values, bias, True, 0.0, False, scale=scale)
        total = total[..., :queries]
    else:
        scores = (asked.float() * (scale or dim**-0.5)) @ keys.float().transpose(2, 3) + bias.float()
        total = scores.logsumexp(-1)
        found = (scores - total.unsqueeze(-1)).exp() @ values.float()
    share = total.float().softmax(0).unsqueeze(-1)
    return (found.float() * share).sum(0, keepdim=True).to(query.dtype)


def cut_flash(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, lengths: torch.Tensor, scale: float, chunks: int
) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Flash attention over one row's prefix cut into ``chunks`` sequences, whose lengths only the device knows.

    Returns the output ``(1, heads, queries, dim)`` and the logarithm of its sum of exponentials; ``None`` for more rows
    and where the slots cannot be cut.
    """
    rows, heads, queries, dim = query.shape
    slots = key.shape[2]
    if rows > 1 or slots % chunks:
        return None
    size = slots // chunks
    keys, values = (one.transpose(1, 2).flatten(0, 1) for one in (key, value))
    asked = query.transpose(1, 2).flatten(0, 1).repeat(chunks, 1, 1)
    ends = torch.arange(chunks + 1, device=query.device, dtype=torch.int32)
    used = (lengths.to(torch.int32) - ends[:-1] * size).clamp(0, size)
    output, total, *_ = torch.ops.aten._flash_attention_forward(
        asked, keys, values, ends * queries, ends * size, queries, size, 0.0, False, False, scale=scale, seqused_k=used
    )
    total = total.view(heads, chunks, queries).masked_fill((used == 0).view(1, -1, 1), float("-inf"))
    share = total.softmax(1).transpose(0, 1).unsqueeze(-1)
    whole = output.view(chunks, queries, heads, dim).transpose(1, 2).float() * share
    return whole.nan_to_num().sum(0, keepdim=True), total.logsumexp(1).unsqueeze(0)


def chunks_of(slots: int) -> int:
    """Into how many chunks ``slots`` are cut: 16 at most, of :data:`LEAST_KEYS` at least; 1 where they cannot be."""
    return next((n for n in (16, 12, 8, 6, 4, 3, 2) if slots % (16 * n) == 0 and slots // n >= LEAST_KEYS), 1)


@contextlib.contextmanager
def attending(target: TransformersTarget, way: str) -> Iterator[None]:
    """Within it, trees of ``target`` are attended by ``way``: ``masked`` with one mask, ``apart`` with prefix and tree
    apart, ``chunked`` or ``cut``."""
    whole, flash, split = attention.scaled_dot_product_attention, split_attention._flash, target.split_from

    def in_chunks(query: Any, key: Any, value: Any, attn_mask: Any = None, scale: Any = None, **more: Any) -> Any:
        count = chunks_of(key.shape[2])
        if attn_mask is None or query.shape[0] > 1 or query.shape[2] > MOST_QUERIES or count < 2:
            return whole(query, key, value, attn_mask=attn_mask, scale=scale, **more)
        return chunked(query, key, value, attn_mask, count, scale)

    def flash_cut(query: Any, key: Any, value: Any, lengths: Any, scale: float) -> Any:
        return cut_flash(query, key, value, lengths, scale, chunks_of(key.shape[2]))

    target.steps.forget()
    target.split_from = SPLIT_FROM.get(way, 0)
    if way == "chunked":
        attention.scaled_dot_product_attention = in_chunks  # type: ignore[assignment]
    if way == "cut":
        split_attention._flash = flash_cut
    try:
        yield
    finally:
        attention.scaled_dot_product_attention, split_attention._flash = whole, flash
        target.split_from = split
        target.steps.forget()
