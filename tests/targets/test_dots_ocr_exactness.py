"""dots.ocr in the engine: tree decoding equals autoregressive decoding and ``generate``, eager and sdpa."""

from __future__ import annotations

import json

import pytest
import torch

from docspec import ParseOptions, Parser
from docspec.engine.request import Request
from docspec.hierarchy.decoding import make_engine
from docspec.targets.registry import load_target
from docspec.targets.stepping.bucketed import BucketedSteps
from tests.no_capture import NoCapture
from tests.targets.dots_checkpoint import write_tiny_dots_ocr

NEW_TOKENS = 100


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return write_tiny_dots_ocr(tmp_path_factory.mktemp("dots"), seed=3)


@pytest.fixture(scope="module")
def windowed(tmp_path_factory):
    """The same with a decoder whose second layer looks back 12 tokens only."""
    directory = write_tiny_dots_ocr(tmp_path_factory.mktemp("windowed"), seed=3)
    file = directory / "config.json"
    window = {"use_sliding_window": True, "sliding_window": 12, "max_window_layers": 1}
    file.write_text(json.dumps(json.loads(file.read_text()) | window))
    return directory


@pytest.mark.parametrize(
    ("model", "attention", "steps"),
    [
        ("checkpoint", "auto", "eager"),
        ("checkpoint", "sdpa", "eager"),
        ("checkpoint", "eager", "eager"),
        ("windowed", "auto", "eager"),
        ("windowed", "sdpa", "buckets"),
        ("windowed", "eager", "eager"),
    ],
)
def test_tree_decoding_equals_autoregressive_decoding(request, printed_page, model, attention, steps):
    directory = request.getfixturevalue(model)
    options = ParseOptions(model=str(directory), dtype="float32", device="cpu", attention=attention)
    target = load_target(options).target
    if steps == "buckets":
        target.steps = BucketedSteps(target, NoCapture())
    prompt = target.encode(printed_page, "Read.")
    with torch.inference_mode():
        ids = target.model.generate(**prompt.inputs, do_sample=False, max_new_tokens=NEW_TOKENS)
    expected = tuple(token for token in ids[0, prompt.length :].tolist() if token not in target.eos_ids)
    assert len(set(expected)) > 10

    edited = tuple(token + (index % 9 == 8) for index, token in enumerate(expected))
    drafts = (edited, expected[50:], tuple(reversed(expected)))
    engine = make_engine(target, options)
    [output, *_], stats = engine.speculate([Request(prompt, drafts, NEW_TOKENS)] * 2)
    plain, _ = engine.baseline(Request(prompt, (), NEW_TOKENS))
    assert output.tokens == plain.tokens == expected
    assert stats.accepted > 40


def test_a_window_changes_what_is_written(checkpoint, windowed, printed_page):
    """Or the test above would compare nothing."""
    written = []
    for directory in (checkpoint, windowed):
        target = load_target(ParseOptions(model=str(directory), dtype="float32", device="cpu")).target
        request = Request(target.encode(printed_page, "Read."), (), NEW_TOKENS)
        written.append(make_engine(target, ParseOptions()).baseline(request)[0].tokens)
    assert written[0] != written[1]


def test_a_page_goes_through_both_stages_in_layout_json(checkpoint, printed_page, tmp_path):
    printed_page.save(tmp_path / "page.png")
    options = ParseOptions(model=str(checkpoint), dtype="float32", max_tokens=60, baseline=True, drafter="none")
    with Parser(options) as parser:
        assert parser.target_info.dialect == "layout-json"
        [page] = parser.pages(tmp_path / "page.png")
    assert page.status == "ok"
    assert page.baseline.identical
