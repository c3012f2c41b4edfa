"""Choices that are too close to call are made again alone; margins say how close they were."""

from __future__ import annotations

import pytest
import torch

from docspec.core import ParseOptions, UsageError
from docspec.engine.acceptance import ExactAcceptance, traverse
from docspec.engine.request import Request
from docspec.engine.tree import TokenTree
from docspec.generation.local import make_decoder
from docspec.targets.protocol import Scores
from docspec.targets.registry import load_target
from docspec.targets.tree_check import shape_noise
from tests.exactness.edits import edited

NEW_TOKENS = 60
ALWAYS = 1e9


def loaded(path, dtype):
    return load_target(ParseOptions(model=str(path), dtype=dtype, device="cpu")).target


@pytest.fixture(scope="module")
def exact(lively_qwen):
    return loaded(lively_qwen, "float32")


@pytest.fixture(scope="module")
def coarse(lively_qwen):
    return loaded(lively_qwen, "bfloat16")


def test_the_walk_ends_at_a_doubtful_choice():
    tree = TokenTree(1)
    tree.extend(0, [2, 3, 4], 9)
    scores = Scores([2, 3, 4, 5], margin=[3.0, 0.1, 2.0, 2.0])
    free = traverse(tree, scores, ExactAcceptance())
    assert (free.path, free.token, free.is_near_tie) == ((1, 2, 3), 5, False)
    assert free.margins == (3.0, 0.1, 2.0, 2.0)
    strict = traverse(tree, scores, ExactAcceptance(), least_margin=0.5)
    assert (strict.path, strict.is_near_tie) == ((1,), True)
    assert traverse(tree, scores, ExactAcceptance(), least_margin=9.0).path == ()


@pytest.mark.parametrize("limit", [0.5, ALWAYS])
def test_deciding_again_changes_nothing_where_nothing_is_close(exact, printed_page, limit):
    prompt = exact.encode(printed_page, "Read.")
    engine = make_decoder(exact, ParseOptions(exact="strict"))
    plain, _ = engine.baseline(Request(prompt, (), NEW_TOKENS))
    for drafts in ((plain.tokens,), (edited(plain.tokens, 0.2, 1), plain.tokens[30:]), ()):
        [output], stats = engine.speculate([Request(prompt, drafts, NEW_TOKENS, least_margin=limit)])
        assert output.tokens == plain.tokens
        assert stats.redecided < NEW_TOKENS
        if limit == ALWAYS and drafts:
            assert stats.redecided > NEW_TOKENS // 2


@pytest.mark.parametrize("limit", [1.0, ALWAYS])
def test_in_low_precision_deciding_again_is_plain_decoding(coarse, printed_page, limit):
    prompt = coarse.encode(printed_page, "Read.")
    engine = make_decoder(coarse, ParseOptions(exact="strict"))
    plain, alone = engine.baseline(Request(prompt, (), NEW_TOKENS))
    drafts = (edited(plain.tokens, 0.1, 4), plain.tokens)
    [output], stats = engine.speculate([Request(prompt, drafts, NEW_TOKENS, least_margin=limit)])
    assert output.tokens == plain.tokens
    assert stats.redecided > 0
    if limit == ALWAYS:
        assert stats.smallest_margin == alone.smallest_margin  # to the last bit: the same steps were made


def test_a_step_that_decides_otherwise_would_be_seen(exact, printed_page, monkeypatch):
    """A negative control: what is decided again is what is written."""
    prompt = exact.encode(printed_page, "Read.")
    engine = make_decoder(exact, ParseOptions())
    plain, _ = engine.baseline(Request(prompt, (), NEW_TOKENS))
    honest = exact.steps.advance
    monkeypatch.setattr(exact.steps, "advance", lambda *asked: honest(*asked)._replace(token=9))
    [output], _ = engine.speculate([Request(prompt, (plain.tokens,), NEW_TOKENS, least_margin=ALWAYS)])
    assert output.tokens == (plain.tokens[0], *[9] * (NEW_TOKENS - 1))


def test_the_smallest_margin_is_that_of_generate(exact, printed_page):
    prompt = exact.encode(printed_page, "Read.")
    with torch.inference_mode():
        said = exact.model.generate(
            **prompt.inputs,
            do_sample=False,
            max_new_tokens=NEW_TOKENS,
            output_scores=True,
            return_dict_in_generate=True,
        )
    pairs = [scores[0].topk(2).values for scores in said.scores]
    expected = min(float(first - second) for first, second in pairs)
    engine = make_decoder(exact, ParseOptions())
    tokens = tuple(said.sequences[0, prompt.length :].tolist())
    for drafts in ((tokens,), ()):
        [_], stats = engine.speculate([Request(prompt, drafts, NEW_TOKENS)])
        assert stats.smallest_margin == pytest.approx(expected, abs=1e-3)
    assert engine.baseline(Request(prompt, (), NEW_TOKENS))[1].smallest_margin == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("share", [None, 0.0, 0.3])
def test_the_margin_of_each_token_is_that_of_a_plain_forward_pass(exact, printed_page, share):
    prompt = exact.encode(printed_page, "Read.")
    engine = make_decoder(exact, ParseOptions())
    tokens = engine.baseline(Request(prompt, (), NEW_TOKENS))[0].tokens
    with torch.inference_mode():
        whole = dict(prompt.inputs)
        added = torch.tensor([tokens])
        whole["input_ids"] = torch.cat([whole["input_ids"], added], 1)
        for key in ("attention_mask", "mm_token_type_ids"):
            if key in whole:
                whole[key] = torch.cat([whole[key], torch.full_like(added, key == "attention_mask")], 1)
        logits = exact.model(**whole).logits[0, prompt.length - 1 : -1]
    best = logits.float().log_softmax(-1).topk(2).values  # a margin is the ratio of two probabilities
    expected = (best[:, 0] - best[:, 1]).tolist()
    drafts = () if share is None else (edited(tokens, share, 3),)
    [output], _ = engine.speculate([Request(prompt, drafts, NEW_TOKENS, traced=True)])
    assert output.tokens == tokens
    assert output.trail.margins[: len(tokens)] == pytest.approx(expected, abs=1e-3)


def test_only_the_first_row_can_be_strict(exact, printed_page):
    prompt = exact.encode(printed_page, "Read.")
    requests = [Request(prompt, ((1, 2, 3),), 20), Request(prompt, ((1, 2, 3),), 20, least_margin=ALWAYS)]
    with pytest.raises(ValueError, match="first row"):
        make_decoder(exact, ParseOptions(exact="strict")).speculate(requests)


def test_what_a_shape_moves_is_measured(exact, coarse, monkeypatch):
    assert 0 < shape_noise(exact) < 0.01
    assert shape_noise(coarse) > 100 * shape_noise(exact)  # as much as its number format leaves open
    honest = exact.logits

    def moved(hidden):
        logits = honest(hidden)
        return logits + 0.25 * (torch.arange(logits.shape[-1]) % 2) * (hidden.shape[1] > 1)

    monkeypatch.setattr(exact, "logits", moved)
    assert shape_noise(exact) == pytest.approx(2 * 0.25, abs=0.01)


@pytest.mark.parametrize("other", [{"tau": 0.5}, {"pages_in_flight": 2}])
def test_strict_excludes_what_is_not(other):
    with pytest.raises(UsageError, match="--exact strict"):
        ParseOptions(exact="strict", **other)
