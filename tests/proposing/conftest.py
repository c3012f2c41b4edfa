"""A tiny target with three prompts, and what it writes for them alone; a drafter that is waited for."""

from __future__ import annotations

import pytest
import torch

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.methods.parallel import ParallelDraft
from docspec.targets.registry import load_target
from tests.proposing.decoding import PATIENCE
from training.reader.checkpoint import init

from ..conftest import enliven


@pytest.fixture(scope="module")
def target(lively_qwen):
    return load_target(ParseOptions(model=str(lively_qwen), dtype="float32", device="cpu")).target


@pytest.fixture(scope="session")
def other(tmp_path_factory):
    """Directory of another tiny model, whose name has a hyphen."""
    directory = tmp_path_factory.mktemp("models") / "small-model"
    init(directory, size="tiny", seed=2)
    enliven(directory, torch.float32)
    return directory


@pytest.fixture(scope="module")
def prompts(target, printed_page):
    crops = [printed_page, printed_page.crop((0, 0, 320, 96)), printed_page.crop((0, 64, 200, 192))]
    return [target.encode(crop, "Read.") for crop in crops]


@pytest.fixture(scope="module")
def plain(target, prompts, request):
    """The module's ``NEW_TOKENS`` for each prompt, decoded plainly."""
    engine = make_decoder(target, ParseOptions())
    return [engine.baseline(Request(prompt, (), request.module.NEW_TOKENS))[0].tokens for prompt in prompts]


@pytest.fixture
def half_wrong(plain):
    """A draft of the first prompt's output with every seventh token wrong."""
    return tuple(token if i % 7 else 0 for i, token in enumerate(plain[0]))


@pytest.fixture
def read_first(monkeypatch):
    """The target's steps wait for the drafter's prompts, which they do not otherwise: so that few tokens are enough."""
    honest = ParallelDraft.suggest

    def suggest(self, contexts):
        if self._reads:
            self._turn.result(PATIENCE)
            honest(self, contexts)
        return honest(self, contexts)

    monkeypatch.setattr(ParallelDraft, "suggest", suggest)
