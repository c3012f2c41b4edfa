"""A tiny target with three prompts, and what it writes for them alone."""

from __future__ import annotations

import pytest

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets.registry import load_target


@pytest.fixture(scope="module")
def target(lively_qwen):
    return load_target(ParseOptions(model=str(lively_qwen), dtype="float32", device="cpu")).target


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
