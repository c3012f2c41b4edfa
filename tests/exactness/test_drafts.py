"""Whatever is drafted, what speculation writes is the target's own greedy output, and errors of the engine are seen.

:mod:`tests.exactness.test_matrix` has all families and runners; this is one target with every kind of draft."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest

from docspec.core import ParseOptions
from docspec.engine import batch, loop
from docspec.engine.request import Request
from docspec.engine.tree import TokenTree
from docspec.generation.local import make_decoder
from docspec.targets.registry import load_target
from tests.engine.grammars import RandomGrammar
from tests.exactness.checkpoints import generated
from tests.exactness.edits import edited

NEW_TOKENS = 100


@pytest.fixture(scope="module", params=[("auto", "cursor"), ("sdpa", "window")], ids="-".join)
def options(request, lively_qwen):
    attention, align = request.param
    return ParseOptions(model=str(lively_qwen), dtype="float32", attention=attention, align=align, device="cpu")


@pytest.fixture(scope="module")
def target(options):
    return load_target(options).target


@pytest.fixture(scope="module")
def prompts(target, printed_page):
    """Three prompts of different length, so that rows of one batch differ."""
    crops = [printed_page, printed_page.crop((0, 0, 320, 96)), printed_page.crop((0, 64, 200, 192))]
    return [target.encode(crop, "Read.") for crop in crops]


@pytest.fixture(scope="module")
def greedy(target, prompts):
    """What ``generate`` of transformers writes for each prompt, the end token dropped."""
    return [generated(target, prompt, NEW_TOKENS) for prompt in prompts]


def job(prompt, *drafts, grammar=None):
    """A request with no loop guard."""
    return Request(prompt, tuple(drafts), NEW_TOKENS, grammar=grammar)


def draft_sets(tokens):
    return {
        "none": (),
        "perfect": (tokens,),
        "edited": (edited(tokens, 0.1, 1),),
        "several": (edited(tokens, 0.2, 2), edited(tokens, 0.3, 3), tokens[40:], tokens[:30]),
        "wrong": (tuple(reversed(tokens)), tuple(random.Random(4).choices(range(400), k=200))),
    }


def test_greedy_output_is_irregular_enough_to_test_with(greedy):
    for tokens in greedy:
        assert len(tokens) > 50
        assert len(set(tokens)) > 10


@pytest.mark.parametrize("kind", ["none", "perfect", "edited", "several", "wrong"])
def test_tree_verification_equals_greedy_decoding(options, target, prompts, greedy, kind):
    engine = make_decoder(target, options)
    for prompt, expected in zip(prompts, greedy, strict=True):
        [output], stats = engine.speculate([job(prompt, *draft_sets(expected)[kind])])
        assert output.tokens == expected
        if kind == "perfect":
            assert stats.tokens_per_step > 10


@pytest.mark.parametrize("kind", ["none", "several"])
def test_a_grammar_that_says_anything_changes_nothing(options, target, prompts, greedy, kind):
    engine = make_decoder(target, options)
    for prompt, expected in zip(prompts, greedy, strict=True):
        letters = "".join(char for char in target.detokenize(list(expected)) if char.isprintable())
        jobs = [
            job(prompt, *draft_sets(expected)[kind], grammar=partial(RandomGrammar, letters, seed)) for seed in range(3)
        ]
        outputs, _ = engine.speculate(jobs)
        assert [output.tokens for output in outputs] == [expected] * 3


def test_rows_of_different_length_in_one_batch_equal_each_alone(options, target, prompts, greedy):
    drafts = [(edited(tokens, 0.1 * i, i),) for i, tokens in enumerate(greedy)]
    jobs = [job(prompt, *own) for prompt, own in zip(prompts, drafts, strict=True)]
    outputs, stats = make_decoder(target, options).speculate(jobs)
    assert [output.tokens for output in outputs] == greedy
    assert stats.rows == 3
    assert stats.forwards < stats.steps


def test_rows_that_end_early_leave_the_others_alone(options, target, prompts, greedy):
    budgets = [5, NEW_TOKENS, 40]
    jobs = [
        Request(prompt, (edited(tokens, 0.1, 7),), budget)
        for prompt, tokens, budget in zip(prompts, greedy, budgets, strict=True)
    ]
    outputs, _ = make_decoder(target, options).speculate(jobs)
    for output, expected, budget in zip(outputs, greedy, budgets, strict=True):
        assert output.tokens == expected[:budget]


def test_the_autoregressive_baseline_equals_generate(options, target, prompts, greedy):
    engine = make_decoder(target, options)
    for prompt, expected in zip(prompts, greedy, strict=True):
        output, stats = engine.baseline(job(prompt))
        assert output.tokens == expected
        assert stats.steps == stats.forwards


@pytest.mark.parametrize("max_tree", [1, 7, 128])
def test_any_tree_size_gives_the_same_output(lively_qwen, options, target, prompts, greedy, max_tree):
    engine = make_decoder(target, ParseOptions(model=str(lively_qwen), max_tree=max_tree))
    [output], _ = engine.speculate([job(prompts[0], *draft_sets(greedy[0])["several"])])
    assert output.tokens == greedy[0]


def test_the_buffer_of_the_last_page_leaves_no_trace(options, target, prompts, greedy):
    engine = make_decoder(target, options)
    for index in (0, 2, 1, 0):
        [output], _ = engine.speculate([job(prompts[index], edited(greedy[index], 0.15, index))])
        assert output.tokens == greedy[index]


class TestNegativeControls:
    """Each of these errors must be visible, or the equality above proves nothing."""

    def outputs(self, options, target, prompts, greedy):
        engine = make_decoder(target, options)
        return [
            engine.speculate([job(prompt, *draft_sets(tokens)["several"])])[0][0].tokens
            for prompt, tokens in zip(prompts, greedy, strict=True)
        ]

    def test_a_plain_causal_mask_breaks_equality(self, monkeypatch, options, target, prompts, greedy):
        monkeypatch.setattr(TokenTree, "ancestry", lambda tree: np.tri(len(tree), dtype=bool))
        assert self.outputs(options, target, prompts, greedy) != greedy

    def test_slot_order_positions_break_equality(self, monkeypatch, options, target, prompts, greedy):
        honest = batch.linearise

        def by_slot(trees, lengths, deltas, *rest):
            step = honest(trees, lengths, deltas, *rest)
            for row, (tree, length, delta) in enumerate(zip(trees, lengths, deltas, strict=True)):
                step.positions[row, : len(tree)] = np.arange(len(tree)) + length + delta
            return step

        monkeypatch.setattr(loop, "linearise", by_slot)
        assert self.outputs(options, target, prompts, greedy) != greedy

    def test_a_missing_rope_delta_breaks_equality(self, monkeypatch, options, target, prompts, greedy):
        monkeypatch.setattr(type(target), "_rope_delta", lambda self, row=0: 0)
        assert self.outputs(options, target, prompts, greedy) != greedy

    def test_forgotten_compaction_breaks_equality(self, monkeypatch, options, target, prompts, greedy):
        monkeypatch.setattr("docspec.targets.kv_cache.SlotCache.compact", lambda self, moves: None)
        assert self.outputs(options, target, prompts, greedy) != greedy
