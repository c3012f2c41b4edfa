"""Grouped-query attention without copies: the groups are folded into the query axis instead of repeating keys.

With a mask, transformers' sdpa path repeats every key and value head of the whole static buffer in every layer. Folding
gives the same sums: query heads that share a key head become additional queries of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.backends.cuda import SDPAParams, can_use_flash_attention
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

from docspec.targets.tree_attention import tree_attention

if TYPE_CHECKING:
    from docspec.targets.kv import Trees
    from docspec.targets.kv_cache import SlotCache

FOLDED = "docspec_folded"
"""The name of this attention in transformers."""


PACKED = "docspec_packed"
"""The keyword argument that carries :class:`Packed`."""

SPLIT = "docspec_split"
"""The keyword argument that carries the :class:`docspec.targets.kv.Trees` of a step whose keys are split."""

ALIGNED = 16
"""The rows of a mask are a multiple of this many numbers."""

LONG = 2048
"""Tokens of a prompt whose attention is worth a plan of cuDNN's."""

PRIORITY = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
"""Attention kernels for long prompts, the first that takes the inputs."""

WASTE = 1.1
"""Trees are packed if padding would multiply their nodes by more than this."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows of trees of different sizes as one row of tokens without padding; ``index`` ``(nodes,)`` are the nodes'
    positions in ``(rows, tree)``. Only attention needs rows; the rest of a layer then computes no padding."""

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


def packing(cache: SlotCache, rows: int, tree: int) -> Packed | None:
    """How the trees of the current step of ``cache`` are packed; ``None`` if padding costs little."""
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
    """Attention of ``query`` ``(rows, heads, tokens, dim)`` over ``key``/``value`` ``(rows, kv_heads, slots, dim)``.

    ``attention_mask`` is a tree's :func:`folded_mask`, or ``(rows, 1, tokens, slots)``, boolean or additive: then the
    queries of each group attend one after the other, so that a prompt's mask is not repeated. Returns ``(rows, tokens,
    heads, dim)``. Without a mask attention is causal, the last query being that of the last slot
    (:func:`causal_attention`); a whole prompt, or heads that each have their own keys, take transformers' own sdpa
    path. Packed trees are unpacked into rows and packed again. Trees whose keys are split need no mask
    (:mod:`docspec.targets.tree_attention`).
    """
    packed: Packed | None = kwargs.pop(PACKED, None)
    if packed is not None:
        query = packed.spread(query.transpose(1, 2)).transpose(1, 2)
        found, _ = folded_attention(module, query, key, value, attention_mask, scaling, dropout, **kwargs)
        return packed.gathered(found), None
    trees: Trees | None = kwargs.pop(SPLIT, None)
    if trees is not None:
        return tree_attention(query, key, value, trees, scaling), None
    rows, heads, tokens, dim = query.shape
    groups = heads // key.shape[1]
    if attention_mask is None and key.shape[2] > tokens:
        return causal_attention(query, key, value, scaling).transpose(1, 2).contiguous(), None
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


def causal_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float | None = None
) -> torch.Tensor:
    """Attention of the last tokens of a prompt to it and to each other: ``query`` ``(rows, heads, tokens, dim)`` over
    ``key`` and ``value`` ``(rows, kv_heads, slots, dim)`` of all tokens so far; returns ``(rows, heads, tokens, dim)``.

    torch's ``is_causal`` lets the first query see the first key alone; the last one must see all keys. Flash attention
    and the memory-efficient kernels have that form and make no mask (``causal_lower_right``), but the latter take no
    groups of heads; elsewhere torch makes the mask itself.
    """
    bias = causal_lower_right(query.shape[2], key.shape[2])
    groups = query.shape[1] // key.shape[1]
    if groups == 1 or can_use_flash_attention(SDPAParams(query, key, value, None, 0.0, False, True)):
        return scaled_dot_product_attention(query, key, value, attn_mask=bias, scale=scaling, enable_gqa=groups > 1)
    queries = query.unflatten(1, (key.shape[1], groups)).unbind(2)
    found = [scaled_dot_product_attention(one, key, value, attn_mask=bias, scale=scaling) for one in queries]
    return torch.stack(found, dim=2).flatten(1, 2)


