"""Rows through the engine: prompts prefilled side by side in one cache, decoded together, counted and timed.

Stage 1, Stage 2 and the baseline differ only in which rows they ask for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from docspec.core import ParseOptions, StageStats
from docspec.hierarchy.prefill import prefill_rows
from docspec.speculation.acceptance import make_rule
from docspec.speculation.autoregressive import decode_autoregressively
from docspec.speculation.decode import Finish, Row, decode
from docspec.speculation.pacing import PacedProposer
from docspec.speculation.policies import make_proposer
from docspec.speculation.proposer import EmptyProposer, Proposer
from docspec.speculation.stopping import LoopGuard
from docspec.targets.threads import decoding_threads, threads_for

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import Prompt, TargetModel

OnStep = Callable[[Sequence[Row]], None]
Drafts = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class RowJob:
    """One sequence to decode: its prompt, the drafts it may copy from, its budget in tokens.

    ``held`` are token sequences whose repetitions are no loops: the drafts, whichever way the row is decoded.
    """

    prompt: Prompt
    drafts: Drafts
    budget: int
    held: Drafts = ()

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
        self.worth = 0.0
        """Least chance of a tree node that pays, from measured step costs; 0 where nothing was measured."""
        self.plain_seconds = 0.0
        """What a step of one token takes, kept up to date; where it is known, a row that is alone in its batch is
        decoded plainly as long as drafts do not pay."""

    def speculate(
        self, jobs: Sequence[RowJob], on_step: OnStep | None = None
    ) -> tuple[list[RowOutput], StageStats]:
        """Decodes ``jobs`` in one batch with their drafts (SpecDecode)."""
        proposers = [self._proposer(job.drafts, alone=len(jobs) == 1) for job in jobs]
        cache, rows, seconds = self._prefill(jobs, proposers)
        start = time.perf_counter()
        with decoding_threads(self.target):
            forwards = decode(self.target, cache, rows, self._rule, self._options.max_tree, on_step)
        for proposer in proposers:
            if isinstance(proposer, PacedProposer):
                self.plain_seconds = proposer.plain_seconds
        stats = _stats(jobs, rows, forwards, seconds, time.perf_counter() - start)
        return _outputs(rows), replace(stats, kv_bytes=self.target.kv.nbytes)

    def baseline(self, job: RowJob) -> tuple[RowOutput, StageStats]:
        """Decodes ``job`` one token a step, without its drafts."""
        cache, rows, seconds = self._prefill([job], [EmptyProposer()])
        start = time.perf_counter()
        with decoding_threads(self.target):
            forwards = decode_autoregressively(self.target, cache, rows[0])
        stats = _stats([job], rows, forwards, seconds, time.perf_counter() - start)
        return _outputs(rows)[0], replace(stats, kv_bytes=self.target.kv.nbytes)

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

    def _proposer(self, drafts: Drafts, alone: bool) -> Proposer:
        proposer = make_proposer(drafts, self._options, self.target, self.worth)
        return PacedProposer(proposer, self.plain_seconds) if alone and self.plain_seconds > 0 else proposer

    def _prefill(
        self, jobs: Sequence[RowJob], proposers: Sequence[Proposer]
    ) -> tuple[SlotCache, list[Row], float]:
        start = time.perf_counter()
        slots = max(job.slots for job in jobs) + self.spare_slots - 1
        cache = self.target.kv.cache(len(jobs), slots, self._options.kv_limit)
        filled = prefill_rows(self.target, [job.prompt for job in jobs], cache, range(len(jobs)))
        rows = [
            Row.after_prefill(prefill, proposer, job.budget, self.target.eos_ids, LoopGuard(job.held))
            for prefill, proposer, job in zip(filled, proposers, jobs, strict=True)
        ]
        return cache, rows, time.perf_counter() - start


def _outputs(rows: Sequence[Row]) -> list[RowOutput]:
    return [RowOutput(tuple(row.output), row.finish or "budget") for row in rows]


def _stats(
    jobs: Sequence[RowJob], rows: Sequence[Row], forwards: int, prefill: float, decoding: float
) -> StageStats:
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
        host_seconds=sum(row.host_seconds for row in rows),
        plain_tokens=sum(
            row.proposer.plain_tokens for row in rows if isinstance(row.proposer, PacedProposer)
        ),
    )
