"""Attention over prefix and tree apart is attention over both."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.hierarchy.decoding import make_engine
from docspec.targets import attention
from docspec.targets.registry import load_target
from docspec.targets.split_attention import merged, split_attention


def inputs(rows, heads, groups, tree, slots, dim, seed, dtype):
    made = torch.Generator().manual_seed(seed)
    query = torch.randn(rows, heads, groups * tree, dim, generator=made, dtype=dtype)
    key, value = torch.randn(2, rows, heads, slots, dim, generator=made, dtype=dtype)
    lengths = torch.randint(1, slots - tree, (rows,), generator=made)
    ancestry = torch.rand(rows, tree, tree, generator=made).lt(0.4).tril() | torch.eye(tree, dtype=torch.bool)
    seen = torch.zeros(rows, tree, slots, dtype=torch.bool)
    for row, length in enumerate(lengths.tolist()):
        seen[row, :, :length] = True
        seen[row, :, length : length + tree] = ancestry[row]
    least = torch.finfo(dtype).min
    mask, own = (
        torch.zeros(one.shape, dtype=dtype).masked_fill_(~one, least).repeat(1, groups, 1).unsqueeze(1)
        for one in (seen, ancestry)
    )
    return query, key, value, lengths, mask, own


@pytest.mark.parametrize(("dtype", "apart"), [(torch.float64, 1e-6), (torch.float32, 2e-6), (torch.bfloat16, 2e-2)])
@pytest.mark.parametrize(
    ("rows", "heads", "groups", "tree", "slots"), [(1, 2, 6, 64, 1500), (3, 1, 2, 8, 200), (2, 4, 1, 1, 60)]
)
def test_it_is_masked_attention(dtype, apart, rows, heads, groups, tree, slots):
    query, key, value, lengths, mask, own = inputs(rows, heads, groups, tree, slots, 16, tree, dtype)
    expected = scaled_dot_product_attention(query, key, value, attn_mask=mask)
    found = split_attention(query, key, value, own, lengths, tree)
    assert found.dtype == dtype
    torch.testing.assert_close(found, expected, rtol=apart, atol=apart)


def test_a_tree_at_the_end_of_the_cache_and_no_prefix_at_all():
    query, key, value, _, _, own = inputs(1, 2, 2, 8, 40, 16, 0, torch.float32)
    for length in (32, 0):
        mask = torch.full((1, 1, 16, 40), torch.finfo(torch.float32).min)
        mask[..., :length] = 0
        mask[..., length : length + 8] = own
        found = split_attention(query, key, value, own, torch.tensor([length]), 8)
        torch.testing.assert_close(found, scaled_dot_product_attention(query, key, value, attn_mask=mask))


def test_sums_far_apart_leave_the_larger_one():
    one, two = torch.ones(3, 4), torch.full((3, 4), 7.0)
    assert torch.equal(merged(one, torch.full((3,), 900.0), two, torch.full((3,), -900.0)), one)
    assert torch.equal(merged(one, torch.full((3,), -1e38), two, torch.zeros(3)), two)


def test_wrong_sums_are_seen():
    """Negative control."""
    query, key, value, lengths, mask, own = inputs(1, 2, 2, 8, 100, 16, 3, torch.float32)
    expected = scaled_dot_product_attention(query, key, value, attn_mask=mask)
    found = split_attention(query, key, value, own, lengths - 1, 8)
    assert not torch.allclose(found, expected, atol=1e-3)


def test_trees_are_decoded_with_it_as_with_masks(lively_qwen, printed_page, monkeypatch):
    """Rows of several lengths, and what is padding among them."""
    used = []
    honest = attention.split_attention

    def watched(*given):
        used.append(given[0].shape)
        return honest(*given)

    monkeypatch.setattr(attention, "split_attention", watched)
    written = []
    for way in ("auto", "split"):
        target = load_target(ParseOptions(model=str(lively_qwen), device="cpu", dtype="float32", attention=way)).target
        engine = make_engine(target, ParseOptions())
        prompts = [target.encode(page, "Read.") for page in (printed_page, printed_page.crop((0, 0, 320, 96)))]
        plain = [engine.baseline(Request(prompt, (), 40))[0].tokens for prompt in prompts]
        assert not used
        drafts = [tuple(token if at % 5 else 0 for at, token in enumerate(tokens)) for tokens in plain]
        requests = [Request(prompt, (draft,), 40) for prompt, draft in zip(prompts, drafts, strict=True)]
        outputs = [*(engine.speculate([request])[0][0] for request in requests), *engine.speculate(requests)[0]]
        assert [output.tokens for output in outputs] == plain * 2
        assert bool(used) is (way == "split")
        used.clear()
        written.append(plain)
    assert written[0] == written[1]
