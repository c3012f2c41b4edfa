"""Chains for the requests of an engine that verifies one continuation each: what docspec's proposers in vLLM and in
llama.cpp have in common.

The engine says what was written and how long its steps take, and is told what to verify next. How right drafts of one
kind are is learnt over all requests; no token of one is shown to another.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from docspec.engine.acceptance import VerifyOutcome
from docspec.engine.request import Request
from docspec.engine.row import Row
from docspec.engine.stopping import NeverStop
from docspec.engine.tree import TokenTree
from docspec.proposing import draft_openings, lookup, ngrams, respelling, resumption, rewrites, syntax  # noqa: F401  (register)
from docspec.proposing.chain import grow_chain
from docspec.proposing.drafts import DraftText
from docspec.proposing.mixture import MixedProposer
from docspec.proposing.proposer import make_named
from docspec.proposing.row_state import Learnt
from docspec.proposing.spelling import Codec
from docspec.proposing.step_cost import StepCost
from docspec.proposing.threshold import Promises
from docspec.targets.protocol import Prompt

PROPOSERS = ("ngrams", "respelling", "resumption", "rewrites", "lookup", "syntax", "heads")
"""Those of docspec's cursor that need nothing of the model but its tokens."""

KEPT = 24.0
"""Tokens that are taken to have been accepted, before any were, where :data:`docspec.proposing.threshold.PRIOR_TOKENS`
were promised: drafts are trusted until they have shown how right they are, else they would never be tried in a batch
that begins full, where a token is dear."""

PATIENCE = 8
"""Steps that a row is left alone for where proposing took longer than it saved."""

FADE = 0.9
"""What remains of a row's accepted tokens a step, and of the seconds of proposing, with every further one; and of what
ended requests accepted, with every further request."""

HOPE = 1.0
"""Tokens a step that a request is taken to accept at most before its first step."""


@dataclass(slots=True, eq=False)
class Chained:
    """A request while it is decoded, of ``room`` tokens. ``chain`` is being verified, ``accepted`` the mean number of
    drafted tokens accepted a step lately; nothing is proposed for the next ``alone`` steps."""

    row: Row
    room: int
    chain: TokenTree | None = None
    accepted: float = HOPE
    alone: int = 0


def row_of(drafts: Sequence[Sequence[int]], kind: str, room: int, output: Sequence[int]) -> Row:
    """A request of another engine as a row that proposers know."""
    request = Request(Prompt({}, 0), tuple(map(tuple, drafts)), room, kind=kind)
    return Row(request, 0, 0, frozenset(), NeverStop(), list(output))


class Chains:
    """``cost`` is to be told of steps; ``codec`` is the served model's tokenizer."""

    def __init__(self, codec: Codec) -> None:
        proposers = {name: make_named(name, None) for name in PROPOSERS}
        self._mixture = MixedProposer(proposers, codec, grow=grow_chain, learn=lambda: Learnt(promises=Promises(KEPT)))
        self._usual: dict[tuple[str, bool], float] = {}
        """By the kind of a request and whether it has drafts: what such requests accepted a step at their ends."""
        self.row_seconds = 0.0
        self.cost = StepCost()

    def begin(
        self,
        drafts: Sequence[Sequence[int]],
        kind: str,
        room: int,
        output: Sequence[int],
        ready: DraftText | None = None,
    ) -> Chained:
        """A request with ``drafts`` in tokens, which has written ``output``: a token at least. ``ready`` are the same
        drafts where they were indexed before (while the prompt was read)."""
        row = row_of(drafts, kind, room, output)
        self._mixture.begin(row, drafts=ready)
        return Chained(row, room, accepted=min(HOPE, self._usual.get(_kind_of(row), HOPE)))

    def written(self, chained: Chained, new: Sequence[int]) -> None:
        """Takes in that ``new`` was written, and by that what became of the chain that was proposed."""
        output = chained.row.output
        output += new
        chain = chained.chain
        if chain is None:
            return
        right = 0
        for token, proposed in zip(new, chain.tokens[1:], strict=False):
            if token != proposed:
                break
            right += 1
        chained.accepted = FADE * chained.accepted + (1 - FADE) * right
        self._mixture.accepted(chained.row, chain, VerifyOutcome(tuple(range(1, right + 1)), output[-1]))

    def propose(
        self, asked: Sequence[tuple[Chained, int]], writing: int, began: float | None = None
    ) -> list[list[int]]:
        """What to verify next for each of the ``asked`` requests, of at most so many tokens, where ``writing`` requests
        take part in a step. ``began``: when this round began, by ``time.perf_counter``."""
        began = time.perf_counter() if began is None else began
        self._mixture.rate.price = self.cost.price(writing)
        answers: list[list[int]] = [[] for _ in asked]
        served = []
        for index, (chained, room) in enumerate(asked):
            room = min(room, chained.room - len(chained.row.output) - 1)
            chained.chain = None
            if room > 0 and not self._is_left_alone(chained, writing):
                served.append((index, chained, room))
        if not served:
            return answers
        trees = self._mixture.propose([one.row for _, one, _ in served], [room + 1 for *_, room in served])
        for (index, chained, _), tree in zip(served, trees, strict=True):
            answers[index] = tree.tokens[1:]
            chained.chain = tree
        taken = (time.perf_counter() - began) / len(served)
        self.row_seconds = FADE * self.row_seconds + (1 - FADE) * taken if self.row_seconds else taken
        return answers

    def end(self, chained: Chained) -> None:
        """The request is done or given up."""
        kind = _kind_of(chained.row)
        self._usual[kind] = FADE * self._usual.get(kind, HOPE) + (1 - FADE) * chained.accepted
        self._mixture.end(chained.row)

    def _is_left_alone(self, chained: Chained, writing: int) -> bool:
        """Whether proposing for the row took longer lately than the tokens that were accepted saved."""
        if chained.alone:
            chained.alone -= 1
            return True
        if chained.accepted * self.cost.row_seconds(writing) < self.row_seconds:
            chained.alone = PATIENCE
            chained.accepted = max(chained.accepted, 0.1)
        return False


def _kind_of(row: Row) -> tuple[str, bool]:
    return row.request.kind, bool(row.request.drafts)
