"""A small reader learns what a larger one chooses, with its tokenizer, and drafts for it then."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from docspec.core import ParseOptions
from docspec.targets.registry import load_target
from tests.training.test_train import WORDS, cards
from training.curriculum import Phase
from training.losses import Weights
from training.reader import checkpoint
from training.reader import model as reader_model
from training.reader import tokenizer as tok
from training.train import Run

PLAN = (Phase("read", 8, (3e-3, 3e-3), {"160x64": 1.0}, Weights(dense=0.0, bag=0.0, order=0.0, guide=0.0, noise=0.0)),)


def teacher_in(directory: Path) -> Path:
    tokenizer = tok.train_tokenizer([" ".join(WORDS)] * 4, vocab_size=300)
    model = reader_model.build("tiny", seed=5, vocab_size=len(tokenizer))
    with torch.no_grad():
        model.get_input_embeddings().weight.mul_(8.0)  # it is sure of what it says
    checkpoint.save(model, tokenizer, directory)
    return directory


def taught(directory: Path, teacher: Path, start: Path | None = None) -> list[float]:
    """The divergence from the teacher, step by step."""
    torch.set_num_threads(1)
    Run(directory, size="tiny", seed=3, plan=PLAN, source=cards, teacher=teacher, start=start).train(log_every=1)
    return [json.loads(line)["taught"] for line in (directory / "log.jsonl").read_text().splitlines()]


def test_a_pupil_comes_closer_to_its_teacher(tmp_path: Path) -> None:
    teacher = teacher_in(tmp_path / "teacher")
    apart = taught(tmp_path / "run", teacher)
    assert len(apart) == 8 and apart[-1] < 0.7 * apart[0]


def test_the_teacher_itself_has_nothing_to_learn_but_the_text(tmp_path: Path) -> None:
    teacher = teacher_in(tmp_path / "teacher")
    assert abs(taught(tmp_path / "run", teacher, start=teacher)[0]) < 1e-4


def test_the_size_for_drafting_is_small_and_reads_what_the_bundled_reader_reads(tmp_path: Path) -> None:
    model = reader_model.build("mini-draft", vocab_size=400)
    assert sum(parameter.numel() for parameter in model.parameters()) <= 2_000_000
    teacher = teacher_in(tmp_path / "teacher")
    run = Run(tmp_path / "run", size="mini-draft", plan=PLAN, source=cards, teacher=teacher)
    run.export(tmp_path / "pupil")
    ours, theirs = (
        load_target(ParseOptions(model=str(folder), device="cpu")).target for folder in (tmp_path / "pupil", teacher)
    )
    assert ours.processing.tokenizer.get_vocab() == theirs.processing.tokenizer.get_vocab()
