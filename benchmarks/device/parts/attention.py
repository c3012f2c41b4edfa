"""One layer's attention of a tree, in every way; all layers' keys are read in turn, so that no cache holds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.nn.functional import scaled_dot_product_attention

from benchmarks.device.attention_ways import chunked, chunks_of, cut_flash
from benchmarks.device.context import Context, guarded
from docspec.targets.split_attention import split_attention

MODELS = {"dots.ocr": (12, 2, 128, 28), "qwen3-vl-2b": (16, 8, 128, 28), "paddleocr-vl": (16, 2, 128, 18)}
"""Heads, heads of keys and values, their width, and layers."""

CASES = ((6000, 64), (6000, 1), (6000, 16), (1000, 64), (1000, 1), (12_000, 64))
"""Prefix and nodes of the tree."""

SLOTS = {96: 128, 1000: 1536, 6000: 6144, 12_000: 12_288}
"""Slots of the cache for each prefix."""


@dataclass(frozen=True, slots=True)
class Tensors:
    """What a layer's attention reads. ``keys`` and ``values`` ``(layers, 1, kv_heads, slots, dim)`` are views of one
    storage, as in the cache; ``mask`` is over all slots, ``own`` over the tree alone."""

    query: torch.Tensor
    keys: torch.Tensor
    values: torch.Tensor
    mask: torch.Tensor
    own: torch.Tensor
    length: torch.Tensor

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
        additive(ancestry, torch.float32),
        torch.tensor([prefix], device=place),
    )


def ways(context: Context, of: Tensors, prefix: int, tree: int) -> dict[str, Callable[[int], torch.Tensor]]:
    """By name, the attention of a layer. ``cut`` and dense flash attention are over the prefix alone."""
    slots, dim = of.keys.shape[3], of.query.shape[-1]
    found: dict[str, Callable[[int], torch.Tensor]] = {
        "masked": lambda i: scaled_dot_product_attention(of.query, of.keys[i], of.values[i], attn_mask=of.mask),
        "apart": lambda i: split_attention(of.query, of.keys[i], of.values[i], of.own, of.length, tree),
    }
    for n in (2,) if context.tiny else sorted({4, 8, 16, chunks_of(slots)}):
        if n > 1 and slots % (16 * n) == 0:
            found[f"chunked {n}"] = lambda i, n=n: chunked(of.query, of.keys[i], of.values[i], of.mask, n)  # type: ignore[misc]
    if context.is_cuda:
        flat, queries = of.query.transpose(1, 2), of.query.shape[2]
        flash = torch.ops.aten._flash_attention_forward

        def cut(i: int) -> torch.Tensor:
            done = cut_flash(of.query, of.keys[i], of.values[i], of.length, dim**-0.5, 16)
            assert done is not None
            return done[0]

        def dense(i: int) -> torch.Tensor:
            keys, values = (one[i].transpose(1, 2)[:, :prefix] for one in (of.keys, of.values))
            result: torch.Tensor = flash(flat, keys, values, None, None, queries, prefix, 0.0, False, False)[0]
            return result

        found |= {"cut 16": cut, "prefix alone, dense flash": dense}
    return found


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
    whole = not way.startswith(("cut", "prefix"))
    error = float((attend(0).float() - expected).norm() / expected.norm()) if whole else None
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
