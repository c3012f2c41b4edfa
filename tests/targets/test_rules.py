"""Rules of a generation configuration along the paths of a tree: each node as transformers would treat its sequence."""

from __future__ import annotations

import json
import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import GenerationConfig
from transformers.generation import logits_process as theirs

from docspec.core import ModelError
from docspec.targets.loading import ban_of, notes_of, rules_of
from docspec.targets.model_profile import ModelProfile
from docspec.targets.rules import NgramBan

VOCAB = 12
EOS = (2, 3)
BUDGET = 9

CONFIGS = {
    "penalty": {"repetition_penalty": 1.3},
    "reward": {"repetition_penalty": 0.8},
    "bigrams": {"no_repeat_ngram_size": 2},
    "single tokens once": {"no_repeat_ngram_size": 1},
    "trigrams": {"no_repeat_ngram_size": 3},
    "bad words": {"bad_words_ids": [[5], [1, 4], [0, 1, 2], [2]]},
    "bias": {"sequence_bias": [[[5], -2.5], [[1, 4], 3.0], [[7, 1], -1.0], [[0, 1, 2], 9.0]]},
    "suppressed": {"suppress_tokens": [4, 6], "begin_suppress_tokens": [1, 0]},
    "least": {"min_new_tokens": 3},
    "least of all": {"min_length": 8},
    "forced end": {"forced_eos_token_id": 3},
    "forced and suppressed": {"forced_eos_token_id": [2, 3], "suppress_tokens": [2]},
    "all": {
        "repetition_penalty": 1.2,
        "no_repeat_ngram_size": 3,
        "bad_words_ids": [[1, 4]],
        "sequence_bias": [[[6], 1.0]],
        "suppress_tokens": [8],
        "begin_suppress_tokens": [9],
        "min_new_tokens": 2,
        "forced_eos_token_id": 2,
    },
}


def expected(said, prompt, sequence, logits):
    """``logits`` of one sequence through transformers' processors, as ``generate`` lines them up."""
    found = theirs.LogitsProcessorList()
    if "sequence_bias" in said:
        found.append(theirs.SequenceBiasLogitsProcessor(said["sequence_bias"]))
    if "repetition_penalty" in said:
        found.append(theirs.RepetitionPenaltyLogitsProcessor(said["repetition_penalty"]))
    if "no_repeat_ngram_size" in said:
        found.append(theirs.NoRepeatNGramLogitsProcessor(said["no_repeat_ngram_size"]))
    if "bad_words_ids" in said:
        found.append(theirs.NoBadWordsLogitsProcessor(said["bad_words_ids"], list(EOS)))
    if "min_length" in said:
        found.append(theirs.MinLengthLogitsProcessor(said["min_length"], list(EOS)))
    if "min_new_tokens" in said:
        least = said["min_new_tokens"]
        found.append(theirs.MinNewTokensLengthLogitsProcessor(len(prompt), least, list(EOS)))
    if "forced_eos_token_id" in said:
        longest = len(prompt) + BUDGET
        found.append(theirs.ForcedEOSTokenLogitsProcessor(longest, said["forced_eos_token_id"]))
    if "suppress_tokens" in said:
        found.append(theirs.SuppressTokensLogitsProcessor(said["suppress_tokens"]))
    if "begin_suppress_tokens" in said:
        begin = said["begin_suppress_tokens"]
        found.append(theirs.SuppressTokensAtBeginLogitsProcessor(begin, len(prompt)))
    return found(torch.tensor([sequence]), logits.unsqueeze(0))[0]


