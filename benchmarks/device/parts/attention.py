"""One layer's attention of a tree, in every way; all layers' keys are read in turn, so that no cache holds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.nn.functional import scaled_dot_product_attention

from benchmarks.device.context import Context, guarded
from docspec.targets.kv import Trees
from docspec.targets.tree_attention import tree_attention, unavailable

MODELS = {"dots.ocr": (12, 2, 128, 28), "qwen3-vl-2b": (16, 8, 128, 28), "paddleocr-vl": (16, 2, 128, 18)}
"""Heads, heads of keys and values, their width, and layers."""

CASES = ((6000, 64), (6000, 1), (6000, 16), (1000, 64), (1000, 1), (12_000, 64))
"""Prefix and nodes of the tree."""

LEAST_KEYS = 256
"""A chunk has no fewer slots."""

SLOTS = {96: 128, 1000: 1536, 6000: 6144, 12_000: 12_288}
"""Slots of the cache for each prefix."""


@dataclass(frozen=True, slots=True)
class Tensors:
    """What a layer's attention reads. ``keys`` and ``values`` ``(layers, 1, kv_heads, slots, dim)`` are views of one
    storage, as in the cache; ``mask`` is over all slots."""

    query: torch.Tensor
    keys: torch.Tensor
    values: torch.Tensor
    mask: torch.Tensor
    trees: Trees

    def expected(self) -> torch.Tensor:
        """The first layer's attention by its definition, in float32."""
        scores = (self.query.float() * self.query.shape[-1] ** -0.5) @ self.keys[0].float().transpose(2, 3)
        return (scores + self.mask.float()).softmax(-1) @ self.values[0].float()


def run(context: Context, _: str) -> None:
    for name, (heads, kv_heads, dim, layers) in MODELS.items():
        for prefix, tree in ((96, 8),) if context.tiny else CASES:
            if not context.has(4):
                return
            tensors = made(context, heads // kv_heads, kv_heads, dim, 2 if context.tiny else layers, prefix, tree)
            expected = tensors.expected()
            for way, attend in ways(context, tensors, prefix, tree).items():
                with guarded(context, f"attention {name} {prefix}+{tree} {way}"), torch.inference_mode():
                    _measure(context, tensors, expected, attend, model=name, prefix=prefix, tree=tree, way=way)


def made(context: Context, groups: int, kv_heads: int, dim: int, layers: int, prefix: int, tree: int) -> Tensors:
    """Random tensors; the tree is a chain behind the prefix."""
    slots, place, dtype = SLOTS[prefix], context.device, context.dtype
    storage = torch.randn(layers, 2, slots, kv_heads, dim, dtype=dtype, device=place)
    ancestry = torch.tril(torch.ones(tree, tree, dtype=torch.bool, device=place))
    seen = torch.zeros(tree, slots, dtype=torch.bool, device=place)
    seen[:, :prefix] = True
    seen[:, prefix : prefix + tree] = ancestry

    def additive(mask: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        hidden = ~mask.repeat(groups, 1)
        return torch.zeros(1, 1, *hidden.shape, dtype=dtype, device=place).masked_fill_(hidden, torch.finfo(dtype).min)

    return Tensors(
        torch.randn(1, kv_heads, groups * tree, dim, dtype=dtype, device=place),
        storage[:, 0].transpose(1, 2).unsqueeze(1),
        storage[:, 1].transpose(1, 2).unsqueeze(1),
        additive(seen, dtype),
        Trees(torch.tensor([prefix], device=place), ancestry.unsqueeze(0)),
    )


def ways(context: Context, of: Tensors, prefix: int, tree: int) -> dict[str, Callable[[int], torch.Tensor]]:
    """By name, the attention of a layer: the product's two, the keys in chunks that are looked at side by side by
    masked attention, and dense flash attention over the prefix alone."""
    slots, dim = of.keys.shape[3], of.query.shape[-1]
    nodes = of.query.view(1, -1, tree, dim)
    found: dict[str, Callable[[int], torch.Tensor]] = {
        "masked": lambda i: scaled_dot_product_attention(of.query, of.keys[i], of.values[i], attn_mask=of.mask)
    }
    if not unavailable(context.device):
        found["split"] = lambda i: tree_attention(nodes, of.keys[i], of.values[i], of.trees)
    for n in (2,) if context.tiny else sorted({4, 8, 16, chunks_of(slots)}):
        if n > 1 and slots % (16 * n) == 0:
            found[f"chunked {n}"] = lambda i, n=n: chunked(of.query, of.keys[i], of.values[i], of.mask, n)  # type: ignore[misc]
    if context.is_cuda:
        flat, queries = of.query.transpose(1, 2), of.query.shape[2]
        flash = torch.ops.aten._flash_attention_forward

        def dense(i: int) -> torch.Tensor:
            keys, values = (one[i].transpose(1, 2)[:, :prefix] for one in (of.keys, of.values))
            result: torch.Tensor = flash(flat, keys, values, None, None, queries, prefix, 0.0, False, False)[0]
            return result

        found["prefix alone, dense flash"] = dense
    return found


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


def chunks_of(slots: int) -> int:
    """Into how many chunks ``slots`` are cut: 16 at most, of :data:`LEAST_KEYS` at least; 1 where they cannot be."""
    return next((n for n in (16, 12, 8, 6, 4, 3, 2) if slots % (16 * n) == 0 and slots // n >= LEAST_KEYS), 1)


def _measure(
    context: Context,
    of: Tensors,
    expected: torch.Tensor,
    attend: Callable[[int], torch.Tensor],
    *,
    model: str,
    prefix: int,
    tree: int,
    way: str,
) -> None:
    layers, slots = of.keys.shape[0], of.keys.shape[3]
    error = None
    if not way.startswith("prefix"):
        found = attend(0).float()
        if way == "split":
            found = found.transpose(1, 2).reshape(expected.shape)
        error = float((found - expected).norm() / expected.norm())
    ms = context.graphed(lambda: [attend(i) for i in range(layers)], 3) / layers
    read = 2 * of.keys[0].nbytes * (prefix + tree) / slots
    context.emit(
        "attention",
        model=model,
        prefix=prefix,
        tree=tree,
        way=way,
        microseconds=1e3 * ms,
        error=error,
        step_ms=ms * layers,
        gb_s=read / ms / 1e6,
    )
