"""Grouped-query attention without copies: the groups are folded into the query axis instead of repeating keys.

transformers' sdpa path repeats every key and value head of the whole static buffer in every layer as soon as there
is a mask. Folding gives the same sums: query heads that share a key head become further queries of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

if TYPE_CHECKING:
    from docspec.targets.kv import KVCache

FOLDED = "docspec_folded"
"""The name under which transformers knows it."""


PACKED = "docspec_packed"
"""The name under which :class:`Packed` is handed down to it."""

WASTE = 1.1
"""Trees are packed where padding would make this many times as many nodes of them."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows of trees of different sizes as one row of tokens without padding: ``index`` ``(nodes,)`` are the places of
    the nodes in ``(rows, tree)``. Attention alone needs rows; all else of a layer costs what there is."""

    index: torch.Tensor
    rows: int
    tree: int

    def spread(self, packed: torch.Tensor) -> torch.Tensor:
        """``(1, nodes, ...)`` as ``(rows, tree, ...)``, zero where there is padding."""
        spread = packed.new_zeros((self.rows * self.tree, *packed.shape[2:]))
        return spread.index_copy_(0, self.index, packed[0]).unflatten(0, (self.rows, self.tree))

    def gathered(self, spread: torch.Tensor) -> torch.Tensor:
        """``(rows, tree, ...)`` as ``(1, nodes, ...)``."""
        return spread.flatten(0, 1).index_select(0, self.index).unsqueeze(0)


def packing(cache: KVCache, rows: int, tree: int) -> Packed | None:
    """How the trees of the step that ``cache`` was told of are packed; ``None`` where padding costs little."""
    index = (cache.write_index % cache.slots != cache.padding_slot).nonzero().flatten()
    return Packed(index, rows, tree) if len(index) * WASTE < rows * tree else None


def folded_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """``query`` ``(rows, heads, tokens, dim)`` over ``key``/``value`` ``(rows, kv_heads, slots, dim)``.

    ``attention_mask`` is what :func:`folded_mask` makes of a tree's, or ``(rows, 1, tokens, slots)``, boolean or
    additive: then one query of each group after the other attends, as a prompt's mask should not be repeated. Returns
    ``(rows, tokens, heads, dim)``. Without a mask, or where every head has its own keys, transformers' own sdpa path
    is taken. Packed trees are laid out by rows and packed again.
    """
    packed: Packed | None = kwargs.pop(PACKED, None)
    if packed is not None:
        query = packed.spread(query.transpose(1, 2)).transpose(1, 2)
        found, _ = folded_attention(module, query, key, value, attention_mask, scaling, dropout, **kwargs)
        return packed.gathered(found), None
    rows, heads, tokens, dim = query.shape
    groups = heads // key.shape[1]
    if attention_mask is None or groups == 1:
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, scaling=scaling, dropout=dropout, **kwargs
        )
    if attention_mask.shape[2] == groups * tokens:
        folded = query.reshape(rows, key.shape[1], groups * tokens, dim)
        output = scaled_dot_product_attention(
            folded, key, value, attn_mask=attention_mask, dropout_p=dropout, scale=scaling
        )
    else:
        queries = query.unflatten(1, (key.shape[1], groups)).unbind(2)
        output = torch.stack(
            [
                scaled_dot_product_attention(
                    one, key, value, attn_mask=attention_mask, dropout_p=dropout, scale=scaling
                )
                for one in queries
            ],
            dim=2,
        )
    return output.reshape(rows, heads, tokens, dim).transpose(1, 2).contiguous(), None


def additive_mask(mask: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """0 where ``mask`` is true, the least number of ``dtype`` elsewhere; same shape."""
    blocked = torch.finfo(dtype).min
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill_(~mask, blocked)


def folded_mask(mask: torch.Tensor, groups: int, dtype: torch.dtype) -> torch.Tensor:
    """Boolean ``(rows, 1, tokens, slots)`` as additive ``(rows, 1, groups * tokens, slots)``.

    Made once a step; folding and converting a boolean mask in every layer would be several small kernels each time.
    """
    return additive_mask(mask, dtype).repeat(1, 1, groups, 1)


@dataclass(frozen=True, slots=True)
class Window:
    """Layers of type ``kind`` look ``tokens`` back, themselves included; with ``prompt`` they see all of that too."""

    kind: str
    tokens: int
    prompt: bool


def within_window(cache: KVCache, mask: torch.Tensor, window: Window) -> torch.Tensor:
    """Boolean ``(rows, tree, slots)``: true for slots whose token lies within ``window``.

    ``mask`` ``(rows, tree, slots)`` is what each token may look at: all that stands before it in its sequence, and
    itself, so that their number is its place. A verified token's place is its slot; the tree's own slots, which
    ``cache`` was told, hold the places of its nodes.
    """
    rows, tree, slots = mask.shape
    here = mask.sum(2) - 1
    written = cache.write_index.view(rows, tree) % cache.slots
    places = torch.arange(slots + 1, device=mask.device).repeat(rows, 1)
    places.scatter_(1, written.clamp(max=slots), here)  # padding is written beyond what is looked at
    places = places[:, None, :slots]
    near = here.unsqueeze(2) - places < window.tokens
    return near | (places < cache.prompts[cache.view_rows].view(rows, 1, 1)) if window.prompt else near


def attentions(wanted: str, parts: Iterable[str], vision: str) -> dict[str, str]:
    """What transformers takes as ``attn_implementation``: one for the text decoder, one for everything else.

    ``auto`` is folded in the decoder. A configuration whose text is one of its ``parts`` does not hand its own choice
    down to it, so all are named. ``vision`` is what towers take, ``eager`` where that is ``wanted`` of everything.
    """
    if wanted == "auto":
        wanted = FOLDED
        AttentionInterface.register(FOLDED, folded_attention)
        AttentionMaskInterface.register(FOLDED, sdpa_mask)
    other = wanted if wanted == "eager" else vision
    return {"": wanted, **{part: wanted if part == "text_config" else other for part in parts}}
