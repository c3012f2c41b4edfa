"""Samples for the training loop, rendered where the loop stands or ahead of it in worker processes.

A step's samples depend on (seed, phase, step, rank) only, so neither interruptions nor the number of workers change
what is learned. On two CPU cores rendering in the loop is best (a tenth of the time); beside an accelerator it takes
all the workers there are.
"""

from __future__ import annotations

import multiprocessing
import random
import zlib
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from types import TracebackType

from training import curriculum
from training.crops import make_crop
from training.curriculum import Phase
from training.formulas import make_formula
from training.lines import make_lines
from training.pages import make_page
from training.reader.model import ReaderSize
from training.render import Sample

Source = Callable[[Phase, int, int, int, ReaderSize], list[Sample]]
TABLE = 96  # pixels: the least height of tables
DISPLAY = (64, 160)  # heights of formulas


def samples_of(phase: Phase, step: int, seed: int, rank: int, size: ReaderSize) -> list[Sample]:
    """The samples of one step on one process: as many of one image size as the phase's work allows."""
    width, height = curriculum.choose(phase, step, seed)
    one = curriculum.cost(width, height, size, phase.weights.vision_only)
    count = max(1, min(phase.most, round(phase.work / one)))
    base = zlib.crc32(f"{seed}-{phase.name}-{step}-{rank}".encode()) << 8
    return [maker(phase, width, height, base + k)(width, height, base + k, noise=phase.noise) for k in range(count)]


def maker(phase: Phase, width: int, height: int, seed: int) -> Callable[..., Sample]:
    """What a sample of a size is made by: pages have sizes of their own, of crops each kind has its share."""
    if curriculum.is_page(width, height):
        return make_page
    rng = random.Random(seed)
    if height >= TABLE and rng.random() < phase.tables:
        return partial(make_crop, kind="table")
    if DISPLAY[0] <= height <= DISPLAY[1] and rng.random() < phase.formulas:
        return make_formula
    return make_lines if rng.random() < phase.lines else make_crop


class Feed:
    """Gives the samples of each step in turn; with `workers`, renders up to two steps a worker ahead."""

    def __init__(self, source: Source, seed: int, rank: int, size: ReaderSize, workers: int = 0) -> None:
        self.source, self.seed, self.rank, self.size = source, seed, rank, size
        self.depth = 2 * workers
        self.pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) if workers else None
        self.pending: dict[tuple[str, int], Future[list[Sample]]] = {}

    def samples(self, phase: Phase, step: int) -> list[Sample]:
        """The samples of `step`; raises what rendering them raised."""
        if self.pool is None:
            return self.source(phase, step, self.seed, self.rank, self.size)
        for coming in range(step, min(step + self.depth + 1, phase.steps)):
            if (phase.name, coming) not in self.pending:
                self.pending[phase.name, coming] = self.pool.submit(
                    self.source, phase, coming, self.seed, self.rank, self.size
                )
        return self.pending.pop((phase.name, step)).result()

    def __enter__(self) -> Feed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.pool:
            self.pool.shutdown(cancel_futures=True)
