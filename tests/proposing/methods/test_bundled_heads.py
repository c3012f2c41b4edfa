"""The bundled reader's heads and draft model: found by name, worth their place; the output stays the reader's own."""

from __future__ import annotations

import json

import pytest
import torch
from docspec_methods import parallel
from docspec_methods.head_network import Head, save
from docspec_methods.loading import HEADS, MINI_DRAFT, load_head
from PIL import Image
from safetensors import safe_open

from docspec.core import ModelError, ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets.registry import load_target
from tests.proposing.decoding import decoded
from training.evaluate import LINE_GROUPS, lines_of
from training.reader import checkpoint
from training.reader.model import build

NEW_TOKENS = 60
NAMES = ("mini-hivis", "mini-vispec")


@pytest.fixture(scope="module")
def target():
    return load_target(ParseOptions(model="mini", dtype="float32", device="cpu")).target


@pytest.fixture(scope="module")
def prompts(target):
    kinds, noise = LINE_GROUPS["prose"]
    lines = lines_of(kinds, 1, 4, 4_200_000, unseen=False, noise=noise)
    return [target.encode(Image.fromarray(line.pixels), "") for line in lines]


@pytest.fixture(scope="module")
def plain(target, prompts):
    engine = make_decoder(target, ParseOptions())
    return [engine.baseline(Request(prompt, (), NEW_TOKENS))[0].tokens for prompt in prompts]


def found(target, name, prompts, drafts=()):
    return decoded(target, name, prompts, drafts, tokens=NEW_TOKENS, fewer=0)


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_read_as_ever_in_fewer_steps(target, prompts, plain, name, tmp_path):
    written, stats = found(target, f"head:{name}", prompts)
    assert written == plain
    assert stats.tokens / stats.steps > 1.8
    half = tuple(token if at % 7 else 0 for at, token in enumerate(plain[0]))
    assert found(target, f"cursor+head:{name}", prompts, (half,))[0] == plain
    torch.manual_seed(0)
    save(Head(load_head(name, target).config), tmp_path / "untaught")
    written, untaught = found(target, f"head:{tmp_path / 'untaught'}", prompts)
    assert written == plain
    assert untaught.tokens / untaught.steps < 1.2, "the negative control: what was taught is what drafts"


@pytest.mark.parametrize("kind", ["model", "parallel"])
def test_the_draft_model_drafts_for_lines_it_never_saw(target, prompts, plain, kind, tmp_path, read_first, monkeypatch):
    monkeypatch.setattr(parallel, "window_of", lambda c: 3)  # not as long as this machine makes it
    written, stats = found(target, f"{kind}:mini-draft", prompts)
    assert written == plain
    assert stats.tokens / stats.steps > 1.4
    tokenizer = checkpoint.load(MINI_DRAFT)[1]
    checkpoint.save(build("mini-draft", vocab_size=len(tokenizer)), tokenizer, tmp_path / "untaught")
    written, untaught = found(target, f"{kind}:{tmp_path / 'untaught'}", prompts)
    assert written == plain
    assert untaught.tokens / untaught.steps < 1.2, "the negative control: what was taught is what drafts"


def test_the_draft_model_is_small():
    files = list(MINI_DRAFT.iterdir())
    assert sum(file.stat().st_size for file in files) < 5_000_000
    with safe_open(MINI_DRAFT / "model.safetensors", "pt") as weights:
        assert sum(weights.get_tensor(name).numel() for name in weights.keys())  # noqa: SIM118 < 2_000_000


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is(name):
    facts = json.loads((HEADS / name / "head.json").read_text(encoding="utf-8"))
    assert facts["target"] == "mini" and not facts["simulated"] and facts["config"]["kind"] in name
    assert sum(file.stat().st_size for file in (HEADS / name).iterdir()) < 5_000_000


def test_a_name_that_is_not_bundled_is_refused(target):
    with pytest.raises(ModelError, match="holds no head"):
        load_head("mini-other", target)
