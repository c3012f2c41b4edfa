"""Training learns, stops and goes on as if it had not stopped."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import torch

import training
from training.curriculum import Phase, choose, read_plan, write_plan
from training.evaluate import Reader
from training.feed import Feed, samples_of
from training.fonts import faces
from training.losses import Weights
from training.reader import checkpoint
from training.reader import tokenizer as tok
from training.reader.model import SIZES, ReaderSize
from training.render import Sample, Sheet
from training.train import Run, rate_at

WORDS = ("harbour", "engine", "valley", "seven", "quick", "motor", "bread", "winter")


def card(rng: random.Random) -> Sample:
    """One of the words at a random place."""
    sheet = Sheet(160, 64)
    sheet.put(rng.choice(WORDS), rng.uniform(4, 40), rng.uniform(24, 54), faces()[0].regular, 24)
    return sheet.finish()


def cards(phase: Phase, step: int, seed: int, rank: int, size: ReaderSize) -> list[Sample]:
    rng = random.Random(f"{phase.name}-{step}-{rank}")
    return [card(rng) for _ in range(16)]


def run_in(directory: Path, plan: tuple[Phase, ...]) -> Run:
    tokenizer = tok.train_tokenizer([" ".join(WORDS)] * 4, vocab_size=300)
    return Run(directory, size="tiny", seed=3, plan=plan, tokenizer=tokenizer, source=cards)


def test_a_tiny_reader_learns_a_tiny_vocabulary(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    sizes = {"160x64": 1.0}
    plan = (
        Phase("look", 100, (5e-3, 4e-3), sizes, Weights(vision_only=True), warm=5),
        Phase("read", 150, (4e-3, 3e-4), sizes, Weights(guide=0.3, gradient=0.5), warm=5),
    )
    run = run_in(tmp_path / "run", plan)
    run.train(log_every=10)
    lines = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    losses = [line["text"] for line in lines if "text" in line]
    assert losses[-1] < 0.25 * losses[0]
    run.export(tmp_path / "model")
    rng = random.Random("held out")
    samples = [card(rng) for _ in range(32)]
    outputs = Reader(tmp_path / "model").read([sample.pixels for sample in samples], 24)
    right = sum(output == sample.text for output, sample in zip(outputs, samples, strict=True))
    assert right >= 20, f"{right} of 32; chance is one in {len(WORDS)}"


def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    plan = (
        Phase("look", 3, (1e-3, 1e-3), {"160x64": 1.0}, Weights(vision_only=True)),
        Phase("read", 4, (1e-3, 1e-4), {"160x64": 1.0}),
    )
    whole = run_in(tmp_path / "whole", plan)
    whole.train()
    run_in(tmp_path / "parts", plan).train(steps=2)
    run_in(tmp_path / "parts", plan).train(steps=3)
    last = run_in(tmp_path / "parts", plan)
    assert (last.progress.phase, last.progress.step) == (1, 2)
    last.train()
    for name, value in whole.network.state_dict().items():
        assert torch.equal(value, last.network.state_dict()[name]), name
    assert whole.progress.glyphs == last.progress.glyphs


def test_workers_render_the_same_samples() -> None:
    phase = Phase("few", 3, (1e-3, 1e-3), {"96x64": 1.0}, Weights(vision_only=True), work=0.2, most=3)
    with Feed(samples_of, 5, 0, SIZES["tiny"]) as here, Feed(samples_of, 5, 0, SIZES["tiny"], 1) as ahead:
        for step in range(phase.steps):
            ours, theirs = here.samples(phase, step), ahead.samples(phase, step)
            assert [a.pixels.shape for a in ours] == [b.pixels.shape for b in theirs] and len(ours) == 3


def test_plans_survive_the_disk(tmp_path: Path) -> None:
    plan = read_plan(None)
    write_plan(plan, tmp_path / "plan.json")
    assert read_plan(tmp_path / "plan.json") == plan


def test_every_rank_of_a_step_takes_the_same_size_and_the_rate_decays() -> None:
    phase = read_plan(None)[-1]
    assert choose(phase, 7, 1) == choose(phase, 7, 1)
    rates = [rate_at(phase, step) for step in range(0, phase.steps, 50)]
    assert rates == sorted(rates, reverse=True) and rates[-1] < 0.1 * rates[0]


def test_a_new_run_can_begin_with_a_checkpoint(tmp_path: Path) -> None:
    plan = (Phase("p", 2, (1e-3, 1e-4), {"160x64": 1.0}),)
    first = run_in(tmp_path / "first", plan)
    first.train()
    first.export(tmp_path / "model")
    second = Run(tmp_path / "second", size="tiny", seed=9, plan=plan, source=cards, start=tmp_path / "model")
    assert second.tokenizer.get_vocab() == first.tokenizer.get_vocab()
    assert second.progress.total == 0
    theirs = second.network.model.state_dict()
    for name, value in first.network.model.state_dict().items():
        assert torch.equal(theirs[name], value.to(torch.bfloat16).float()), name
    assert torch.allclose(second.network.slice, first.network.slice, atol=2e-2)
    second.train(steps=1)
    moved = second.network.model.state_dict()
    third = Run(tmp_path / "second", size="tiny", seed=9, plan=plan, source=cards, start=tmp_path / "model")
    for name, value in moved.items():  # the run's own state goes before the checkpoint
        assert torch.equal(third.network.model.state_dict()[name], value), name


def test_torchrun_begins_with_a_checkpoint(tmp_path: Path) -> None:
    checkpoint.init(tmp_path / "start", "tiny")
    (tmp_path / "run").mkdir()
    write_plan((Phase("nothing", 0, (0.0, 0.0), {"128x32": 1.0}),), tmp_path / "run" / "plan.json")
    given = ("--size", "tiny", "--from", str(tmp_path / "start"))
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m"]
    command += ["training", "train", str(tmp_path / "run"), *given]
    root = Path(training.__file__).parents[1]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=root)
    assert done.returncode == 0, done.stderr[-2000:]
    begun = Run(tmp_path / "run", size="tiny")
    for name, value in checkpoint.load(tmp_path / "start")[0].state_dict().items():
        assert torch.allclose(begun.network.model.state_dict()[name], value, atol=2e-2), name
