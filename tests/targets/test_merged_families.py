"""Of every family a tree's logits are the same bits with merged kernels as with those apart, by Triton's interpreter in
a process of its own."""

from __future__ import annotations

import pytest
import torch

from docspec.core import ParseOptions
from docspec.targets import adapter, one_kernel
from docspec.targets.kv_cache import SlotCache
from docspec.targets.registry import load_target
from docspec.targets.tree_check import PARENTS
from tests.exactness.checkpoints import FAMILIES, checkpoint
from tests.targets.interpreted import interpreted, run_interpreted

ALONE = {"glm_ocr", "minicpm_ocr", "qwen3_5"}
"""Families whose layers add otherwise and turn otherwise."""


def tree_logits(target):
    """Of the tree of :mod:`docspec.targets.tree_check` behind two tokens, in two rows, and the cache that is left."""
    spec, nodes = target.kv_spec, len(PARENTS)
    mask = torch.zeros(2, nodes, nodes + 2, dtype=torch.bool)
    mask[..., :2] = True
    depths = [0] * nodes
    for node, parent in enumerate(PARENTS):
        if node:
            mask[:, node] = mask[:, parent]
            depths[node] = depths[parent] + 1
        mask[:, node, 2 + node] = True
    cache = SlotCache(spec, 2, nodes + 2)
    with torch.inference_mode():
        cache.begin_step(torch.arange(2, nodes + 2).expand(2, -1), nodes + 2)
        tokens = torch.arange(7, 7 + 22 * nodes, 11).view(2, -1) % 300
        hidden = target.hidden(tokens, torch.tensor([depths, depths]) + 2, mask, cache)
        return target.logits(hidden), cache.buffer


def test_all_others_by_tritons_interpreter():
    run_interpreted(__file__)


@interpreted
@pytest.mark.parametrize("family", FAMILIES)
def test_a_tree_has_the_same_logits_keys_and_values(family, tmp_path, monkeypatch):
    options = ParseOptions(model=str(checkpoint(family, tmp_path / family).path), device="cpu", dtype="float32")
    merged = load_target(options).target
    assert merged.kernels["products"] > 0
    assert merged.kernels["sums"] + merged.kernels["rotations"] > 0 or family in ALONE
    monkeypatch.setattr(adapter, "add_with_norms", lambda decoder: 0)
    monkeypatch.setattr(adapter, "multiply_together", lambda decoder: 0)
    monkeypatch.setattr(one_kernel, "writes_the_same", lambda *given: False)
    apart = load_target(options).target
    assert apart.kernels == {**merged.kernels, "sums": 0, "products": 0}
    for found, expected in zip(tree_logits(merged), tree_logits(apart), strict=True):
        assert torch.equal(found, expected)
