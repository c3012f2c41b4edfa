"""Proposes chains for the requests of an engine that verifies one continuation each: the common part of docspec's
proposers in vLLM and in llama.cpp.

Where a tree holds all likely continuations, a chain takes the likeliest one at each fork. Looking further ahead at
forks (the chain with the most expected tokens among several) brought 0.5 % on eight transcripts and took twice the
time. The other continuations are kept, so that the next step follows them if the output went there.

The engine reports the tokens that were written and the time of its steps, and gets the tokens to verify next. The hit
rates of drafts are learnt over all requests of a kind; no token of one request is shown to another.

The price of a speculated token at the present load is learnt from the steps that were run: a step of ``R`` rows that
verifies ``S`` speculated tokens takes ``a + r R + b S`` seconds. With few rows, weights and launches (``a``) dominate;
in a full batch a row's own share (``r``: its token, its sampling, the engine's bookkeeping) does. So the price is ``b``
over a row's share of a step without drafts, ``(a + r R) / R``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from docspec.engine.acceptance import VerifyOutcome
from docspec.engine.request import NeverStop, Request
from docspec.engine.row import Row
from docspec.engine.tree import TokenTree
from docspec.proposing import draft_openings, format_grammar, lookup, ngrams, respelling, resumption, rewrites  # noqa: F401  (register)
from docspec.proposing.continuation import Continuation
from docspec.proposing.drafts import DraftText
from docspec.proposing.grower import Grown, chance_of
from docspec.proposing.mixture import MixedProposer
from docspec.proposing.proposer import make_named
from docspec.proposing.rates import RUN_CAP, HitRates, Survival
from docspec.proposing.row_state import Learnt
from docspec.proposing.spelling import Codec
from docspec.proposing.threshold import Promises
from docspec.targets.protocol import Prompt

STEP_FADE = 0.98
"""Decay of a step's weight with each later step."""

PRIOR_PRICE = 0.02
"""The prior cost of a row or a speculated token, as a share of a step of one row."""

PRIOR_WEIGHT = 8.0
"""The spread of step sizes (in rows or tokens, squared) at which measurements count for half."""

ENOUGH = 8
"""Steps after which measurements are used."""


class StepCost:
    """A least-squares fit over the steps; recent ones count most."""

    def __init__(self) -> None:
        self._steps = 0
        self._sums = np.zeros((4, 4))
        """Faded sums of the products of 1, rows, speculated tokens and seconds."""
        self._plane: tuple[float, float, float] | None = None

    def note(self, rows: int, speculated: int, seconds: float) -> None:
        """Records that a step of ``rows`` rows and ``speculated`` tokens took ``seconds``."""
        values = np.array((1.0, rows, speculated, seconds))
        self._steps += 1
        self._sums = STEP_FADE * self._sums + np.outer(values, values)
        self._plane = None

    @property
    def plane(self) -> tuple[float, float, float]:
        """``a``, ``r`` and ``b`` in seconds; zeros before the first step."""
        if self._plane is None:
            self._plane = self._fitted() if self._steps else (0.0, 0.0, 0.0)
        return self._plane

    def _fitted(self) -> tuple[float, float, float]:
        weight = self._sums[0, 0]
        rows, speculated, seconds = map(float, self._sums[0, 1:] / weight)
        least = PRIOR_PRICE * seconds / (1.0 + PRIOR_PRICE * max(rows + speculated - 1.0, 0.0))
        row = token = least
        if self._steps >= ENOUGH:
            spread = self._sums[1:, 1:] - np.outer(self._sums[0, 1:], self._sums[0, 1:]) / weight
            (of_rows, both, row_effect), (_, of_tokens, token_effect), _ = spread.tolist()
            of_rows, of_tokens = of_rows + PRIOR_WEIGHT, of_tokens + PRIOR_WEIGHT
            row_effect, token_effect = row_effect + PRIOR_WEIGHT * least, token_effect + PRIOR_WEIGHT * least
            token = (of_rows * token_effect - both * row_effect) / (of_rows * of_tokens - both * both)
            token = min(max(token, 0.0), seconds / max(speculated, 1.0))
            row = min(max(0.0, (row_effect - both * token) / of_rows), (seconds - token * speculated) / rows)
        return max(seconds - row * rows - token * speculated, 0.0), row, token

    def price(self, rows: int) -> float:
        """The price of a speculated token with ``rows`` rows, as a share (0..1) of a row's plain step."""
        share = self.row_seconds(rows)
        return min(self.plane[2] / share, 1.0) if share > 0 else min(1.0, PRIOR_PRICE * rows)

    def row_seconds(self, rows: int) -> float:
        """A row's share of a step without drafts, in seconds: the saving of an accepted token."""
        fixed, row, _ = self.plane
        return fixed / max(rows, 1) + row


