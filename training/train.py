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
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.distributed as dist
from transformers import PreTrainedTokenizerFast

from training import corpus, curriculum, losses
from training.curriculum import Phase
from training.data import Batch, collate
from training.feed import Feed, Source, samples_of
from training.network import Network
from training.optimiser import Optimiser
from training.pages import make_page
from training.reader import checkpoint
from training.reader import model as reader_model
from training.reader import tokenizer as tok


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


def rate_at(phase: Phase, step: int) -> float:
    """Learning rate of a step: linear warm-up, then cosine from the first to the second rate."""
    done = step / max(1, phase.steps)
    rate = phase.rate[1] + (phase.rate[0] - phase.rate[1]) * 0.5 * (1 + math.cos(math.pi * done))
    return rate * min(1.0, (step + 1) / phase.warm) if phase.warm else rate


class Run:
    """A training run in a directory: `state.pt`, `log.jsonl`, `tokenizer/`, `plan.json`. A new run begins with random
    weights, or with weights and tokenizer of the checkpoint `start`; optimiser and throw-away heads begin anew. Of the
    checkpoint `teacher` the tokenizer is taken over, and its choices are learned."""

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
        workers: int = 0,
        start: Path | None = None,
        teacher: Path | None = None,
    ) -> None:
        self.directory, self.size_name, self.seed, self.device = directory, size, seed, torch.device(device)
        self.rank = dist.get_rank() if dist.is_initialized() else 0
        self.ranks = dist.get_world_size() if dist.is_initialized() else 1
        taught = checkpoint.load(teacher) if teacher else None
        given = checkpoint.load(start) if start and not (directory / "state.pt").is_file() else None
        if self.rank == 0:
            directory.mkdir(parents=True, exist_ok=True)
            if not (directory / "tokenizer").is_dir():
                known = tokenizer or next((one[1] for one in (given, taught) if one), None)
                (known or learned_tokenizer(seed)).save_pretrained(directory / "tokenizer")
            if not (directory / "plan.json").is_file():
                known_plan = curriculum.DISTILLED if taught else curriculum.PLAN
                curriculum.write_plan(plan or known_plan, directory / "plan.json")
        if self.ranks > 1:
            dist.barrier()
        self.plan = plan or curriculum.read_plan(directory / "plan.json")
        self.tokenizer = PreTrainedTokenizerFast.from_pretrained(directory / "tokenizer")
        self.size = reader_model.SIZES[size]
        self.source: Source = source or samples_of
        self.workers = workers
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)  # the throw-away heads, alike on every rank
            model = reader_model.build(size, seed=seed, vocab_size=len(self.tokenizer))
            if given:
                model.load_state_dict(given[0].state_dict())
            self.network = Network(model, self.tokenizer)
        self.network.to(self.device).train()
        self.teacher = Network(taught[0], self.tokenizer).to(self.device).eval() if taught else None
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

    def step(self, phase: Phase, batch: Batch) -> dict[str, float]:
        """One optimiser step."""
        torch.manual_seed(zlib.crc32(f"{self.seed}-{self.progress.total}-{self.rank}".encode()))
        here = Batch(*(value.to(self.device) for value in vars(batch).values()))
        low = torch.autocast("cuda", torch.bfloat16) if self.device.type == "cuda" else contextlib.nullcontext()
        with low:
            loss, log = losses.compute(self.network, here, phase.weights, self.teacher)
        loss.backward()
        norm = self.optimiser.step(rate_at(phase, self.progress.step))
        return {"loss": float(loss.detach()), "norm": norm, **{name: float(value) for name, value in log.items()}}

    def train(
        self, *, minutes: float = math.inf, save_every: int = 100, log_every: int = 10, steps: float = math.inf
    ) -> None:
        """Go on with the plan until it ends, or for `minutes` or `steps`; saves at the end too."""
        began, done, stop = time.monotonic(), 0, False
        with Feed(self.source, self.seed, self.rank, self.size, self.workers) as feed:
            while self.progress.phase < len(self.plan) and not stop:
                phase = self.plan[self.progress.phase]
                while self.progress.step < phase.steps and not stop:
                    self.advance(phase, feed, log_every)
                    done += 1
                    stop = self.agreed((time.monotonic() - began) / 60 > minutes or done >= steps)
                    if self.progress.total % save_every == 0:
                        self.save()
                if self.progress.step >= phase.steps:
                    self.progress.phase, self.progress.step = self.progress.phase + 1, 0
                self.save()

    def advance(self, phase: Phase, feed: Feed, log_every: int) -> None:
        """Render, learn, count and report one step."""
        began = time.monotonic()
        samples = feed.samples(phase, self.progress.step)
        batch = collate(samples, self.tokenizer)
        log = self.step(phase, batch)
        seconds = time.monotonic() - began
        self.progress.step += 1
        self.progress.total += 1
        self.progress.samples += len(samples) * self.ranks
        self.progress.glyphs += sum(len(sample.glyphs) for sample in samples) * self.ranks
        self.progress.seconds += seconds
        if self.rank == 0 and self.progress.total % log_every == 0:
            self.report(phase, batch, log, seconds)

    def agreed(self, stop: bool) -> bool:
        """What the first rank thinks of stopping."""
        if self.ranks == 1:
            return stop
        word = torch.tensor([float(stop)], device=self.device)
        dist.broadcast(word, 0)
        return bool(word)

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
        if device.startswith("cuda"):
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")
