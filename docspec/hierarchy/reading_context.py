"""What pages are read with: the model's card and dialect, the options, and the engine."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from docspec.core import ParseOptions
from docspec.core.observer import Observer
from docspec.dialects import Dialect
from docspec.generation.interface import Generator, Progress
from docspec.targets.family import Sight
from docspec.targets.model_profile import ModelProfile

if TYPE_CHECKING:
    from docspec.generation.local import Engine
    from docspec.hierarchy.planner import Planner
    from docspec.proposing.spelling import Codec

LEAST_SECONDS = 0.1
"""Least time between two calls of the observer."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadingContext:
    """The context that pages are read with. ``max_length`` is the most tokens of prompt and answer together.
    ``planner`` knows what steps, crops and drafts cost, if they were measured. ``template_arguments`` and
    ``image_marks`` are what the model's chat template needs in another process. ``codec`` turns texts into tokens, if
    the engine returns those; ``pages_at_once`` are read side by side."""

    card: ModelProfile
    dialect: Dialect
    options: ParseOptions
    observer: Observer
    sight: Sight
    max_length: int
    generator: Generator
    planner: Planner | None = None
    template_arguments: Mapping[str, Any] = field(default_factory=dict)
    image_marks: str = ""
    codec: Codec | None = None
    pages_at_once: int = 1

    @property
    def follows_fields(self) -> bool:
        """Whether the engine follows every field of a request, as that of this package does."""
        return bool(getattr(self.generator, "follows_fields", False))

    @property
    def tokens(self) -> Codec:
        """Texts as tokens. Raises ``TypeError`` if the engine returns none."""
        if self.codec is None:
            raise TypeError("the engine returns no tokens")
        return self.codec

    @property
    def engine(self) -> Engine:
        """The engine in this process. Raises ``TypeError`` if it is in another one."""
        from docspec.generation.local import Engine

        if not isinstance(self.generator, Engine):
            raise TypeError("the engine is in another process")
        return self.generator

    def progress(self, number: int, stage: str) -> Watch:
        """What tells the observer how far ``stage`` is for page ``number``, from its first step on."""
        return Watch(self.observer, number, stage)


class Watch:
    """Tells ``observer`` when ``stage`` begins for a page, and now and then how far its answers are."""

    def __init__(self, observer: Observer, number: int, stage: str) -> None:
        self._observer, self._number, self._stage = observer, number, stage
        self._known: dict[int, Progress] = {}
        self._last = 0.0

    def __call__(self, request: int, progress: Progress) -> None:
        if not self._known:
            self._observer.stage(self._number, self._stage)
        self._known[request] = progress
        now = time.perf_counter()
        if now - self._last < LEAST_SECONDS:
            return
        self._last, known = now, self._known.values()
        steps, accepted = sum(one.steps for one in known), sum(one.accepted for one in known)
        tokens = sum(one.tokens for one in known)
        self._observer.decoding(self._number, self._stage, tokens, (accepted + steps) / max(1, steps))
