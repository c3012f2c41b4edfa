"""A model that drafts for the tiny target, and one beside it that is waited for."""

from __future__ import annotations

import pytest
import torch
from docspec_methods.parallel import ParallelDraft

from tests.proposing.decoding import PATIENCE
from training.reader.checkpoint import init

from ...conftest import enliven


@pytest.fixture(scope="session")
def other(tmp_path_factory):
    """Directory of another tiny model, whose name has a hyphen."""
    directory = tmp_path_factory.mktemp("models") / "small-model"
    init(directory, size="tiny", seed=2)
    enliven(directory, torch.float32)
    return directory


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
