"""SpecDecode: many drafted tokens verified in one forward pass, the accepted ones kept (section 3.2 of the paper).

Every row is one sequence (a region crop in Stage 1, the whole page in Stage 2) with its own drafts. A step asks
each row's proposer for a tree, verifies all trees together, walks each of them, keeps the accepted path in the
cache by compaction (rollback of everything else costs nothing) and adds the target's own token. With exact
acceptance the output is what the target would have written alone, whatever the drafts say.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from docspec.speculation.acceptance import AcceptanceRule, Outcome, Scores, traverse
from docspec.speculation.batch import linearise
from docspec.speculation.proposer import Proposer
from docspec.speculation.stopping import NeverStop, StopRule
from docspec.speculation.tree import TokenTree
from docspec.targets.kv_cache import SlotCache
from docspec.targets.protocol import Prefill, TargetModel
from docspec.targets.stepping.step import StepBatch

Finish = Literal["eos", "loop", "budget", "stopped"]

MAX_NODES = 256
"""Tree nodes that the rows of one step share: about where an accelerator begins to compute longer than it reads weights
(reckoned from data sheets, not measured)."""

LEAST_NODES = 8
"""Nodes that a row may use all the same."""

Admit = Callable[[range], Sequence["Row"]]
"""Given free places of the batch, prefills waiting rows into the first of them; none if no more should enter now."""


@dataclass(slots=True, eq=False)
class Row:
    """One sequence being decoded. ``output`` ends with the pending token, which is not in the cache yet.

    ``host_seconds`` is what the host took for its trees, masks and observations, its share of the batch's.
    """

    length: int
    rope_delta: int
    proposer: Proposer
    budget: int
    eos_ids: frozenset[int]
    stop: StopRule = field(default_factory=NeverStop)
    output: list[int] = field(default_factory=list)
    finish: Finish | None = None
    steps: int = 0
    drafted: int = 0
    accepted: int = 0
    host_seconds: float = 0.0

    @classmethod
    def after_prefill(
        cls,
        prefill: Prefill,
        proposer: Proposer,
        budget: int,
        eos_ids: frozenset[int],
        stop: StopRule | None = None,
    ) -> Row:
        """A row whose first token is the argmax of the prompt's last logits."""
        row = cls(prefill.length, prefill.rope_delta, proposer, budget, eos_ids, stop or NeverStop())
        row.emit(int(prefill.logits.argmax()))
        return row

    def emit(self, token: int) -> None:
        """Appends one output token and notices the end; an end-of-sequence token itself is not kept."""
        if token in self.eos_ids:
            self.finish = "eos"
            return
        self.output.append(token)
        keep = self.stop.observe(token)
        if keep is not None:
            del self.output[keep:]
            self.finish = "loop"
        elif len(self.output) >= self.budget:
            self.finish = "budget"

    def settle(self, tree: TokenTree, outcome: Outcome) -> list[int]:
        """Takes over one verified tree; returns the accepted nodes, whose keys and values must be kept."""
        self.steps += 1
        self.drafted += len(tree) - 1
        kept: list[int] = []
        for node in outcome.path:
            self.emit(tree.tokens[node])
            self.accepted += self.finish != "eos"
            kept.append(node)
            if self.finish is not None:
                return kept
        self.emit(outcome.token)
        return kept


def decode(
    target: TargetModel,
    cache: SlotCache,
    rows: Sequence[Row],
    rule: AcceptanceRule,
    max_tree: int = 64,
    on_step: Callable[[Sequence[Row]], None] | None = None,
    admit: Admit | None = None,
) -> int:
    """Runs ``rows`` (row ``i`` prefilled into row ``i`` of ``cache``) to their ends; returns the forward passes.

    ``max_tree`` bounds a row's tree, the pending token included; 1 is plain autoregression. Many rows share
    :data:`MAX_NODES`, as all of them are padded to the largest tree. A row that ends gives
    its place in the batch to the last live one, and the freed places are offered to ``admit`` (continuous batching).
    Raises ``ValueError`` if a prompt leaves no room in the cache.
    """
    live = list(rows)
    forwards = 0
    while running := _fill(live, cache, admit):
        start = time.perf_counter()
        share = min(max_tree, max(LEAST_NODES, max(max_tree, MAX_NODES) // len(running)))
        trees = [row.proposer.propose(row.output, _room(row, cache, share)) for row in running]
        batch = linearise(
            trees, [row.length for row in running], [row.rope_delta for row in running], cache.slots
        )
        if target.steps.dense:
            _ = batch.mask  # laid out here, where the host's time is taken
        host = time.perf_counter() - start
        outcomes = _verify(target, cache, batch, trees, rule)
        forwards += 1
        moves = []
        for index, (row, tree, outcome) in enumerate(zip(running, trees, outcomes, strict=True)):
            kept = row.settle(tree, outcome)
            if kept and kept != list(range(1, len(kept) + 1)):
                moves.append((index, [row.length + node for node in kept], row.length + 1))
            row.length += 1 + len(kept)
            start = time.perf_counter()
            row.proposer.observe(tree, outcome)
            row.host_seconds += host / len(running) + time.perf_counter() - start
        cache.compact(moves)
        if on_step is not None:
            on_step(running)
    return forwards


def _room(row: Row, cache: SlotCache, max_tree: int) -> int:
    """Tree nodes that the row may use: its budget's rest and the free slots bound it, the pending token is free."""
    return max(1, min(max_tree, row.budget - len(row.output) + 1, cache.slots - 1 - row.length))


def _fill(live: list[Row], cache: SlotCache, admit: Admit | None) -> list[Row]:
    """The rows of the next step: those that go on, and new ones as far as there are places."""
    _close_gaps(live, cache)
    while admit is not None and len(live) < cache.rows and (new := admit(range(len(live), cache.rows))):
        live.extend(new)
        _close_gaps(live, cache)  # a new row may have ended with its first token
    return list(live)


def _close_gaps(live: list[Row], cache: SlotCache) -> None:
    """Drops finished rows, moving the last live row into each gap so that live rows stay the buffer's first."""
    index = 0
    while index < len(live):
        if live[index].finish is None:
            index += 1
            continue
        last = live.pop()
        if index < len(live):
            if last.finish is None:
                cache.move_row(len(live), index, last.length)
            live[index] = last


def _verify(
    target: TargetModel,
    cache: SlotCache,
    batch: StepBatch,
    trees: Sequence[TokenTree],
    rule: AcceptanceRule,
) -> list[Outcome]:
    """One forward pass over all trees and the walk through each."""
    verdict = target.steps.run(batch, cache, rule.needs_scores)
    if rule.needs_scores:
        scores = [Scores(*row) for row in zip(verdict.choice, verdict.best, verdict.drafted, strict=True)]
    else:
        tops = verdict.top or [()] * len(trees)
        scores = [Scores(choice, top=top) for choice, top in zip(verdict.choice, tops, strict=True)]
    return [traverse(tree, score, rule) for tree, score in zip(trees, scores, strict=True)]
