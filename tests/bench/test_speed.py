"""Modes of ``bench speed`` read the same page, by pages and by regions, ``generate`` of transformers among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from docspec import ParseOptions, Parser
from docspec.bench.cli.speed import print_speed
from docspec.bench.speed import GENERATE, HYBRID, PLAIN, measure, settings_of
from docspec.core import UsageError
from docspec.documents import expand_inputs

SAMPLE = Path(__file__).parents[2] / "samples" / "notes.pdf"


@pytest.mark.parametrize("read", ["page", "regions"])
def test_generate_writes_what_plain_and_planned_decoding_write(lively_qwen: Path, read: str) -> None:
    options = ParseOptions(
        model=str(lively_qwen), device="cpu", dtype="float32", dpi=72, max_tokens=12, read=read, on_loop="keep"
    )  # type: ignore[arg-type]
    with Parser(options) as parser:
        [page] = measure(parser, expand_inputs([str(SAMPLE)]).sources, [GENERATE, "planned"], repeats=1)
    assert [sample.mode for sample in page.samples] == [PLAIN, GENERATE, "planned"]
    assert all(sample.identical and sample.tokens > 10 for sample in page.samples)
    assert page.sample(GENERATE).total > 0


def test_planned_reading_has_the_drafter_that_was_asked_for(lively_qwen: Path) -> None:
    options = ParseOptions(model=str(lively_qwen), device="cpu", dpi=72, max_tokens=12, drafter="none", words="model")
    with Parser(options) as parser:
        [page] = measure(parser, expand_inputs([str(SAMPLE)]).sources, ["planned"], repeats=1)
    assert "drafting is off" in page.sample("planned").reasons


def test_a_proposer_is_a_row_of_its_own_and_models_pay_for_no_drafts(lively_qwen: Path) -> None:
    model = f"model:{lively_qwen}"
    options = ParseOptions(model=str(lively_qwen), device="cpu", dtype="float32", dpi=72, max_tokens=12)
    with Parser(options) as parser:
        sources = expand_inputs([str(SAMPLE)]).sources
        [page] = measure(parser, sources, ["lookup", model, f"cursor+{model}"], repeats=1)
    assert [sample.mode for sample in page.samples] == [PLAIN, "lookup", model, f"cursor+{model}"]
    assert all(sample.identical for sample in page.samples)
    assert "drafting is off" in page.sample(model).reasons
    assert "drafting is off" not in page.sample(f"cursor+{model}").reasons
    assert page.sample(PLAIN).proposing == 0 < page.sample("lookup").proposing < page.sample(model).proposing
    with pytest.raises(UsageError, match="no proposer"):
        settings_of("planed")


def test_a_hybrid_reads_no_sound_words_and_is_called_none_of_the_models(
    lively_qwen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ParseOptions(model=str(lively_qwen), device="cpu", dtype="float32", dpi=72, max_tokens=12)
    with Parser(options) as parser:
        pages = measure(parser, expand_inputs([str(SAMPLE)]).sources, ["page", HYBRID], repeats=1)
    assert pages[0].sample("page").identical and pages[0].sample("page").tokens > 10
    hybrid = pages[0].sample(HYBRID)
    assert (hybrid.tokens, hybrid.steps, hybrid.identical, hybrid.status) == (0, 0, False, "ok")
    print_speed(pages, "a tiny model", 1)
    told = " ".join(capsys.readouterr().out.split())
    assert "hybrid (--words evidence)" in told and "not the model's output" in told