@pytest.mark.parametrize("said", CONFIGS.values(), ids=CONFIGS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=12, deadline=None)
def test_every_node_is_treated_as_its_sequence(said, seed):
    rng = random.Random(seed)
    prompt = rng.choices(range(VOCAB + 3), k=rng.randint(2, 8))  # image placeholders may lie outside the head
    rules = rules_of(GenerationConfig(**said), EOS, VOCAB)
    written: list[int] = []
    row = rules.begin(prompt, written, BUDGET)
    logits = torch.randn(VOCAB, generator=torch.Generator().manual_seed(seed)) * 3
    assert torch.equal(row.next(logits), expected(said, prompt, prompt, logits))
    while len(written) < BUDGET - 2:
        written += rng.choices(range(5), k=rng.randint(1, 3))
        nodes = rng.randint(1, 6)
        tokens = [written[-1], *rng.choices(range(5), k=nodes)]
        parents = [0, *(rng.randrange(node + 1) for node in range(nodes))]
        logits = torch.randn(len(tokens), VOCAB, generator=torch.Generator().manual_seed(len(written))) * 3
        processed = row(logits, tokens, parents)
        for node in range(len(tokens)):
            path, at = [], node
            while at:
                path.append(tokens[at])
                at = parents[at]
            sequence = [*prompt, *written, *reversed(path)]
            assert torch.equal(processed[node], expected(said, prompt, sequence, logits[node]))


def published_ban(sequence, size, window, exceptions):
    """What may not follow, by the definition of the published processor: runs that begin in the window."""
    if len(sequence) < size:
        return set()
    runs = range(max(0, len(sequence) - window), len(sequence) - size + 1)
    last = sequence[len(sequence) - size + 1 :]
    return {sequence[i + size - 1] for i in runs if sequence[i : i + size - 1] == last} - exceptions


@given(st.integers(2, 4), st.integers(1, 12), st.lists(st.integers(0, 2), min_size=1, max_size=14), st.data())
@settings(max_examples=60, deadline=None)
def test_ngrams_in_a_window_with_exceptions(size, window, written, data):
    exceptions = frozenset(data.draw(st.sets(st.integers(0, 2), max_size=2)))
    path = data.draw(st.lists(st.integers(0, 2), max_size=6))
    rules = rules_of(GenerationConfig(), EOS, VOCAB, NgramBan(size, window, exceptions))
    row = rules.begin([0, 1, 0, 1, 0, 1], written, 99)
    processed = row(torch.zeros(len(path) + 1, VOCAB), [written[-1], *path], [0, *range(len(path))])
    for node in range(len(path) + 1):
        forbidden = set(processed[node].isinf().nonzero().flatten().tolist())
        assert forbidden == published_ban([*written, *path[:node]], size, window, exceptions)


def test_a_ban_is_read_from_the_card(tmp_path):
    def said(value):
        (tmp_path / "docspec.json").write_text(json.dumps({"no_repeat_ngrams": value}))
        return ban_of(ModelProfile("markdown").overridden_by(str(tmp_path)).no_repeat_ngrams)

    assert said(None) is None
    assert said({"size": 3}) == NgramBan(3)
    assert said({"size": 20, "window": 50, "exceptions": [5]}) == NgramBan(20, 50, frozenset((5,)))
    for wrong in ({"size": 1}, {"size": "a"}, {"window": 4}, {"size": 4, "windows": 3}, {"size": 3, "window": 0}):
        with pytest.raises(ModelError, match="no_repeat_ngrams"):
            said(wrong)


def test_a_configuration_that_asks_for_nothing_costs_nothing():
    assert not rules_of(GenerationConfig(), EOS, VOCAB).active
    assert all(rules_of(GenerationConfig(**said), EOS, VOCAB).active for said in CONFIGS.values())


def test_what_samples_is_said_in_one_line():
    [line] = notes_of(GenerationConfig(do_sample=True, temperature=0.7, top_p=0.8, top_k=20))
    assert "temperature 0.7, top_k 20, top_p 0.8" in line and "greedily" in line
    assert "4 beams" in notes_of(GenerationConfig(num_beams=4))[0]
    assert "guidance_scale" in notes_of(GenerationConfig(guidance_scale=2.0))[0]
    assert notes_of(GenerationConfig()) == ()


REFUSED = [
    {"repetition_penalty": -1.0},
    {"bad_words_ids": [[-5]]},
    {"sequence_bias": [[[99], 1.0]]},
    {"forced_eos_token_id": 99},
]


@pytest.mark.parametrize("said", REFUSED)
def test_a_value_that_transformers_refuses_is_one_line(said):
    with pytest.raises(ModelError, match=r"generation_config\.json"):
        rules_of(GenerationConfig(**said), EOS, VOCAB)
