"""Kernels of attention are tried before they are taken: what gives other numbers keeps its masks."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from docspec.targets import tree_attention
from docspec.targets.kv import KVSpec


@pytest.mark.parametrize(
    ("kernel", "why"),
    [
        (lambda right: right, ""),
        (lambda right: right * (1 + tree_attention.APART / 4), ""),
        (lambda right: right * (1 + 2 * tree_attention.APART), "other numbers than masked attention"),
        (lambda right: right.roll(1, 1), "other numbers than masked attention"),
        (lambda right: right.masked_fill(torch.arange(right.shape[-1]) == 3, torch.nan), "other numbers"),
    ],
)
def test_kernels_that_give_other_numbers_are_not_taken(kernel, why, monkeypatch):
    """They are tried for one node and for many, and one number that is none is enough."""
    tried = []

    def attend(query, key, value, trees):
        tried.append(query.shape[2])
        tree, length = query.shape[2], int(trees.lengths)
        seen = torch.zeros(1, 1, tree, key.shape[2], dtype=torch.bool)
        seen[..., :length], seen[0, 0, :, length : length + tree] = True, trees.ancestry[0]
        repeated = (one.repeat_interleave(3, 1) for one in (key, value))
        return kernel(scaled_dot_product_attention(query, *repeated, attn_mask=seen).transpose(1, 2))

    monkeypatch.setattr(tree_attention, "unavailable", lambda device: "")
    monkeypatch.setattr(tree_attention, "tree_attention", attend)
    spec = KVSpec(2, 2, 16, torch.float32, torch.device("cpu"))
    found = tree_attention.not_working(spec, 3)
    assert why in found and bool(why) is bool(found)
    assert set(tried) <= {1, 64} and (why or tried == [1, 64])
