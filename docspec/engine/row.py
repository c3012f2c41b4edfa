"""One sequence in a row of the batch while it is decoded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from docspec.engine.acceptance import VerifyOutcome
from docspec.engine.request import Finish, Loop, Output, Request, StopRule, Trail
from docspec.engine.tree import TokenTree
from docspec.targets.protocol import Choice, Prefill

if TYPE_CHECKING:
    from docspec.targets.protocol import RowRules, TargetModel


@dataclass(slots=True)
class RowCounts:
    """The counts of one row, filled by :mod:`docspec.engine.measuring`.

    ``entered`` is the time of its first token (``time.perf_counter``). ``forwards`` and seconds are its share of its
    batch's; ``host_seconds`` are the host's for trees, masks and outcomes, ``sources`` those of each proposer.
    ``plain_tokens`` were written one per step because drafts did not pay; ``unverified`` ones were taken as drafted.
    ``margin`` is the smallest of the written choices (infinite if none is known). ``redecided`` choices were made
    again, for which ``replayed`` tokens were run one by one.
    """

    steps: int = 0
    drafted: int = 0
    accepted: int = 0
    plain_tokens: int = 0
    unverified: int = 0
    forwards: float = 0.0
    entered: float = 0.0
    prefill_seconds: float = 0.0
    decode_seconds: float = 0.0
    host_seconds: float = 0.0
    margin: float = math.inf
    redecided: int = 0
    replayed: int = 0
    sources: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Row:
    """The state of one request: ``output`` ends with the pending token, which is not in the cache yet
    (except where a near tie is about to be decided again).

    ``length`` counts the tokens in the cache, those of the prompt included; ``rope_delta`` is what has to be added to
    that for a rotary position. The keys and values of the first ``plainly`` of them are as plain decoding makes them.
    """

    request: Request
    length: int
    rope_delta: int
    eos_ids: frozenset[int]
    stop_rule: StopRule
    output: list[int] = field(default_factory=list)
    finish: Finish | None = None
    loop: Loop | None = None
    counts: RowCounts = field(default_factory=RowCounts)
    rules: RowRules | None = None
    plainly: int = 0
    trail: Trail | None = None

    @classmethod
    def after_prefill(cls, request: Request, prefill: Prefill, target: TargetModel, margin: bool = False) -> Row:
        """A row whose first token is chosen from the prompt's last logits."""
        row = cls(request, prefill.length, prefill.rope_delta, target.eos_ids, request.stop())
        row.plainly = prefill.length
        row.trail = Trail() if request.traced else None
        rules = request.rules or target.rules
        if rules.active:
            prompt = request.prompt.inputs["input_ids"][0].tolist()
            row.rules = rules.begin(prompt, row.output, request.budget)
        row.decided(target.choose(prefill.logits, row.rules, margin))
        return row

    @property
    def pending(self) -> int:
        """The token written last: the root of the next tree."""
        return self.output[-1]

    def decided(self, choice: Choice) -> None:
        """Writes a token that was chosen without a tree."""
        self.note_margins([choice.margin])
        if self.trail is not None:
            self.trail.steps.append((len(self.output), 0))
        self.emit(choice.token)

    def note_margins(self, margins: Sequence[float]) -> None:
        """Records the ``margins`` of choices whose tokens are written."""
        self.counts.margin = min([self.counts.margin, *margins])  # NaN is never less
        if self.trail is not None:
            self.trail.margins.extend(margins)

    def emit(self, token: int) -> bool:
        """Appends ``token`` to the output and sets ``finish`` where the row ends with it. Returns whether it was
        appended: an end-of-sequence token is not."""
        if token in self.eos_ids:
            forced = self.rules is not None and self.rules.ends_here()
            self.finish = "budget" if forced else "eos"
            return False
        self.output.append(token)
        self.loop = self.stop_rule.observe(token)
        if self.loop is not None:
            del self.output[self.loop.keep :]
            self.finish = "loop"
        elif len(self.output) >= self.request.budget:
            self.finish = "budget"
        return True

    def settle(self, tree: TokenTree, outcome: VerifyOutcome) -> list[int]:
        """Writes the accepted tokens of a tree; returns the nodes written, whose keys and values must be kept."""
        kept: list[int] = []
        before = len(self.output)
        for node in outcome.path:
            if self.emit(tree.tokens[node]):
                kept.append(node)
            if self.finish is not None:
                break
        else:
            if not outcome.is_near_tie:
                self.emit(outcome.token)
        self.note_margins(outcome.margins[: len(kept) + (not outcome.is_near_tie)])
        if self.trail is not None:
            self.trail.steps.append((before, len(kept)))
        self.length += 1 + len(kept)
        return kept

    def stop(self) -> None:
        """Ends the row now, unless it has ended."""
        self.finish = self.finish or "stopped"

    @property
    def result(self) -> Output:
        """The output of the row and why it ended."""
        return Output(tuple(self.output), self.finish or "budget", self.loop, self.trail)
