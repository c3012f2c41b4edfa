"""Padding a step into static buffers changes nothing, and would be noticed if it did. No accelerator is needed: what a
capture replays is the computation that runs here as it is."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from docspec.core import ParseOptions
from docspec.engine.batch import linearise
from docspec.engine.request import Request
from docspec.engine.tree import TokenTree
from docspec.generation.local import make_decoder
from docspec.targets.kv_cache import SlotCache
from docspec.targets.registry import load_target
from docspec.targets.stepping import bucketed
from docspec.targets.stepping.bucketed import LEAST_VIEW, BucketedSteps, StaticStep, bucket, view_bucket
from docspec.targets.stepping.eager import EagerSteps
from docspec.targets.stepping.inputs import Inputs, laid
from docspec.targets.stepping.step import OutputFlags, chain
from tests.no_capture import NoCapture

NEW_TOKENS = 80
SCORES = OutputFlags(scores=True)


@pytest.fixture(scope="module", params=["auto", "eager"])
def target(request, lively_qwen):
    return load_target(
        ParseOptions(model=str(lively_qwen), dtype="float32", attention=request.param, device="cpu")
    ).target


@pytest.fixture(scope="module")
def prompts(target, printed_page):
    crops = [printed_page, printed_page.crop((0, 0, 320, 96)), printed_page.crop((0, 64, 200, 192))]
    return [target.encode(crop, "Read.") for crop in crops]


@pytest.fixture(scope="module")
def greedy(target, prompts):
    """What plain eager decoding writes."""
    target.steps = EagerSteps(target)
    engine = make_decoder(target, ParseOptions())
    return [engine.baseline(Request(prompt, (), NEW_TOKENS))[0].tokens for prompt in prompts]


@pytest.fixture
def static(target):
    target.steps = BucketedSteps(target, NoCapture())
    target.kv.release()
    yield target.steps
    target.steps = EagerSteps(target)


def jobs(prompts, greedy):
    """Rows of different length whose drafts are right, wrong at places and wrong throughout."""
    rng = random.Random(5)
    worn = tuple(token if rng.random() > 0.2 else rng.randrange(400) for token in greedy[1])
    drafts = [(greedy[0],), (worn, greedy[1][30:]), (tuple(reversed(greedy[2])), greedy[2][:40])]
    budgets = [NEW_TOKENS, NEW_TOKENS, 30]
    return [Request(prompt, draft, budget) for prompt, draft, budget in zip(prompts, drafts, budgets, strict=True)]


@pytest.mark.parametrize("max_tree", [1, 5, 64])
def test_padded_rows_and_trees_equal_plain_decoding(target, static, prompts, greedy, max_tree):
    outputs, stats = make_decoder(target, ParseOptions(max_tree=max_tree)).speculate(jobs(prompts, greedy))
    assert [output.tokens for output in outputs] == [greedy[0], greedy[1], greedy[2][:30]]
    assert stats.forwards < stats.steps
    assert 4 in {shape.rows for shape in static._buckets}  # three rows are padded to four


def test_plain_decoding_in_buckets_equals_plain_decoding(target, static, prompts, greedy):
    output, stats = make_decoder(target, ParseOptions()).baseline(Request(prompts[0], (), NEW_TOKENS))
    assert output.tokens == greedy[0]
    assert stats.forwards == stats.steps == NEW_TOKENS - 1
    assert static.report.captured == 1


def test_relaxed_acceptance_sees_the_same_numbers(target, static, prompts, greedy):
    eager, tau = EagerSteps(target), ParseOptions(tau=0.5)
    padded, _ = make_decoder(target, tau).speculate(jobs(prompts, greedy))
    target.steps = eager
    plain, _ = make_decoder(target, tau).speculate(jobs(prompts, greedy))
    assert [output.tokens for output in padded] == [output.tokens for output in plain]


def branching(pending: int, seed: int, size: int) -> TokenTree:
    rng = random.Random(seed)
    tree = TokenTree(pending)
    while len(tree) < size:
        tree.child(rng.randrange(len(tree)), rng.randrange(400))
    return tree


def one_step(target, cache, steps, flags=SCORES):
    """The answer to three trees of different size behind prefixes of different length, from equal caches."""
    generator = torch.Generator().manual_seed(3)
    cache.buffer.copy_(torch.randn(cache.buffer.shape, generator=generator))
    trees = [branching(7, 1, 11), branching(9, 2, 3), branching(4, 3, 6)]
    step = linearise(trees, [40, 700, 5], [0, -3, 2], cache.slots, EagerSteps(target).padded, flags=flags)
    return steps.run(step, cache), [len(tree) for tree in trees], cache.buffer.clone()


def test_verdicts_and_caches_are_those_of_the_unpadded_step(target):
    cache = target.kv.cache(5, 800)
    plain, sizes, left = one_step(target, cache, EagerSteps(target))
    padded, _, left_padded = one_step(target, cache, BucketedSteps(target, NoCapture()))
    for row, size in enumerate(sizes):
        assert padded.choice[row][:size] == plain.choice[row][:size]
        assert padded.best[row][:size] == pytest.approx(plain.best[row][:size], abs=1e-3)
        assert padded.drafted[row][1:size] == pytest.approx(plain.drafted[row][1:size], abs=1e-3)
    torch.testing.assert_close(
        left_padded[..., : cache.padding_slot, :, :], left[..., : cache.padding_slot, :, :], atol=1e-3, rtol=1e-3
    )


class TestNegativeControls:
    """Padding that is not kept out must be visible, or the equalities above prove nothing."""

    def differs(self, target):
        cache = target.kv.cache(5, 800)
        plain, sizes, left = one_step(target, cache, EagerSteps(target))
        padded, _, left_padded = one_step(target, cache, BucketedSteps(target, NoCapture()))
        kept = left[..., : cache.padding_slot, :, :], left_padded[..., : cache.padding_slot, :, :]
        answers = [[verdict.choice[row][:size] for row, size in enumerate(sizes)] for verdict in (plain, padded)]
        return answers[0] != answers[1], not torch.allclose(*kept, atol=1e-3, rtol=1e-3)

    def test_the_control_itself_sees_no_difference(self, target):
        assert self.differs(target) == (False, False)

    def test_padding_that_is_looked_at_changes_the_answer(self, target, monkeypatch):
        monkeypatch.setattr(Inputs, "mask", lambda self, view: torch.ones((*self.tokens.shape, view), dtype=torch.bool))
        assert self.differs(target)[0]

    def test_padding_written_over_the_row_changes_the_cache(self, target, monkeypatch):
        honest = StaticStep.load

        def careless(self, step, cache):
            honest(self, step, cache)
            self._inputs.indices[:, -1] = torch.arange(self.shape.rows) * cache.slots

        monkeypatch.setattr(StaticStep, "load", careless)
        assert self.differs(target)[1]

    def test_a_mask_of_the_last_step_changes_the_answer(self, target, monkeypatch):
        honest = StaticStep.load

        def stale(self, step, cache):
            honest(self, replace(step, ancestry=np.roll(step.ancestry, 1, axis=0)), cache)

        monkeypatch.setattr(StaticStep, "load", stale)
        assert self.differs(target)[0]


def test_the_mask_on_the_device_is_the_mask_on_the_host(target):
    trees = [branching(7, 1, 9), branching(9, 2, 4)]
    step = linearise(trees, [100, 3], [0, 0], 600, lambda nodes, reach, slots: (nodes, reach))
    arrays = laid(step, SlotCache(target.kv_spec, 4, 600), 4, 16)
    mask = Inputs(*map(torch.from_numpy, arrays)).mask(512).numpy()
    view = step.view_slots
    for row, tree in enumerate(trees):
        assert np.array_equal(mask[row, : len(tree), :view], step.mask[row, : len(tree)])
        assert not mask[row, :, view:].any()
    assert mask.any(-1).all()  # whoever looks at nothing would answer NaN


def test_buckets_are_captured_once_and_the_oldest_leave(target, static, monkeypatch):
    monkeypatch.setattr(bucketed, "MAX_SHAPES", 3)
    cache = target.kv.cache(2, 600)
    for width in (1, 2, 8, 1, 20, 40, 1):
        for _ in range(2):
            static.run(chain(1, width, 10, 10 + width), cache)
    assert static.report.held == 3
    assert static.report.captured == 4
    for _ in range(2):
        static.run(chain(1, 8, 10, 18), cache)
    assert static.report.captured == 5
    assert static.report.warmup_seconds > 0


def test_captures_over_memory_that_is_gone_are_dropped(target, static):
    for captured in (0, 1, 1):
        static.run(chain(1, 8, 10, 18), target.kv.cache(1, 600))
        assert static.report.captured == captured, "at its second use, once"
    target.kv.release()
    for held in (0, 1):
        static.run(chain(1, 8, 10, 18), target.kv.cache(1, 600))
        assert static.report.held == held
    assert static.report.captured == 2


@given(st.integers(1, 40_000))
def test_view_buckets_hold_what_they_must_and_waste_little(reach):
    size = view_bucket(reach)
    assert size >= reach
    assert size == LEAST_VIEW or size < 1.5 * reach


@given(st.integers(1, 1000))
def test_buckets_hold_what_they_must(size):
    assert size <= bucket(size, (1, 8, 16, 32)) < max(8 * size, size + 32)
    assert bucket(bucket(size, (1, 8, 16, 32)), (1, 8, 16, 32)) == bucket(size, (1, 8, 16, 32))


def test_caches_come_in_few_geometries(static):
    found = {static.geometry(rows, slots) for rows in range(1, 17) for slots in range(200, 20_000, 37)}
    assert len(found) < 70
    assert all((slots + 1) % 128 == 0 for _, slots in found)


def test_buckets_follow_inputs_that_had_to_move(target, static):
    """What is staged grows with the largest tree; buckets that were captured before it are captured anew."""
    cache, plain = target.kv.cache(1, 3000), EagerSteps(target)
    small, large = chain(1, 8, 10, 18), chain(1, 1400, 10, 1410)
    for step in (small, small, small, large, small, small, small):
        assert static.run(step, cache) == plain.run(step, cache)
    assert static.report.captured == 2
