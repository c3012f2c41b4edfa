"""The training loop: resumable, the same samples for the same seed whatever the interruptions.

Every step's samples are drawn from (seed, phase, step, rank), so a checkpoint holds weights, optimiser and
counters and nothing else. Several processes share a step through torch.distributed (gloo on CPU, nccl on
CUDA).
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.distributed as dist
from transformers import PreTrainedTokenizerFast

from docspec.reader import checkpoint, corpus, curriculum, losses
from docspec.reader import model as reader_model
from docspec.reader import tokenizer as tok
from docspec.reader.crops import make_crop
from docspec.reader.curriculum import Phase
from docspec.reader.data import Batch, collate
from docspec.reader.network import Network
from docspec.reader.optimiser import Optimiser
from docspec.reader.pages import make_page
from docspec.reader.render import Sample


@dataclass
class Progress:
    """Where a run stands; `phase` and `step` count what is done."""

    phase: int = 0
    step: int = 0
    total: int = 0
    samples: int = 0
    glyphs: int = 0
    seconds: float = 0.0


def learned_tokenizer(seed: int = 0) -> PreTrainedTokenizerFast:
    """The reader's tokenizer, trained on Markdown of generated pages and on the corpus."""
    texts = [make_page(704, 960, seed + k, noise=0.0).text for k in range(150)]
    paragraphs = corpus.paragraphs()
    return tok.train_tokenizer(texts + list(paragraphs[:: max(1, len(paragraphs) // 4000)]))


def samples_of(phase: Phase, step: int, seed: int, rank: int, size: reader_model.Size) -> list[Sample]:
    """The samples of one step on one process."""
    width, height = curriculum.choose(phase, step, seed)
    one = curriculum.cost(width, height, size, phase.weights.vision_only)
    count = max(1, min(64, round(phase.work / one)))
    make = make_page if curriculum.is_page(width, height) else make_crop
    base = zlib.crc32(f"{seed}-{phase.name}-{step}-{rank}".encode()) << 8
    return [make(width, height, base + k, noise=phase.noise) for k in range(count)]


Source = Callable[[Phase, int, int, int, reader_model.Size], list[Sample]]


def rate_at(phase: Phase, step: int) -> float:
    """Learning rate of a step: linear warm-up, then cosine from the first to the second rate."""
    done = step / max(1, phase.steps)
    rate = phase.rate[1] + (phase.rate[0] - phase.rate[1]) * 0.5 * (1 + math.cos(math.pi * done))
    return rate * min(1.0, (step + 1) / phase.warm) if phase.warm else rate


class Run:
    """A training run in a directory: `state.pt`, `log.jsonl`, `tokenizer/`, `plan.json`."""

    def __init__(
        self,
        directory: Path,
        *,
        size: str = "mini",
        seed: int = 1,
        plan: tuple[Phase, ...] | None = None,
        device: str = "cpu",
        tokenizer: PreTrainedTokenizerFast | None = None,
        source: Source | None = None,
    ) -> None:
        self.directory, self.size_name, self.seed, self.device = directory, size, seed, torch.device(device)
        self.rank = dist.get_rank() if dist.is_initialized() else 0
        self.ranks = dist.get_world_size() if dist.is_initialized() else 1
        if self.rank == 0:
            directory.mkdir(parents=True, exist_ok=True)
            if not (directory / "tokenizer").is_dir():
                (tokenizer or learned_tokenizer(seed)).save_pretrained(directory / "tokenizer")
            if not (directory / "plan.json").is_file():
                curriculum.write_plan(plan or curriculum.PLAN, directory / "plan.json")
        if self.ranks > 1:
            dist.barrier()
        self.plan = plan or curriculum.read_plan(directory / "plan.json")
        self.tokenizer = PreTrainedTokenizerFast.from_pretrained(directory / "tokenizer")
        self.size = reader_model.SIZES[size]
        self.source: Source = source or samples_of
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)  # the throw-away heads, alike on every rank
            model = reader_model.build(size, seed=seed, vocab_size=len(self.tokenizer))
            self.network = Network(model, self.tokenizer)
        self.network.to(self.device).train()
        self.optimiser = Optimiser(self.network)
        self.progress = Progress()
        if (directory / "state.pt").is_file():
            self.load()

    def load(self) -> None:
        """Continue from `state.pt`."""
        state = torch.load(self.directory / "state.pt", map_location=self.device, weights_only=True)
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.progress = Progress(**state["progress"])

    def save(self) -> None:
        """Write `state.pt` (float32 weights, optimiser, counters), replacing it atomically."""
        if self.rank:
            return
        state = {
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "progress": vars(self.progress),
        }
        partial = self.directory / "state.part"
        torch.save(state, partial)
        partial.replace(self.directory / "state.pt")

    def export(self, target: Path) -> None:
        """Write the present weights as a checkpoint directory."""
        self.network.spread()
        checkpoint.save(self.network.model, self.tokenizer, target)

    def batch(self, phase: Phase, step: int) -> Batch:
        """The batch of one step of this process."""
        return collate(self.source(phase, step, self.seed, self.rank, self.size), self.tokenizer)

    def step(self, phase: Phase, batch: Batch) -> dict[str, float]:
        """One optimiser step."""
        torch.manual_seed(zlib.crc32(f"{self.seed}-{self.progress.total}-{self.rank}".encode()))
        here = Batch(*(value.to(self.device) for value in vars(batch).values()))
        low = (
            torch.autocast("cuda", torch.bfloat16) if self.device.type == "cuda" else contextlib.nullcontext()
        )
        with low:
            loss, log = losses.compute(self.network, here, phase.weights)
        loss.backward()
        norm = self.optimiser.step(rate_at(phase, self.progress.step))
        return {
            "loss": float(loss.detach()),
            "norm": norm,
            **{name: float(value) for name, value in log.items()},
        }

    def train(
        self,
        *,
        minutes: float = math.inf,
        save_every: int = 100,
        log_every: int = 10,
        steps: float = math.inf,
    ) -> None:
        """Go on with the plan until it ends, or for `minutes` or `steps`."""
        began, last, done = time.monotonic(), time.monotonic(), 0
        with ThreadPoolExecutor(1) as ahead:
            while self.progress.phase < len(self.plan):
                phase = self.plan[self.progress.phase]
                coming = None
                while self.progress.step < phase.steps:
                    batch = coming.result() if coming else self.batch(phase, self.progress.step)
                    coming = (
                        ahead.submit(self.batch, phase, self.progress.step + 1)
                        if self.device.type == "cuda"
                        else None
                    )
                    log = self.step(phase, batch)
                    now = time.monotonic()
                    self.progress.step += 1
                    self.progress.total += 1
                    self.progress.samples += len(batch.ids) * self.ranks
                    self.progress.glyphs += int((batch.dense > 0).sum()) * self.ranks
                    self.progress.seconds += now - last
                    done += 1
                    if self.rank == 0 and self.progress.total % log_every == 0:
                        self.report(phase, batch, log, now - last)
                    last = now
                    stop = torch.tensor([float((now - began) / 60 > minutes or done >= steps)])
                    if self.ranks > 1:
                        dist.broadcast(stop, 0)
                    if self.progress.total % save_every == 0 or stop:
                        self.save()
                    if stop:
                        return
                self.progress.phase, self.progress.step = self.progress.phase + 1, 0
                self.save()

    def report(self, phase: Phase, batch: Batch, log: dict[str, float], seconds: float) -> None:
        """One line of `log.jsonl`."""
        line = {"phase": phase.name, **vars(self.progress), "last": round(seconds, 2)}
        line |= {"size": f"{batch.pixels.shape[2]}x{batch.pixels.shape[1]}", "batch": len(batch.ids)}
        line |= {name: round(value, 4) for name, value in log.items()}
        with (self.directory / "log.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")


def initialise(device: str) -> None:
    """Join the process group that torchrun's variables describe, if there is one."""
    if "RANK" in os.environ and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")
