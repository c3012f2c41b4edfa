"""What pages are read with: the model's card and dialect, the options, and for the engine here its target."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from docspec.core import ParseOptions
from docspec.core.observer import Observer
from docspec.dialects import Dialect
from docspec.engine.decoder import Decoder
from docspec.engine.loop import OnStep
from docspec.engine.row import Row
from docspec.engine.stopping import NeverStop, StopRule
from docspec.hierarchy.decoding import make_engine
from docspec.hierarchy.loop_guard import LoopGuard
from docspec.hierarchy.page_state import PageState
from docspec.hierarchy.planner import Planner
from docspec.targets.model_profile import ModelProfile
from docspec.targets.registry import LoadedTarget
from docspec.targets.sight import Sight

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel


LEAST_SECONDS = 0.1
"""Least time between two calls of the observer."""


FRUGAL_TREE = 8
"""Tokens of a tree when memory is short."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadingContext:
    """The context that pages are read with, whatever the engine. ``max_length`` is the most tokens of prompt and answer
    together."""

    card: ModelProfile
    dialect: Dialect
    options: ParseOptions
    observer: Observer
    sight: Sight
    max_length: int

    def progress(self, states: Sequence[PageState], stage: str) -> OnStep:
        """Tells the observer that ``stage`` begins for ``states``. The callback that is returned tells it how far the
        rows are, as the progress of the first page."""
        for state in states:
            self.observer.stage(state.number, stage)
        last = 0.0

        def on_step(rows: Sequence[Row]) -> None:
            nonlocal last
            now = time.perf_counter()
            if now - last < LEAST_SECONDS:
                return
            last = now
            steps = sum(row.counts.steps for row in rows)
            accepted = sum(row.counts.accepted for row in rows)
            tokens = sum(len(row.output) for row in rows)
            self.observer.decoding(states[0].number, stage, tokens, (accepted + steps) / max(1, steps))

        return on_step


@dataclass(frozen=True, slots=True, eq=False)
class LocalContext(ReadingContext):
    """The context for the engine in this process.

    ``stop`` makes the rule that cuts an output short. Choices with a margin below ``least_margin`` (in logits) are made
    again. ``frugal``: crops are read one at a time.
    """

    target: TargetModel
    planner: Planner
    engine: Decoder
    stop: Callable[[], StopRule]
    least_margin: float = 0.0
    frugal: bool = False

    @classmethod
    def of(
        cls, loaded: LoadedTarget, dialect: Dialect, options: ParseOptions, observer: Observer, planner: Planner
    ) -> LocalContext:
        """A context with an engine that uses the planner's measurements."""
        target = loaded.target
        keeps = options.on_loop == "keep"
        stop: Callable[[], StopRule] = NeverStop if keeps else partial(LoopGuard, target.detokenize)
        engine = make_engine(target, options, planner)
        least_margin = 0.0
        if options.exact == "strict":
            from docspec.targets.noise import shape_noise

            least_margin = shape_noise(target)
            observer.note(f"strict: choices closer than {least_margin:.2g} to the next are made again")
        return cls(
            card=loaded.card,
            dialect=dialect,
            options=options,
            observer=observer,
            sight=target.sight,
            max_length=target.max_length,
            target=target,
            planner=planner,
            engine=engine,
            stop=stop,
            least_margin=least_margin,
        )

    def with_less(self) -> LocalContext:
        """The context that needs the least memory for the same output."""
        options = replace(
            self.options,
            max_tree=min(FRUGAL_TREE, self.options.max_tree),
            stages="none" if self.options.stages == "none" else "page",
            pages_in_flight=1,
        )
        engine = make_engine(self.target, options, self.planner)
        return replace(self, options=options, engine=engine, frugal=True)

    def tokenized(self, texts: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        """The target's tokens of each text."""
        return tuple(tuple(self.target.tokenize(text)) for text in texts)
