"""A smaller model drafts: the output stays the target's own, and what it has read is never read again or wrongly."""

from __future__ import annotations

import shutil
from functools import partial

import pytest
from docspec_methods import draft_model
from docspec_methods.draft_model import DraftModel

from docspec.core import ModelError, ParseOptions, UsageError
from docspec.generation.local import make_decoder
from docspec.proposing.registry import proposer_names
from tests.proposing.decoding import decoded

NEW_TOKENS = 28

decode = partial(decoded, tokens=NEW_TOKENS)


@pytest.fixture(autouse=True)
def always_sure(monkeypatch):
    """Random weights are never sure of anything."""
    monkeypatch.setattr(draft_model, "ENOUGH", 0.0)


@pytest.mark.parametrize("mixture", ["model:{}", "cursor+model:{}"])
@pytest.mark.parametrize("max_rows", [1, 2])
def test_the_output_is_the_targets_own(target, other, prompts, plain, half_wrong, mixture, max_rows):
    found, stats = decode(target, mixture.format(other), prompts, (half_wrong,), max_rows)
    assert found == [tokens[: NEW_TOKENS - 4 * n] for n, tokens in enumerate(plain)]
    assert stats.drafted > stats.accepted


@pytest.mark.parametrize("max_rows", [2, 3])
def test_a_model_that_is_the_target_is_always_right(target, lively_qwen, prompts, plain, max_rows):
    """What it has fed, left and read again would show here: one wrong key or value, and drafts are refused."""
    _, stats = decode(target, f"model:{lively_qwen}", prompts, max_rows=max_rows)
    assert stats.accepted == stats.drafted > 0.8 * stats.tokens


def differing(target, other, prompts, monkeypatch):
    """In how many steps, and of how many, drafts differ from those of a model that reads everything anew."""
    found, honest = [], DraftModel.suggest

    def compared(self, contexts):
        own = honest(self, contexts)
        anew = DraftModel(self._model)
        for context in contexts:
            anew.begin(context)
        fresh = honest(anew, contexts)
        found.append([one.text.tokens for [one] in own] != [one.text.tokens for [one] in fresh])
        return own

    monkeypatch.setattr(DraftModel, "suggest", compared)
    _, stats = decode(target, f"model:{other}", prompts, max_rows=2)
    assert stats.drafted > 4 * stats.accepted, "most drafts are left, so most steps take something back"
    return sum(found), len(found)


def test_drafts_are_those_of_a_model_that_reads_everything_anew(target, other, prompts, monkeypatch):
    wrong, steps = differing(target, other, prompts, monkeypatch)
    assert wrong == 0 and steps > 20


def test_a_draft_that_is_not_taken_back_is_noticed(target, other, prompts, monkeypatch):
    """Negative control of the test above: keys of tokens that were left stay where other tokens stand now."""

    def careless(self, text):
        position = len(text) - 1
        self.fed = [*self.fed, *text[len(self.fed) :]][:position]
        return text[-1:]

    monkeypatch.setattr(draft_model.ModelRow, "unread", careless)
    wrong, steps = differing(target, other, prompts, monkeypatch)
    assert wrong > steps / 2


def test_names_may_hold_hyphens_and_unknown_kinds_are_refused():
    assert proposer_names("cursor-lookup+model:a/b-c") == [*proposer_names("cursor-lookup"), "model:a/b-c"]
    for name in ("model:", "modle:x"):
        with pytest.raises(UsageError, match="model:NAME"):
            proposer_names(name)


@pytest.mark.parametrize(("what", "file"), [("vocabulary", "tokenizer.json"), ("images", "preprocessor_config.json")])
def test_a_model_that_reads_other_tokens_or_images_is_refused(target, other, tmp_path, what, file):
    model = tmp_path / "model"
    shutil.copytree(other, model)
    text = (model / file).read_text()
    changed = {"tokenizer.json": ('"the"', '"eht"'), "preprocessor_config.json": ("0.5", "0.25")}[file]
    assert changed[0] in text
    (model / file).write_text(text.replace(*changed))
    with pytest.raises(ModelError, match=what):
        make_decoder(target, ParseOptions(align=f"model:{model}"))
