"""Unlimited-OCR's layers see all of the prompt and a window of the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from docspec_methods import draft_model
from docspec_methods.draft_model import DraftModel
from PIL import Image, ImageDraw

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.parser import Parser
from docspec.targets.registry import load_target
from tests.proposing.decoding import decoded
from tests.targets.families.checkpoint import write
from tests.targets.families.unlimited_ocr import CASE

NEW_TOKENS = 40
WINDOW = 9


def loaded(directory):
    return load_target(ParseOptions(model=str(directory), dtype="float32", device="cpu")).target


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return write(CASE, tmp_path_factory.mktemp("unlimited") / "model")


def prompt_of(target, lines):
    page = Image.new("RGB", (400, 300), "white")
    for line in range(lines):
        ImageDraw.Draw(page).text((8, 8 + 20 * line), f"Line {line} of {lines}", fill="black")
    return target.encode(page, "{image}document parsing.")


def generated(target, prompt):
    with torch.inference_mode():
        ids = target.model.generate(**prompt.inputs, do_sample=False, max_new_tokens=NEW_TOKENS)
    return tuple(token for token in ids[0, prompt.length :].tolist() if token not in target.eos_ids)


def speculated(target, prompts, drafts):
    """Rows of different length, so that some leave and others take their places."""
    requests = [
        Request(prompt, (tokens[3:], tokens[:-4]), NEW_TOKENS - 7 * number)
        for number, (prompt, tokens) in enumerate(zip(prompts, drafts, strict=True))
    ]
    return [output.tokens for output in make_decoder(target, ParseOptions()).speculate(requests)[0]]


def test_the_window_hides_what_generate_does_not_see(directory):
    target = loaded(directory)
    prompts = [prompt_of(target, lines) for lines in (3, 9, 14)]
    expected = [generated(target, prompt) for prompt in prompts]
    wanted = [tokens[: NEW_TOKENS - 7 * number] for number, tokens in enumerate(expected)]
    assert all(len(tokens) > 2 * WINDOW for tokens in wanted) and len(set(wanted)) == 3
    assert speculated(target, prompts, expected) == wanted
    assert target._window.tokens == WINDOW
    for wrong in (replace(target._window, tokens=WINDOW + 3), replace(target._window, prompt=False)):
        target._window = wrong
        assert speculated(target, prompts, expected) != wanted


def test_it_drafts_for_itself_row_by_row(directory, monkeypatch):
    """Its cache grows as rows come, and holds where each row's prompt ends."""
    target = loaded(directory)
    prompts = [prompt_of(target, lines) for lines in (3, 9, 14)]
    expected = [generated(target, prompt) for prompt in prompts]

    def drafted():
        written, stats = decoded(target, f"model:{directory}", prompts, max_rows=2, tokens=20, fewer=-10)
        assert written == [tokens[: 20 + 10 * number] for number, tokens in enumerate(expected)]
        return stats.steps

    monkeypatch.setattr(draft_model, "ENOUGH", 0.0)  # random weights are sure of nothing
    honest, steps = DraftModel._room, drafted()

    def forgetful(self, rows, slots):
        before, cache = self._cache, honest(self, rows, slots)
        if before is not None and cache is not before:
            cache.prompts.zero_()
        return cache

    monkeypatch.setattr(DraftModel, "_room", forgetful)
    assert drafted() > 1.3 * steps


def test_the_published_way_to_ask(directory):
    target = loaded(directory)
    text = target.processing.tokenizer.decode(prompt_of(target, 3).inputs["input_ids"][0])
    assert text.replace("<image>", "") == "<|im_start|>document parsing."
    assert target.card.no_repeat_ngrams == {"size": 35, "window": 128}
    with Parser(ParseOptions(model=str(directory), dtype="float32", device="cpu")) as parser:
        assert parser.dialect.page_prompt == "{image}document parsing."
