"""Attention by kernels that split their keys is masked attention.

The kernels are run by Triton's interpreter, which has to be chosen before anything imports Triton: all tests but the
first ones run in a process of their own.
"""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from docspec.core import ModelError, ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.hierarchy import calibration
from docspec.hierarchy.planner import Costs
from docspec.targets import adapter, attention, tree_attention
from docspec.targets.kv import Trees
from docspec.targets.registry import load_target
from docspec.targets.tree_attention import block_of, parts_of
from tests.targets.interpreted import INTERPRETED, interpreted, run_interpreted


@pytest.fixture(autouse=True)
def no_other_kernel(monkeypatch):
    """Queries are turned by torch: by the interpreter a page's prompt would take minutes."""
    monkeypatch.setattr(adapter, "rotate_in_one_kernel", lambda decoder, spec: 0)


def test_all_others_by_tritons_interpreter():
    run_interpreted(__file__)


@pytest.mark.skipif(INTERPRETED, reason="about the usual process")
def test_on_a_cpu_it_takes_the_interpreter_and_says_so(lively_qwen):
    options = ParseOptions(model=str(lively_qwen), device="cpu", attention="split")
    with pytest.raises(ModelError, match="attention split is not possible here: it runs on CUDA devices"):
        load_target(options)


@pytest.mark.parametrize(
    ("slots", "blocks", "processors", "parts"),
    [(6144, 12, 132, 16), (6144, 2, 132, 64), (6144, 192, 132, 1), (512, 2, 132, 8), (100, 1, 132, 1), (6144, 2, 1, 1)],
)
def test_parts_occupy_the_processors(slots, blocks, processors, parts):
    assert parts_of(slots, blocks, processors) == parts


def case(rows, kv_heads, groups, tree, slots, dim, seed, dtype=torch.float32):
    """Queries, keys and values, trees, and the mask that says the same; the keys' layout is that of the cache."""
    made = torch.Generator().manual_seed(seed)
    storage = torch.randn(2, rows, slots, kv_heads, dim, generator=made).to(dtype)
    key, value = (one.transpose(1, 2) for one in storage)
    query = torch.randn(rows, tree, kv_heads * groups, dim, generator=made).to(dtype).transpose(1, 2)
    lengths = torch.randint(1, slots - tree + 1, (rows,), generator=made)
    ancestry = torch.rand(rows, tree, tree, generator=made).lt(0.4).tril() | torch.eye(tree, dtype=torch.bool)
    seen = torch.zeros(rows, 1, tree, slots, dtype=torch.bool)
    for row, length in enumerate(lengths.tolist()):
        seen[row, :, :, :length] = True
        seen[row, 0, :, length : length + tree] = ancestry[row]
    return query, key, value, Trees(lengths, ancestry), seen


def masked(query, key, value, seen, scale=None):
    """Attention by its definition in float64, ``(rows, tree, heads, dim)``."""
    groups = query.shape[1] // key.shape[1]
    key, value = (one.double().repeat_interleave(groups, 1) for one in (key, value))
    return scaled_dot_product_attention(query.double(), key, value, attn_mask=seen, scale=scale).transpose(1, 2)


@interpreted
@settings(deadline=None, max_examples=25, database=None)
@given(
    rows=st.integers(1, 3),
    kv_heads=st.integers(1, 2),
    groups=st.sampled_from([1, 2, 6]),
    tree=st.sampled_from([1, 2, 8, 17]),
    slots=st.integers(20, 200),
    dim=st.sampled_from([16, 24, 64]),
    processors=st.sampled_from([1, 8, 132]),
    seed=st.integers(0, 9),
)
def test_it_is_masked_attention(rows, kv_heads, groups, tree, slots, dim, processors, seed):
    from docspec.targets.kernels import launch

    query, key, value, trees, seen = case(rows, kv_heads, groups, tree, slots, dim, seed)
    nodes = block_of(groups * tree)
    parts = parts_of(slots, rows * kv_heads, processors)
    found = launch(query, key, value, *trees, dim**-0.5, nodes, parts)
    torch.testing.assert_close(found.double(), masked(query, key, value, seen), rtol=0, atol=2e-6)


