"""Folding groups into queries gives the same sums as repeating keys."""

from __future__ import annotations

import pytest
import torch
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from docspec.targets.attention import folded_attention, folded_mask


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
