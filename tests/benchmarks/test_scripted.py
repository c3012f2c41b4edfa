"""The scripted target runs real steps, says what the transcript says, and takes the steps that the replay counts."""

from __future__ import annotations

import json
from dataclasses import replace

import pymupdf
import pytest
import torch
from PIL import Image
from typer.testing import CliRunner

from benchmarks.cli import app
from benchmarks.random_weights import random_target
from benchmarks.scripted import LABEL, ScriptedBench
from benchmarks.scripted_target import ScriptedTarget
from benchmarks.transcripts import TokenizerFile, find_transcripts, replay_transcript
from docspec.core import InputError, ParseOptions
from docspec.drafting import make_drafter
from docspec.targets.stepping.bucketed import BucketedSteps
from docspec.targets.stepping.eager import EagerSteps
from docspec.targets.stepping.step import OutputFlags, chain
from tests.no_capture import NoCapture

LINES = ["The ferry left the harbour at noon.", "Nobody on the quay had seen it go.", "It came back empty."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("pairs")
    document = pymupdf.open()
    page = document.new_page(width=300, height=220)
    for row, line in enumerate(LINES):
        page.insert_text((30, 60 + 50 * row), line, fontsize=12)
    document.save(root / "ferry.pdf")
    text = "\n\n".join(LINES).replace("quay", "pier").replace("empty", "laden")
    (root / "ferry.md").write_text(text, encoding="utf-8")
    document.save(root / "cells.pdf")
    cells = [
        {"bbox": [28, 48 + 50 * row, 236, 64 + 50 * row], "category": "Text", "text": line}
        for row, line in enumerate(LINES)
    ]
    (root / "cells.json").write_text(json.dumps(cells), encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def codec(tokenizer):
    return TokenizerFile(tokenizer)


@pytest.fixture(scope="module")
def inner(codec):
    return random_target("tiny", torch.device("cpu"), torch.float32, vocabulary=codec.end)


def bench(inner, codec, budget, align, repeats=1):
    options = ParseOptions(dpi=72, drafter="text-layer", max_tree=budget, align=align)
    return ScriptedBench(inner, codec, make_drafter(options), options, repeats)


@pytest.mark.parametrize("static", [False, True], ids=["eager", "static"])
@pytest.mark.parametrize(
    ("name", "align", "budget"),
    [("ferry", "cursor", 64), ("ferry", "cursor", 7), ("ferry", "window", 64), ("cells", "cursor", 64)],
)
def test_text_and_steps_are_those_of_the_replayed_transcript(inner, codec, folder, name, align, budget, static):
    inner.steps = BucketedSteps(inner, NoCapture()) if static else EagerSteps(inner)
    [transcript] = find_transcripts([folder / f"{name}.pdf"])
    page = bench(inner, codec, budget, align).read(transcript)
    drafter = make_drafter(ParseOptions(drafter="text-layer"))
    expected = replay_transcript(transcript, drafter, codec, [align], budget, dpi=72)
    assert page.plain.follows
    assert page.speculative.follows
    assert page.tokens == expected.tokens
    assert page.plain.forwards == expected.tokens
    assert page.speculative.forwards == expected.replays[0].steps
    assert page.speculative.forwards < page.plain.forwards / 2
    assert page.speculative.draft > 0
    assert page.plain.draft == pytest.approx(0, abs=1e-3)
    assert page.speculative.total == pytest.approx(
        page.render + page.speculative.draft + page.speculative.prefill + page.speculative.decode
    )


def test_every_step_runs_the_model(inner, codec, folder, monkeypatch):
    inner.steps = EagerSteps(inner)
    passes = []
    honest = type(inner).hidden
    monkeypatch.setattr(
        type(inner), "hidden", lambda self, *given: passes.append(given[0].shape) or honest(self, *given)
    )
    [transcript] = find_transcripts([folder / "ferry.pdf"])
    page = bench(inner, codec, 64, "cursor").read(transcript)
    assert len(passes) == page.plain.forwards + page.speculative.forwards


def test_a_script_that_is_not_followed_is_seen(inner, codec, folder, monkeypatch):
    monkeypatch.setattr(ScriptedTarget, "said", lambda self, position: self._script[-1])
    [transcript] = find_transcripts([folder / "ferry.pdf"])
    page = bench(inner, codec, 64, "cursor").read(transcript)
    assert not page.plain.follows
    assert not page.speculative.follows


def test_a_page_longer_than_the_context_is_refused_by_name(inner, codec, folder):
    [transcript] = find_transcripts([folder / "ferry.pdf"])
    with pytest.raises(InputError, match=r"ferry: \d+ tokens do not fit the model's 8192"):
        bench(inner, codec, 64, "cursor").read(replace(transcript, text=transcript.text * 200))


def test_probabilities_are_refused_and_the_end_repeats(inner, codec):
    inner.steps = EagerSteps(inner)
    target = ScriptedTarget(inner, codec)
    target.follow([5, 6])
    cache = target.kv.cache(1, 200)
    prompt = target.encode(Image.new("RGB", (64, 64), "white"), "")
    [filled] = target.prefill([prompt], cache, [0])
    assert int(filled.logits.argmax()) == 5
    step = chain(1, 4, prompt.length, prompt.length + 4)
    step = replace(step, positions=step.positions + filled.rope_delta)
    assert target.steps.run(step, cache).choice == [[6, codec.end, codec.end, codec.end]]
    with pytest.raises(ValueError, match="exact acceptance only"):
        target.steps.run(replace(step, flags=OutputFlags(scores=True)), cache)


def test_a_prompt_longer_than_the_transcript_has_padding_before_it(inner, codec):
    """Nodes that pad a bucket have position 0: before the script, not beyond its beginning counted from its end."""
    inner.steps = EagerSteps(inner)
    target = ScriptedTarget(inner, codec)
    target.follow([5, 6])
    prompt = target.encode(Image.new("RGB", (64, 64), "white"), "")
    [filled] = target.prefill([prompt], target.kv.cache(1, 200), [0])
    assert prompt.length > 4
    assert target.said(0) == target.said(filled.rope_delta) == 5


def test_the_command_labels_what_is_simulated(folder, tokenizer, tmp_path):
    file = tmp_path / "scripted.json"
    options = "--random tiny --device cpu --dpi 72 --repeats 2"
    arguments = f"scripted {folder / 'ferry.pdf'} --tokenizer {tokenizer} {options}"
    result = CliRunner().invoke(app, [*arguments.split(), "--json", str(file)], catch_exceptions=False)
    assert result.exit_code == 0
    assert "RANDOM WEIGHTS" in result.output
    assert LABEL in " ".join(result.output.split())
    found = json.loads(file.read_text(encoding="utf-8"))
    assert found["schema"] == "docspec.bench.scripted/1"
    assert found["what"] == LABEL
    assert found["random_weights"] is True
    assert found["rows"][0]["name"] == "ferry"
    assert found["total"]["sr_e2e"] == pytest.approx(found["rows"][0]["sr_e2e"])
