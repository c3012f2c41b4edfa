"""The kernel of :mod:`docspec.targets.rotation`; importing it needs Triton."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def rotate(
    query, key, cos, sin, turned_query, turned_key,
    query_row, query_head, query_token, key_row, key_head, key_token, angle_row, angle_token,
    heads, tokens, half,
    WIDTH: tl.constexpr, WIDE: tl.constexpr,
):  # fmt: skip
    """One head of one token of ``query``, or of ``key`` behind those, turned by its angles. Each product is rounded to
    the numbers' own type before the sum, unless ``WIDE``."""
    row, token = tl.program_id(0) // tokens, tl.program_id(0) % tokens
    head = tl.program_id(1)
    if head < heads:
        place = row.to(tl.int64) * query_row + head * query_head + token * query_token
        given, turned = query + place, turned_query + place
    else:
        place = row.to(tl.int64) * key_row + (head - heads) * key_head + token * key_token
        given, turned = key + place, turned_key + place
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


def rotated(
    query: torch.Tensor, key: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, wide: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """``query`` ``(rows, heads, tokens, dim)`` and ``key`` ``(rows, kv_heads, tokens, dim)``, turned by ``cos`` and
    ``sin`` ``(rows, tokens, dim)``; in memory they lie as they did."""
    turned_query, turned_key = torch.empty_like(query), torch.empty_like(key)
    rows, heads, tokens, dim = query.shape
    cos, sin = cos.expand(rows, -1, -1).contiguous(), sin.expand(rows, -1, -1).contiguous()
    half = dim // 2
    width = triton.next_power_of_2(half)
    rotate[(rows * tokens, heads + key.shape[1])](
        query, key, cos, sin, turned_query, turned_key,
        *query.stride()[:3], *key.stride()[:3], *cos.stride()[:2], heads, tokens, half,
        WIDTH=width, WIDE=wide, num_warps=1, enable_fp_fusion=False,  # a sum that is rounded once is another number
    )  # fmt: skip
    return turned_query, turned_key
