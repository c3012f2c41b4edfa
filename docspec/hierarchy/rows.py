"""Rows through the engine: prompts prefilled side by side in one cache, decoded together, counted and timed.

Stage 1, Stage 2 and the baseline differ only in which rows they ask for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import torch

from docspec.core import ParseOptions, StageStats
from docspec.core.scaffold import Scaffold
from docspec.hierarchy.prefill import prefill_rows
from docspec.speculation.acceptance import make_rule
from docspec.speculation.autoregressive import decode_autoregressively
from docspec.speculation.decode import Finish, Row, decode
from docspec.speculation.pacing import PacedProposer
from docspec.speculation.policies import make_proposer
from docspec.speculation.proposer import EmptyProposer, Proposer
from docspec.speculation.stopping import LoopGuard
from docspec.targets.threads import decoding_threads, threads_for, using_threads

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import Prompt, TargetModel

OnStep = Callable[[Sequence[Row]], None]
Drafts = tuple[tuple[int, ...], ...]

REFILL = 4
"""Waiting rows enter when one place in so many is free."""


@dataclass(frozen=True, slots=True)
class RowJob:
    """One sequence to decode: its prompt, the drafts it may copy from, its budget in tokens.

    ``held`` are token sequences whose repetitions are no loops: the drafts, whichever way the row is decoded.
    ``scaffold`` makes what foretells the format of the output; it follows one decoding, so each gets its own.
    ``growing`` is the most tokens of each draft that is written while the row is decoded. A ``plain`` row is decoded
    one token a step.
    """

    prompt: Prompt
    drafts: Drafts
    budget: int
    held: Drafts = ()
    scaffold: Callable[[], Scaffold | None] | None = None
    growing: tuple[int, ...] = ()
    plain: bool = False

    @property
    def slots(self) -> int:
        """Cache slots that the row may come to fill, its trees not counted."""
        return self.prompt.length + self.budget


@dataclass(frozen=True, slots=True)
class RowOutput:
    """The tokens of one row, the end-of-sequence token dropped, and why it ended."""

    tokens: tuple[int, ...]
    finish: Finish


class Engine:
    """A target with its decoding settings and the bound on its KV memory."""

    def __init__(self, target: TargetModel, options: ParseOptions) -> None:
        self.target = target
        self._options = options
        self._rule = make_rule(options.tau)
        threads_for(target)  # measured here, so that no page pays for it
        self.node_price = 0.0
        """What one more tree node costs, as a share of a one-token step; 0 where nothing was measured."""
        self.plain_seconds = 0.0
        """What a step of one token takes, kept up to date; where it is known, a row that is alone in its batch is
        decoded plainly as long as drafts do not pay."""

    def speculate(
        self, jobs: Sequence[RowJob], on_step: OnStep | None = None, places: int | None = None
    ) -> tuple[list[RowOutput], StageStats]:
        """Decodes ``jobs`` in one batch of ``places`` rows (all at once by default) with their drafts (SpecDecode).

        Where there are fewer places than jobs, the jobs wait in the order given and enter as rows end.
        """
        [found] = self.speculate_groups([jobs], on_step, places)
        return found

    def speculate_groups(
        self, groups: Sequence[Sequence[RowJob]], on_step: OnStep | None = None, places: int | None = None
    ) -> list[tuple[list[RowOutput], StageStats]]:
        """:meth:`speculate` of the jobs of several pages in one batch: each page's outputs and its own counts.

        Of the seconds and forward passes that they share a page is charged with its part of the steps, and of the
        prefill with its part of the prompts.
        """
        start = time.perf_counter()
        jobs = [job for group in groups for job in group]
        queue = RowQueue(self, jobs, self.cache_for(jobs, places or len(jobs)))
        forwards = self.decode(queue, on_step)
        for row in queue.rows:
            if isinstance(row.proposer, PacedProposer):
                self.plain_seconds = row.proposer.plain_seconds
        seconds = time.perf_counter() - start - queue.prefill_seconds
        rows, outputs = iter(queue.rows), iter(queue.outputs())
        own = [list(islice(rows, len(group))) for group in groups]
        steps = [sum(row.steps for row in part) for part in own]
        prompts = [sum(job.prompt.length for job in group) for group in groups]
        return [
            (
                list(islice(outputs, len(group))),
                self.stats(
                    group,
                    part,
                    share_of_forwards,
                    queue.prefill_seconds * prompt / max(1, sum(prompts)),
                    seconds * step / sum(steps) if sum(steps) else seconds / len(groups),
                ),
            )
            for group, part, share_of_forwards, prompt, step in zip(
                groups, own, shares(forwards, steps), prompts, steps, strict=True
            )
        ]

    def decode(self, queue: RowQueue, on_step: OnStep | None = None) -> int:
        """Runs the rows of ``queue`` to their ends, waiting ones included; returns the forward passes."""
        rule, max_tree = self._rule, self._options.max_tree
        entered = list(queue.rows)
        with decoding_threads(self.target):
            return decode(self.target, queue.cache, entered, rule, max_tree, on_step, queue.admit)

    def baseline(self, job: RowJob) -> tuple[RowOutput, StageStats]:
        """Decodes ``job`` one token a step, without its drafts."""
        queue = RowQueue(self, [job], self.cache_for([job], 1), speculative=False)
        [row] = queue.admit(range(1))
        start = time.perf_counter()
        with decoding_threads(self.target):
            forwards = decode_autoregressively(self.target, queue.cache, row)
        seconds = time.perf_counter() - start
        return queue.outputs()[0], self.stats([job], [row], forwards, queue.prefill_seconds, seconds)

    def cache_for(self, jobs: Sequence[RowJob], places: int) -> SlotCache:
        """A KV buffer of at least ``places`` rows, each long enough for any of ``jobs``, in the shape that steps like
        best where the bound allows it."""
        slots = max(job.slots for job in jobs) + self.spare_slots - 1
        roomy = self.target.steps.geometry(places, slots)
        if self.slots_allowed is None or roomy[0] * (roomy[1] + 1) <= self.slots_allowed:
            places, slots = roomy
        return self.target.kv.cache(places, slots, self._options.kv_limit)

    def places(self, jobs: Sequence[RowJob]) -> int:
        """How many of ``jobs`` the bound on the KV memory lets into one batch at a time (at least one)."""
        slots = max(job.slots for job in jobs) + self.spare_slots
        return (
            len(jobs) if self.slots_allowed is None else max(1, min(len(jobs), self.slots_allowed // slots))
        )

    def proposer(self, job: RowJob, alone: bool) -> Proposer:
        """The proposer over the drafts of ``job``; a row that is ``alone`` in its batch is paced."""
        if job.plain:
            return EmptyProposer()
        scaffold = job.scaffold() if job.scaffold is not None else None
        proposer = make_proposer(
            job.drafts, self._options, self.target, self.node_price, scaffold, job.growing
        )
        return PacedProposer(proposer, self.plain_seconds) if alone and self.plain_seconds > 0 else proposer

    def stats(
        self, jobs: Sequence[RowJob], rows: Sequence[Row], forwards: int, prefill: float, decoding: float
    ) -> StageStats:
        """The counts of ``rows`` with the seconds of their prefill and decoding."""
        return StageStats(
            rows=len(rows),
            forwards=forwards,
            steps=sum(row.steps for row in rows),
            drafted=sum(row.drafted for row in rows),
            accepted=sum(row.accepted for row in rows),
            tokens=sum(len(row.output) for row in rows),
            prompt_tokens=sum(job.prompt.length for job in jobs),
            prefill_seconds=prefill,
            decode_seconds=decoding,
            kv_bytes=self.target.kv.nbytes,
            host_seconds=sum(row.host_seconds for row in rows),
            plain_tokens=sum(
                row.proposer.plain_tokens for row in rows if isinstance(row.proposer, PacedProposer)
            ),
        )

    def release(self) -> None:
        """Lets go of the KV memory (after a failure; the next call makes it anew)."""
        self.target.kv.release()

    @property
    def spare_slots(self) -> int:
        """Slots of a row beyond its tokens: a tree, the pending token, the bin."""
        return self._options.max_tree + 2

    @property
    def slots_allowed(self) -> int | None:
        """Slots that all rows of a batch may take together under ``--kv-memory``; ``None`` without a bound."""
        limit = self._options.kv_limit
        return None if limit is None else limit // self.target.kv_spec.bytes_per_slot()


class RowQueue:
    """Jobs on their way through one batch: waiting, prefilled into a place that is free, decoded.

    ``rows`` are those that have entered, in the order of ``jobs``; ``prefill_seconds`` is what entering took.
    """

    def __init__(
        self, engine: Engine, jobs: Sequence[RowJob], cache: SlotCache, speculative: bool = True
    ) -> None:
        self.cache = cache
        self.rows: list[Row] = []
        self.prefill_seconds = 0.0
        self._engine = engine
        self._jobs = jobs
        self._speculative = speculative
        self._threads = torch.get_num_threads()  # decoding may use fewer

    def admit(self, places: range) -> list[Row]:
        """Rows for the first of ``places``; none until a good part of the batch is free, so that prompts share
        their prefill."""
        waiting = self._jobs[len(self.rows) :]
        if len(places) < min(len(waiting), self.cache.rows / REFILL):
            return []
        return self.enter(places)

    def enter(self, places: range) -> list[Row]:
        """Rows for the first of ``places``, as many as wait."""
        entering = self._jobs[len(self.rows) :][: len(places)]
        if not entering:
            return []
        start = time.perf_counter()
        engine, first = self._engine, places[0]
        own = range(first, first + len(entering))
        with using_threads(self._threads):
            filled = prefill_rows(engine.target, [job.prompt for job in entering], self.cache, own)
        rows = [
            Row.after_prefill(
                prefill,
                engine.proposer(job, alone=len(self._jobs) == 1) if self._speculative else EmptyProposer(),
                job.budget,
                engine.target.eos_ids,
                LoopGuard(job.held),
            )
            for prefill, job in zip(filled, entering, strict=True)
        ]
        self.rows += rows
        self.prefill_seconds += time.perf_counter() - start
        return rows

    def close(self) -> None:
        """No more rows enter."""
        self._jobs = self._jobs[: len(self.rows)]

    def outputs(self) -> list[RowOutput]:
        """What each job wrote, in the order of the jobs; nothing where a row never entered."""
        return [RowOutput(tuple(row.output), row.finish or "budget") for row in self.rows]


def shares(total: int, weights: Sequence[int]) -> list[int]:
    """``total`` in whole parts in proportion to ``weights``, their sum exactly ``total`` (largest remainders)."""
    whole = sum(weights)
    if not whole:
        weights, whole = [1] * len(weights), len(weights)
    parts = [total * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: total * weights[i] % whole, reverse=True)
    for index in by_remainder[: total - sum(parts)]:
        parts[index] += 1
    return parts
