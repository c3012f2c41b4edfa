"""dots.ocr in the engine: tree decoding equals autoregressive decoding and ``generate``, eager and sdpa."""

from __future__ import annotations

import pytest
import torch

from docspec import ParseOptions, Parser
from docspec.hierarchy.rows import Engine, RowJob
from docspec.targets.dots_ocr.tiny import write_tiny_dots_ocr
from docspec.targets.registry import load_target

NEW_TOKENS = 100


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return write_tiny_dots_ocr(tmp_path_factory.mktemp("dots"), seed=3)


@pytest.mark.parametrize("attention", ["auto", "sdpa", "eager"])
def test_tree_decoding_equals_autoregressive_decoding(checkpoint, printed_page, attention):
    options = ParseOptions(model=str(checkpoint), dtype="float32", device="cpu", attention=attention)
    target = load_target(options).target
    prompt = target.encode(printed_page, "Read.")
    with torch.inference_mode():
        ids = target.model.generate(**prompt.inputs, do_sample=False, max_new_tokens=NEW_TOKENS)
    expected = tuple(token for token in ids[0, prompt.length :].tolist() if token not in target.eos_ids)
    assert len(set(expected)) > 10

    edited = tuple(token + (index % 9 == 8) for index, token in enumerate(expected))
    drafts = (edited, expected[50:], tuple(reversed(expected)))
    engine = Engine(target, options)
    [output], stats = engine.speculate([RowJob(prompt, drafts, NEW_TOKENS)])
    plain, _ = engine.baseline(RowJob(prompt, (), NEW_TOKENS))
    assert output.tokens == plain.tokens == expected
    assert stats.accepted > 40


def test_a_page_goes_through_both_stages_in_layout_json(checkpoint, printed_page, tmp_path):
    printed_page.save(tmp_path / "page.png")
    options = ParseOptions(
        model=str(checkpoint), dtype="float32", max_tokens=60, baseline=True, drafter="none"
    )
    with Parser(options) as parser:
        assert parser.target_info.dialect == "layout-json"
        [page] = parser.pages(tmp_path / "page.png")
    assert page.status == "ok"
    assert page.baseline.identical