PROPOSERS = ("ngrams", "respelling", "resumption", "rewrites", "lookup", "syntax", "openings")
"""The proposers of docspec's default mixture that need only the model's tokens."""

KEPT = 24.0
"""Tokens assumed to be accepted, before any were, for :data:`docspec.proposing.threshold.PRIOR_TOKENS` promised ones.
Drafts are trusted until they have shown how right they are; otherwise they would never be tried in a batch that begins
full, where a token is dear."""

PATIENCE = 8
"""Steps without proposals for a row whose proposals took longer than they saved."""

FADE = 0.9
"""Decay of the running means: of a row's accepted tokens and of the proposing time per step, and of the accepted tokens
of ended requests per request."""

HOPE = 1.0
"""Accepted tokens per step that a request is assumed to have at most before its first step."""


@dataclass(slots=True, eq=False)
class Chained:
    """A request in progress with a budget of ``room`` tokens. ``chain`` is being verified, ``accepted`` is the running
    mean of accepted tokens per step, and nothing is proposed for the next ``alone`` steps."""

    row: Row
    room: int
    chain: TokenTree | None = None
    accepted: float = HOPE
    alone: int = 0


def row_of(drafts: Sequence[Sequence[int]], kind: str, room: int, output: Sequence[int]) -> Row:
    """A request of another engine as a row for proposers."""
    request = Request(Prompt({}, 0), tuple(map(tuple, drafts)), room, kind=kind)
    return Row(request, 0, 0, frozenset(), NeverStop(), list(output))


class Chains:
    """Proposes chains; the engine must report its steps to ``cost``. ``codec`` is the served model's tokenizer."""

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
        """A request with tokenized ``drafts`` that has written ``output`` (at least one token). ``ready`` are the same
        drafts if they are indexed already (while the prompt was read)."""
        row = row_of(drafts, kind, room, output)
        self._mixture.begin(row, drafts=ready)
        return Chained(row, room, accepted=min(HOPE, self._usual.get(_kind_of(row), HOPE)))

    def written(self, chained: Chained, new: Sequence[int]) -> None:
        """Records the tokens ``new`` and with them how much of the proposed chain was accepted."""
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
        """The tokens to verify next for each of ``asked``, a request and the most tokens for it. ``writing`` requests
        take part in the step. ``began`` is the begin of this round by ``time.perf_counter``."""
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
        """The request has ended or was cancelled."""
        kind = _kind_of(chained.row)
        self._usual[kind] = FADE * self._usual.get(kind, HOPE) + (1 - FADE) * chained.accepted
        self._mixture.end(chained.row)

    def _is_left_alone(self, chained: Chained, writing: int) -> bool:
        """Whether proposing for the row recently took longer than its accepted tokens saved."""
        if chained.alone:
            chained.alone -= 1
            return True
        if chained.accepted * self.cost.row_seconds(writing) < self.row_seconds:
            chained.alone = PATIENCE
            chained.accepted = max(chained.accepted, 0.1)
        return False


def _kind_of(row: Row) -> tuple[str, bool]:
    return row.request.kind, bool(row.request.drafts)


def grow_chain(
    pending: int,
    before: int,
    suggested: Sequence[Continuation],
    rates: HitRates,
    survival: Survival,
    limit: int,
    least: float,
) -> tuple[TokenTree, list[Grown]]:
    """The likeliest chain of ``suggested`` continuations: at most ``limit`` nodes including the root ``pending``, each
    reached with a chance of more than ``least``. Arguments and result are those of
    :func:`docspec.proposing.grower.grow`."""
    tokens, expected, reached = [pending], 0.0, 1.0
    grown: list[Grown] = [(0, one) for one in suggested]
    offered: Sequence[Continuation] = suggested
    while offered and len(tokens) < limit:
        one = max(offered, key=lambda each: chance_of(each, rates))
        chance = reached * chance_of(one, rates)
        if chance <= least:
            break
        lead = one.lead[: limit - len(tokens)]
        tokens += lead
        expected += len(lead) * chance
        text, position, run = one.text, one.position, min(one.run, RUN_CAP)
        most = min(survival.worthwhile(chance, run, least) or 1, limit - len(tokens))
        pause = text.pause(position, most)
        length = pause - position
        if length:
            tokens += text.tokens[position:pause]
            reached = survival.later(chance, run, length)
            run = min(run + length, RUN_CAP)
            expected += length * (chance + reached) / 2
        else:
            reached = chance
        if reached <= least or length == most:
            break
        node = len(tokens) - 1
        offered = list(text.following(pause, run, (tokens[-2] if node else before, tokens[-1]), least / reached))
        grown += [(node, each) for each in offered]
    tree = TokenTree(pending)
    tree.extend(0, tokens[1:], limit)
    tree.expected = expected
    return tree, grown
