"""Mixes several proposers: grows one tree per row from their suggestions by expected value, and learns from the
result."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from docspec.engine.acceptance import VerifyOutcome
from docspec.engine.proposer import TreeProposer
from docspec.engine.request import Request
from docspec.engine.row import Row
from docspec.engine.tree import TokenTree
from docspec.proposing.context import Context
from docspec.proposing.drafts import DraftText
from docspec.proposing.grower import Grow, grow
from docspec.proposing.proposer import BatchProposer
from docspec.proposing.row_state import Learnt, RowState
from docspec.proposing.spelling import Codec, Speller
from docspec.proposing.threshold import NodePrice, WritingRate
from docspec.targets.protocol import CHOICES_ONLY

if TYPE_CHECKING:
    import torch

    from docspec.targets.protocol import Behind, ImportanceCallback, Prompt, PromptStates, TargetModel


class MixedProposer(TreeProposer):
    """Proposes for the rows of one batch with ``proposers``, which are asked in the given order.

    ``codec`` is the tokenizer; without it spellings and formats are not understood. ``price`` is the cost of one more
    tree node; ``rate`` holds that behind the rows of the present step. Hit rates are learnt separately for each
    ``kind`` of request. ``target`` is passed on to the proposers if a model runs. ``grow`` makes a tree, or a chain, of
    the suggestions; ``learn`` makes the initial state of a kind. ``wants`` are the step outputs that any proposer
    wants; ``seconds`` is the time spent in each proposer.
    """

    def __init__(
        self,
        proposers: Mapping[str, BatchProposer],
        codec: Codec | None = None,
        price: NodePrice = 0.0,
        target: TargetModel | None = None,
        grow: Grow = grow,
        learn: Callable[[], Learnt] = Learnt,
    ) -> None:
        self.seconds: dict[str, float] = dict.fromkeys(proposers, 0.0)
        self.wants = reduce(or_, (proposer.wants for proposer in proposers.values()), CHOICES_ONLY)
        self._target = target
        self._proposers = dict(proposers)
        self._leading = {name: proposer for name, proposer in proposers.items() if proposer.leads}
        self._others = {name: proposer for name, proposer in proposers.items() if not proposer.leads}
        self._speller = None if codec is None else Speller(codec)
        self._price = price if callable(price) else None
        self.rate = WritingRate(price(0) if callable(price) else price)
        self._grow = grow
        self._learnt: defaultdict[str, Learnt] = defaultdict(learn)
        self._rows: dict[Row, RowState] = {}

    def on_prefill(self, requests: Sequence[Request]) -> ImportanceCallback | None:
        asked = [request for request in requests if not request.plain]
        called = (proposer.on_prefill(asked) for proposer in self._proposers.values())
        callbacks = [one for one in called if one is not None]

        def on_importance(prompt: Prompt, variation: torch.Tensor) -> None:
            for one in callbacks:
                one(prompt, variation)

        return on_importance if callbacks else None

    def begin(self, row: Row, states: PromptStates | None = None, drafts: DraftText | None = None) -> None:
        """Begins a row; ``drafts`` are those of its request if they are indexed already."""
        if row.request.plain:
            return
        context = Context(row.request, self._speller, self._target, states, drafts)
        context.extend(row.output)
        self._rows[row] = RowState(context, self.rate, self._learnt[row.request.kind], row.trail, self._grow)
        self._tell(lambda proposer: proposer.begin(context))
        context.states = None

    def propose(self, rows: Sequence[Row], limits: Sequence[int]) -> list[TokenTree]:
        if self._price is not None and rows:
            self.rate.price = self._price(sum(row.length for row in rows) // len(rows))
        states = [self._rows[row] for row in rows]
        for state, row in zip(states, rows, strict=True):
            self._observe(state, row.output)
            state.begin_tree()
        self._ask(self._leading, states)
        for state, limit in zip(states, limits, strict=True):
            state.suggest_live(limit)
        self._ask(self._others, [state for state in states if not state.is_sure])
        return [state.grow(state.context.output, limit) for state, limit in zip(states, limits, strict=True)]

    def behind(self, rows: Sequence[Row]) -> list[Behind]:
        states = [self._rows.get(row) for row in rows]
        contexts = [None if state is None else state.context for state in states]
        found = (proposer.behind(contexts) for proposer in self._proposers.values())
        return [one for one in found if one is not None]

    def accepted(self, row: Row, tree: TokenTree, outcome: VerifyOutcome) -> None:
        state = self._rows[row]
        if state.is_own(tree):
            state.threshold.note(len(tree), len(outcome.path), tree.expected)
        state.context.verified = tree, outcome
        self._observe(state, row.output)
        state.context.verified = None

    def end(self, row: Row) -> None:
        state = self._rows.pop(row, None)
        if state is not None:
            for proposer in self._proposers.values():
                proposer.end(state.context)

    def _ask(self, proposers: Mapping[str, BatchProposer], states: Sequence[RowState]) -> None:
        """Adds the suggestions of ``proposers`` for ``states`` and counts the seconds of each."""
        if not states or not proposers:
            return
        contexts = [state.context for state in states]
        last = time.perf_counter()
        for name, proposer in proposers.items():
            for state, continuations in zip(states, proposer.suggest(contexts), strict=True):
                state.suggest(continuations, name)
            now = time.perf_counter()
            self.seconds[name] += now - last
            last = now

    def _observe(self, state: RowState, output: Sequence[int]) -> None:
        """Passes the new tokens of ``output`` on to the proposers."""
        written = state.follow(output)
        if written:
            self._tell(lambda proposer: proposer.observe(state.context, written))

    def _tell(self, tell: Callable[[BatchProposer], None]) -> None:
        """Calls ``tell`` with each proposer and counts its seconds."""
        last = time.perf_counter()
        for name, proposer in self._proposers.items():
            tell(proposer)
            now = time.perf_counter()
            self.seconds[name] += now - last
            last = now
