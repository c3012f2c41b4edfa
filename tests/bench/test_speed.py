"""Modes of ``bench speed`` read the same page, by pages and by regions, ``generate`` of transformers among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from docspec import ParseOptions, Parser
from docspec.bench.speed import GENERATE, PLAIN, measure
from docspec.documents import expand_inputs

SAMPLE = Path(__file__).parents[2] / "samples" / "notes.pdf"


@pytest.mark.parametrize("read", ["page", "regions"])
def test_generate_writes_what_plain_and_planned_decoding_write(lively_qwen: Path, read: str) -> None:
    options = ParseOptions(
        model=str(lively_qwen),
        device="cpu",
        dtype="float32",
        dpi=72,
        max_tokens=12,
        read=read,
        on_loop="keep",
    )  # type: ignore[arg-type]
    with Parser(options) as parser:
        [page] = measure(parser, expand_inputs([str(SAMPLE)]).sources, [GENERATE, "planned"], repeats=1)
    assert [sample.mode for sample in page.samples] == [PLAIN, GENERATE, "planned"]
    assert all(sample.identical and sample.tokens > 10 for sample in page.samples)
    assert page.sample(GENERATE).total > 0
