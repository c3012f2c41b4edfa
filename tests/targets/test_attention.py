"""Folding groups into queries gives the same sums as repeating keys."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.nn.attention.bias import causal_upper_left
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from docspec import ParseOptions
from docspec.engine.batch import linearise
from docspec.engine.tree import TokenTree
from docspec.targets import attention
from docspec.targets.attention import PACKED, Packed, folded_attention, folded_mask
from docspec.targets.registry import load_target


class Layer(torch.nn.Module):
    is_causal = True

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.num_key_value_groups = groups


@pytest.mark.parametrize(("heads", "kv_heads"), [(4, 2), (12, 2), (4, 4)])
@pytest.mark.parametrize("tokens", [1, 5])
def test_folded_equals_repeated(heads, kv_heads, tokens):
    torch.manual_seed(0)
    layer = Layer(heads // kv_heads)
    query = torch.randn(3, heads, tokens, 8)
    key, value = torch.randn(2, 3, kv_heads, 40, 8)
    mask = torch.rand(3, 1, tokens, 40) > 0.5
    mask[..., 0] = True
    folded, _ = folded_attention(layer, query, key, value, mask, scaling=0.3)
    repeated, _ = sdpa_attention_forward(layer, query, key, value, mask, scaling=0.3)
    assert folded.shape == (3, tokens, heads, 8)
    torch.testing.assert_close(folded, repeated, rtol=1e-5, atol=1e-6)
    ready = folded_mask(mask, heads // kv_heads, torch.float32)
    prepared, _ = folded_attention(layer, query, key, value, ready, scaling=0.3)
    torch.testing.assert_close(prepared, folded, rtol=1e-6, atol=1e-6)
    other, _ = folded_attention(layer, query, key, value, ~mask | (torch.arange(40) == 0), scaling=0.3)
    assert not torch.allclose(folded, other)


@pytest.mark.parametrize(("heads", "kv_heads"), [(4, 2), (12, 2), (4, 4)])
@pytest.mark.parametrize("tokens", [1, 5])
@pytest.mark.parametrize("flash", [False, True])
def test_the_end_of_a_prompt_sees_all_before_it_without_a_mask(heads, kv_heads, tokens, flash, monkeypatch):
    """Whichever kernels a device has; torch's own ``is_causal`` shows the first query the first key alone."""
    monkeypatch.setattr(attention, "can_use_flash_attention", lambda given: flash)
    torch.manual_seed(0)
    layer = Layer(heads // kv_heads)
    query = torch.randn(2, heads, tokens, 8)
    key, value = torch.randn(2, 2, kv_heads, 40, 8)
    mask = torch.ones(2, 1, tokens, 40, dtype=torch.bool).tril(40 - tokens)
    expected, _ = folded_attention(layer, query, key, value, mask, scaling=0.3)
    found, _ = folded_attention(layer, query, key, value, None, scaling=0.3)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)
    monkeypatch.setattr(attention, "causal_lower_right", causal_upper_left)
    other, _ = folded_attention(layer, query, key, value, None, scaling=0.3)
    assert not torch.allclose(other, expected)


@pytest.mark.parametrize(("heads", "kv_heads"), [(4, 2), (4, 4)])
def test_packed_trees_attend_as_padded_ones(heads: int, kv_heads: int) -> None:
    torch.manual_seed(0)
    layer = Layer(heads // kv_heads)
    packed = Packed(torch.tensor([0, 1, 2, 3, 4, 5, 10]), 3, 5)  # trees of 5, 1 and 1 nodes
    query = torch.randn(1, heads, 7, 8)
    key, value = torch.randn(2, 3, kv_heads, 40, 8)
    mask = torch.rand(3, 1, 5, 40) > 0.5
    mask[..., 0] = True
    rows = packed.spread(query.transpose(1, 2)).transpose(1, 2)
    padded, _ = folded_attention(layer, rows, key, value, mask, scaling=0.3)
    found, _ = folded_attention(layer, query, key, value, mask, scaling=0.3, **{PACKED: packed})
    assert found.shape == (1, 7, heads, 8)
    torch.testing.assert_close(packed.spread(found)[packed.spread(torch.ones(1, 7)) > 0], found[0])
    torch.testing.assert_close(found[0, 5], padded[1, 0])
    assert not torch.allclose(found[0, 5], padded[2, 0])


def test_layers_compute_no_padding_of_uneven_trees(lively_qwen: Path) -> None:
    target = load_target(ParseOptions(model=str(lively_qwen), device="cpu", dtype="float32")).target
    seen: list[torch.Size] = []
    target.decoder.layers[0].mlp.register_forward_hook(lambda layer, args, out: seen.append(args[0].shape))
    trees = []
    for size in (12, 2, 3):
        tree = TokenTree(size)
        tree.extend(0, range(20, 19 + size), 64)
        trees.append(tree)

    def answers(chosen: list[TokenTree]) -> list[list[int]]:
        cache = target.kv.cache(len(chosen), 64)
        torch.manual_seed(0)
        cache.buffer.copy_(torch.randn_like(cache.buffer[:, :, :1]).expand_as(cache.buffer))  # rows alike
        batch = linearise(chosen, [8] * len(chosen), [0] * len(chosen), cache.slots, target.steps.padded)
        choice = target.steps.run(batch, cache).choice
        return [choice[row][: len(tree)] for row, tree in enumerate(chosen)]

    together = answers(trees)
    assert seen[-1][:2] == (1, 17)
    even = answers([trees[0], trees[0]])
    assert seen[-1][:2] == (2, 12)
    assert even[0] == together[0]
    assert together == [answers([tree])[0] for tree in trees]
