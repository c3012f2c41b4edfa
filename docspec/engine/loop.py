"""SpecDecode: many drafted tokens are verified in one forward pass and the accepted ones are kept (section 3.2 of the
paper).

Every row is one sequence (a region crop in Stage 1, the whole page in Stage 2) with its own drafts. A step proposes a
tree for each row, verifies all trees together, walks each of them, keeps the accepted path in the cache by compaction
(rejected tokens need no rollback) and adds the target's own token. With exact acceptance the output is the target's
own, whatever is proposed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from docspec.engine.acceptance import AcceptanceRule, VerifyOutcome, traverse
from docspec.engine.batch import linearise
from docspec.engine.proposer import TreeProposer
from docspec.engine.row import Row
from docspec.engine.scheduler import Scheduler, TreePace, node_limits
from docspec.engine.tree import TokenTree
from docspec.targets.protocol import OutputFlags, PendingToken, StepBatch

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel

OnStep = Callable[[Sequence[Row]], None]
"""Called after each step with its rows."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its rows, a tree for each, and all trees laid out for one forward pass."""

    rows: Sequence[Row]
    trees: Sequence[TokenTree]
    batch: StepBatch


class SpecDecode:
    """Decodes the rows of ``scheduler`` to their ends; ``max_tree`` bounds a row's tree, the pending token included
    (1 is plain autoregression)."""

    def __init__(
        self,
        target: TargetModel,
        scheduler: Scheduler,
        proposer: TreeProposer,
        rule: AcceptanceRule,
        max_tree: int = 64,
        pace: TreePace | None = None,
        margins: bool = False,
    ) -> None:
        self.target = target
        self.scheduler = scheduler
        self.cache = scheduler.cache
        self.proposer = proposer
        self.rule = rule
        self.max_tree = max_tree
        self.pace = pace
        self.flags = proposer.wants | OutputFlags(scores=rule.needs_scores, margins=margins)

    def run(self, on_step: OnStep | None = None) -> None:
        """Decodes until no request waits and no row is live. Raises ``ValueError`` if a prompt leaves no room."""
        while rows := self.step():
            if on_step is not None:
                on_step(rows)

    def step(self) -> list[Row]:
        """Admits requests and decodes one step; returns its rows, none if no request waits and no row is live."""
        if rows := self.admit():
            step = self.propose(rows)
            outcomes = self.verify(step)
            kept = self.accept(step, outcomes)
            self.compact(step, kept)
            self.redecide(step, outcomes)
        return rows

    def admit(self) -> list[Row]:
        """The rows of the next step."""
        return self.scheduler.admit()

    def propose(self, rows: Sequence[Row]) -> Step:
        """A tree for each row; only the pending token if there is no room for more."""
        limits = node_limits(rows, self.max_tree, self.cache.slots, self.pace)
        proposed = iter(
            self.proposer.propose(
                [row for row, limit in zip(rows, limits, strict=True) if limit > 1],
                [limit for limit in limits if limit > 1],
            )
        )
        trees = [
            next(proposed) if limit > 1 else TokenTree(row.pending) for row, limit in zip(rows, limits, strict=True)
        ]
        batch = linearise(
            trees,
            [row.length for row in rows],
            [row.rope_delta for row in rows],
            self.cache.slots,
            self.target.steps.padded,
            tuple(row.rules for row in rows) if any(row.rules for row in rows) else (),
            self.flags,
            self.proposer.behind(rows),
        )
        return Step(rows, trees, batch)

    def verify(self, step: Step) -> list[VerifyOutcome]:
        """One forward pass over all trees and the walk through each."""
        answer = self.target.steps.run(step.batch, self.cache)
        first = step.rows[0]
        if first.request.least_margin and first.plainly == first.length:
            self.cache.remember([first.length])
        return [
            traverse(tree, scores, self.rule, row.request.least_margin)
            for row, tree, scores in zip(step.rows, step.trees, answer.scores, strict=True)
        ]

    def accept(self, step: Step, outcomes: Sequence[VerifyOutcome]) -> list[list[int]]:
        """Writes the accepted tokens; returns the accepted nodes of each tree."""
        kept = []
        for row, tree, outcome in zip(step.rows, step.trees, outcomes, strict=True):
            kept.append(row.settle(tree, outcome))
            if not (row.request.plain or outcome.is_near_tie):
                self.proposer.accepted(row, tree, outcome)
        return kept

    def compact(self, step: Step, kept: Sequence[list[int]]) -> None:
        """Moves the keys and values of accepted nodes right behind their row's verified tokens.

        Rejected nodes need no rollback: the next trees overwrite them, recurrent states add accepted nodes only
        (``SlotCache.settle``, before the next step), and rules are computed from the output
        (:meth:`docspec.targets.rules.RowRules.plan`).
        """
        lengths = step.batch.lengths.tolist()
        self.cache.compact(
            [
                (index, [length + node for node in nodes], length + 1)
                for index, (length, nodes) in enumerate(zip(lengths, kept, strict=True))
                if nodes and nodes[-1] != len(nodes)
            ]
        )

    def redecide(self, step: Step, outcomes: Sequence[VerifyOutcome]) -> None:
        """Makes choices that were near ties once more, as plain decoding makes them.

        The tokens whose keys and values were left in the cache by trees are run again, one a step, and the last of
        these steps chooses; recurrent states are first brought back to where they were remembered. So the near ties of
        a page cost at most the steps of plain decoding up to the last one. A choice with a wide margin stands as the
        step with its tree made it.

        Raises ``ValueError`` where the row is not the first of the batch, the only one that such a step takes.
        """
        for index, (row, tree, outcome) in enumerate(zip(step.rows, step.trees, outcomes, strict=True)):
            if not outcome.is_near_tie or row.finish is not None:
                continue
            if index:
                raise ValueError("only the first row of a batch can be decided strictly")
            written = row.output[row.plainly - row.length :]
            self.cache.recall()
            for length, token in enumerate(written, row.plainly):
                alone = PendingToken(token, length + row.rope_delta, length, row.rules, self.flags.margins)
                choice = self.target.steps.advance(alone, self.cache)
            row.plainly = row.length
            row.counts.redecided += 1
            row.counts.replayed += len(written)
            row.decided(choice)
            if not row.request.plain:
                self.proposer.accepted(row, tree, replace(outcome, token=choice.token, is_near_tie=False))