def choose_kernels(device: torch.device) -> None:
    """Disables cuDNN's attention on CUDA: on Hopper torch prefers it, even with masks, and it plans every new shape for
    tens of milliseconds."""
    if device.type == "cuda":
        torch.backends.cuda.enable_cudnn_sdp(False)


@contextmanager
def prompt_kernels(device: torch.device, tokens: int) -> Iterator[None]:
    """Within this context cuDNN's attention comes first for a prompt of :data:`LONG` ``tokens`` or more on Hopper and
    later: over the patches of a page it is faster than flash attention by more than its plan costs, and pages of one
    size need one plan."""
    if device.type != "cuda" or tokens < LONG or torch.cuda.get_device_capability(device) < (9, 0):
        yield
        return
    with sdpa_kernel(PRIORITY, set_priority=True):
        yield


def additive_mask(mask: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """0 where ``mask`` is true, the lowest number of ``dtype`` elsewhere; same shape."""
    return _aligned(mask, dtype)[..., : mask.shape[-1]]


def _aligned(mask: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The additive form of ``mask`` with rows as long as memory-efficient kernels require; otherwise they copy the mask
    themselves in every layer."""
    slots = mask.shape[-1]
    width = slots if mask.device.type == "cpu" else -(-slots // ALIGNED) * ALIGNED
    additive = torch.zeros((*mask.shape[:-1], width), dtype=dtype, device=mask.device)
    additive[..., :slots].masked_fill_(~mask, torch.finfo(dtype).min)
    return additive


def folded_mask(mask: torch.Tensor, groups: int, dtype: torch.dtype) -> torch.Tensor:
    """A boolean ``(rows, 1, tokens, slots)`` mask as an additive ``(rows, 1, groups * tokens, slots)`` one.

    It is made once per step; in every layer it would cost several small kernels.
    """
    return _aligned(mask, dtype).repeat(1, 1, groups, 1)[..., : mask.shape[-1]]


@dataclass(frozen=True, slots=True)
class AttentionWindow:
    """Layers of type ``kind`` attend to the last ``tokens`` tokens, the current one included; with ``prompt`` also to
    the whole prompt."""

    kind: str
    tokens: int
    prompt: bool


def within_window(cache: SlotCache, mask: torch.Tensor, window: AttentionWindow) -> torch.Tensor:
    """Boolean ``(rows, tree, slots)``: true for slots whose token lies within ``window``.

    ``mask`` ``(rows, tree, slots)`` has the slots that each token may attend to: all tokens before it in its sequence
    and itself, so that their number is its position. The position of a verified token is its slot; the slots of the
    tree, which ``cache`` knows, hold nodes at their own positions.
    """
    rows, tree, slots = mask.shape
    here = mask.sum(2) - 1
    first = torch.arange(cache.view_rows.start or 0, cache.view_rows.stop, device=mask.device) * cache.slots
    written = cache.write_index.view(rows, tree) - first.unsqueeze(1)
    positions = torch.arange(slots + 1, device=mask.device).repeat(rows, 1)
    positions.scatter_(1, written.clamp(max=slots), here)  # padding is written beyond what is looked at
    positions = positions[:, None, :slots]
    near = here.unsqueeze(2) - positions < window.tokens
    return near | (positions < cache.seen_prompts.view(rows, 1, 1)) if window.prompt else near


def attentions(wanted: str, parts: Iterable[str], vision: str) -> dict[str, str]:
    """The value of transformers' ``attn_implementation``: one for the text decoder, one for everything else.

    ``auto`` and ``split`` are folded in the decoder. A configuration whose text is one of its ``parts`` does not pass
    its own choice on, so all parts are named. ``vision`` is the implementation for vision towers; ``eager`` applies to
    everything.
    """
    if wanted in ("auto", "split"):
        wanted = FOLDED
        AttentionInterface.register(FOLDED, folded_attention)
        AttentionMaskInterface.register(FOLDED, sdpa_mask)
    other = wanted if wanted == "eager" else vision
    return {"": wanted, **{part: wanted if part == "text_config" else other for part in parts}}
