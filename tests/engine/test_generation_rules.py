"""What a generation configuration forbids, followed in trees: the tokens are those of ``generate`` with it."""

from __future__ import annotations

import pytest
import torch
from transformers import GenerationConfig, LogitsProcessor

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets.loading import rules_of
from docspec.targets.registry import load_target
from docspec.targets.rules import GenerationRules, NgramBan
from docspec.targets.stepping.bucketed import BucketedSteps
from docspec.targets.stepping.eager import EagerSteps
from tests.exactness.edits import edited
from tests.no_capture import NoCapture

NEW_TOKENS = 40
BAN = NgramBan(2, 20, frozenset((7,)))


class Published(LogitsProcessor):
    """The windowed ban by its definition, over what is written after ``prompt`` tokens."""

    def __init__(self, prompt):
        self.prompt = prompt

    def __call__(self, input_ids, scores):
        scores = scores.clone()
        for row, ids in enumerate(input_ids[:, self.prompt :].tolist()):
            for start in range(max(0, len(ids) - BAN.window), len(ids) - BAN.size + 1):
                if ids[start] == ids[-1] and ids[start + 1] not in BAN.exceptions:
                    scores[row, ids[start + 1]] = -torch.inf
        return scores


@pytest.fixture(scope="module")
def target(lively_qwen):
    return load_target(ParseOptions(model=str(lively_qwen), dtype="float32", device="cpu")).target


@pytest.fixture(scope="module")
def prompts(target, printed_page):
    return [target.encode(crop, "Read.") for crop in (printed_page, printed_page.crop((0, 64, 200, 192)))]


def generated(target, prompt, **said):
    """What ``generate`` of transformers writes, the end token dropped."""
    with torch.inference_mode():
        ids = target.model.generate(**prompt.inputs, do_sample=False, max_new_tokens=NEW_TOKENS, **said)
    return tuple(token for token in ids[0, prompt.length :].tolist() if token not in target.eos_ids)


@pytest.fixture(scope="module")
def free(target, prompts):
    """What the target writes where nothing is forbidden."""
    return [generated(target, prompt) for prompt in prompts]


def configurations(free):
    """Settings that bite on what the target would write."""
    return {
        "penalty": {"repetition_penalty": 1.3},
        "no pair twice": {"no_repeat_ngram_size": 2},
        "bad words": {"bad_words_ids": [[free[0]], list(free[1:3]), list(free[20:23])]},
        "suppressed": {"suppress_tokens": [free[4], free[9]], "begin_suppress_tokens": [free[0]]},
        "biased": {"sequence_bias": [[[free[2]], -9.0], [[free[5], free[6]], -20.0], [[free[8]], 5.0]]},
        "forced end": {"forced_eos_token_id": 2},
        "all": {
            "repetition_penalty": 1.1,
            "no_repeat_ngram_size": 4,
            "suppress_tokens": [free[3]],
            "min_new_tokens": 36,
            "forced_eos_token_id": 2,
        },
    }


NAMES = list(configurations(range(64)))


def drafts_for(tokens, free):
    return {
        "none": (),
        "right": (tokens,),
        "what it would write freely": (free,),
        "mixed": (edited(tokens, 0.2, 2), tokens[20:], free),
    }


@pytest.mark.parametrize("name", NAMES)
def test_trees_equal_generate_with_the_same_settings(target, prompts, free, name):
    said = configurations(free[0])[name]
    expected = [generated(target, prompt, **said) for prompt in prompts]
    assert expected[0] != free[0]
    target.rules = rules_of(GenerationConfig(**said), target.eos_ids, 400)
    engine = make_decoder(target, ParseOptions())
    for drafts in drafts_for(expected[0], free[0]).values():
        [output], stats = engine.speculate([Request(prompts[0], drafts, NEW_TOKENS)])
        assert output.tokens == expected[0]
        assert output.finish == "budget"  # an end that is forced is no end of the page
    assert stats.accepted > 10
    batch = [
        Request(prompt, (edited(tokens, 0.1, 3), own), NEW_TOKENS)
        for prompt, tokens, own in zip(prompts, expected, free, strict=True)
    ]
    assert [output.tokens for output in engine.speculate(batch)[0]] == expected
    assert engine.baseline(batch[1])[0].tokens == expected[1]


def test_a_windowed_ban_equals_the_published_processor(target, prompts, free):
    expected = generated(target, prompts[0], logits_processor=[Published(prompts[0].length)])
    assert expected != free[0]
    target.rules = rules_of(GenerationConfig(), target.eos_ids, 400, BAN)
    for drafts in drafts_for(expected, free[0]).values():
        [output], _ = make_decoder(target, ParseOptions()).speculate([Request(prompts[0], drafts, NEW_TOKENS)])
        assert output.tokens == expected


def test_captured_steps_follow_them_too(target, prompts, free):
    said = configurations(free[0])["all"]
    expected = generated(target, prompts[0], **said)
    target.rules = rules_of(GenerationConfig(**said), target.eos_ids, 400)
    target.steps = BucketedSteps(target, NoCapture())
    target.kv.release()
    try:
        engine = make_decoder(target, ParseOptions())
        request = Request(prompts[0], drafts_for(expected, free[0])["mixed"], NEW_TOKENS)
        assert engine.speculate([request])[0][0].tokens == expected
        assert engine.baseline(request)[0].tokens == expected
    finally:
        target.steps = EagerSteps(target)


def test_rules_that_are_ignored_are_seen(target, prompts, free):
    """A negative control: without them the tokens are those that every configuration above differs from."""
    target.rules = GenerationRules()
    [output], _ = make_decoder(target, ParseOptions()).speculate([Request(prompts[0], (), NEW_TOKENS)])
    assert output.tokens == free[0]