@interpreted
def test_in_half_precision_it_errs_no_more_than_one_kernel_over_all_keys():
    query, key, value, trees, seen = case(2, 2, 6, 17, 700, 64, 0, torch.float16)
    expected = masked(query, key, value, seen)
    found = tree_attention.tree_attention(query, key, value, trees)
    repeated = (one.repeat_interleave(6, 1) for one in (key, value))
    whole = scaled_dot_product_attention(query, *repeated, attn_mask=seen).transpose(1, 2)
    assert found.dtype == torch.float16
    assert (found - expected).abs().max() <= 1.5 * (whole - expected).abs().max()


@interpreted
def test_slots_beyond_a_row_are_not_read_and_scaling_is_the_models():
    query, key, value, trees, seen = case(2, 1, 2, 4, 150, 16, 1)
    reach = int(trees.lengths.max()) + 4
    key[:, :, reach:], value[:, :, reach:] = torch.nan, torch.nan
    found = tree_attention.tree_attention(query, key, value, trees, scaling=0.3)
    expected = masked(query, key[:, :, :reach], value[:, :, :reach], seen[..., :reach], scale=0.3)
    torch.testing.assert_close(found.double(), expected, rtol=0, atol=2e-6)


@interpreted
def test_wrong_lengths_and_ancestors_are_seen():
    """Negative control."""
    query, key, value, trees, seen = case(1, 2, 2, 8, 100, 16, 3)
    expected = masked(query, key, value, seen)
    for wrong in (Trees(trees.lengths - 1, trees.ancestry), Trees(trees.lengths, torch.ones_like(trees.ancestry))):
        found = tree_attention.tree_attention(query, key, value, wrong)
        assert not torch.allclose(found.double(), expected, atol=1e-3)


@interpreted
def test_pages_are_decoded_with_it_as_with_masks(lively_qwen, printed_page, monkeypatch):
    """Rows of several lengths, padding among them, and plain decoding."""
    used = []
    honest = attention.tree_attention
    monkeypatch.setattr(attention, "tree_attention", lambda *given: used.append(given[0].shape) or honest(*given))
    written = []
    for way in ("auto", "split"):
        target = load_target(ParseOptions(model=str(lively_qwen), device="cpu", dtype="float32", attention=way)).target
        engine = make_decoder(target, ParseOptions())
        prompts = [target.encode(page, "Read.") for page in (printed_page, printed_page.crop((0, 0, 320, 96)))]
        plain = [engine.baseline(Request(prompt, (), 24))[0].tokens for prompt in prompts]
        drafts = [tuple(token if at % 5 else 0 for at, token in enumerate(tokens)) for tokens in plain]
        requests = [Request(prompt, (draft,), 24) for prompt, draft in zip(prompts, drafts, strict=True)]
        outputs = engine.speculate(requests)[0]
        assert [output.tokens for output in outputs] == plain
        written.append(plain)
        assert bool(used) is (way == "split")
    assert {shape[0] for shape in used} >= {1, 2} and {shape[2] for shape in used} > {1}
    assert written[0] == written[1]


@interpreted
@pytest.mark.parametrize("split", [1.0, 1.95])
def test_it_is_chosen_where_steps_are_measured_quicker(lively_qwen, split, monkeypatch):
    monkeypatch.setattr(calibration, "_least", lambda target, *_: split if target.split else 2.0)
    target = load_target(ParseOptions(model=str(lively_qwen), device="cpu")).target
    calibration.calibrate(target, Costs())
    assert target.split is (split == 1.0)
    assert not target.no_split


@interpreted
def test_a_device_whose_memory_is_too_small_keeps_its_masks(lively_qwen, monkeypatch):
    def too_large(*_):
        raise RuntimeError("out of resource: shared memory")

    monkeypatch.setattr(tree_attention, "tree_attention", too_large)
    target = load_target(ParseOptions(model=str(lively_qwen), device="cpu")).target
    calibration.calibrate(target, Costs())
    assert not target.split and "out of resource" in target.no_split
