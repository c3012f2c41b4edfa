"""The target in another process, and the reader of pages with it: the counterpart of :mod:`docspec.verifier`."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from docspec.core import PageResult, ParseOptions, UsageError
from docspec.core.observer import NullObserver, Observer
from docspec.drafting.drafted_page import DraftedPage
from docspec.offline import is_here
from docspec.page_stream import PagesVerifier
from docspec.verifier import spoken

if TYPE_CHECKING:
    from docspec.dialects import Dialect
    from docspec.generation.choice import OpenedEngine
    from docspec.hierarchy.page import PageReader
    from docspec.targets.model_profile import ModelProfile
    from docspec.targets.remote_model import RemoteModel

MAX_LENGTH = 32_768
"""Tokens of a model's context if its server does not tell."""


@dataclass(frozen=True, slots=True)
class RemoteInfo:
    """A report's data on a target in another process: the engine, and the engine's name of the model."""

    name: str
    engine: str
    model_type: str
    dialect: str
    max_length: int
    random: bool
    note: str

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks for users on this target."""
        return (f"model: {self.name} ({self.model_type}), {self.engine}" + (f" ({self.note})" if self.note else ""),)


class RemoteVerifier(PagesVerifier):
    """Verifies pages with the engine that ``options`` name, opened at first use. Any number of threads may have pages
    read at once. Raises :class:`docspec.core.ModelError` if the engine cannot be started or reached, or no longer
    answers."""

    def __init__(self, options: ParseOptions, observer: Observer) -> None:
        check_offline(options)
        super().__init__(options, observer, 1, threads=options.in_flight)
        self._opening = threading.RLock()

    @property
    def is_loaded(self) -> bool:
        return "engine" in self.__dict__

    def open(self) -> None:
        """Opens the engine, once."""
        with self._opening:
            if not self.is_loaded:
                started = time.perf_counter()
                self.pages  # noqa: B018 - opens it
                self.load_seconds = time.perf_counter() - started
                for remark in self.info.remarks:
                    self._observer.note(remark)

    def verify(self, prepared: Sequence[DraftedPage]) -> list[PageResult]:
        self.open()
        return self.pages.verify_all([page.settled() for page in prepared])

    @cached_property
    def engine(self) -> OpenedEngine:
        from docspec.generation.choice import open_engine

        return open_engine(self._options, self._observer.note)

    @cached_property
    def profile(self) -> RemoteModel:
        from docspec.targets.remote_model import remote_model_of

        return self.engine.profile or remote_model_of(self._options, *self.engine.names)

    @property
    def card(self) -> ModelProfile:
        return self.profile.card

    @property
    def info(self) -> RemoteInfo:
        self.open()
        profile, engine = self.profile, self.engine
        return RemoteInfo(
            name=engine.names[0],
            engine=engine.generator.name,
            model_type=profile.model_type,
            dialect=profile.card.dialect,
            max_length=engine.max_length or MAX_LENGTH,
            random=profile.card.random,
            note=profile.card.note,
        )

    @cached_property
    def dialect(self) -> Dialect:
        return spoken(self.card, self.profile.sight.pixel_limits)

    @cached_property
    def pages(self) -> PageReader:
        """The reader of pages."""
        from docspec.hierarchy.page import PageReader
        from docspec.hierarchy.reading_context import ReadingContext

        engine, family = self.engine, self.profile.family
        return PageReader(
            ReadingContext(
                card=self.card,
                dialect=self.dialect,
                options=self._options,
                observer=NullObserver(),  # pages are read in many threads; the run is told of finished ones
                sight=self.profile.sight,
                max_length=engine.max_length or MAX_LENGTH,
                generator=engine.generator,
                template_arguments={} if family is None else family.template_arguments,
                image_marks="" if family is None else family.image_marks,
            )
        )

    def report(self) -> Any:
        """The engine's report on its work; ``None`` before its first use."""
        return self.engine.report() if self.is_loaded else None

    def close(self) -> None:
        with self._opening:
            if self.is_loaded:
                self.engine.generator.close()
                del self.engine


def check_offline(options: ParseOptions) -> None:
    """Raises :class:`docspec.core.UsageError` if a server on another machine is named with ``offline``."""
    from docspec.generation.server.addresses import base_of

    for url in options.server if options.offline else ():
        if not is_here(urlsplit(base_of(url)).hostname or ""):
            raise UsageError(f"--offline and --server {base_of(url)}: choose one of them")


def card_of_served(options: ParseOptions) -> ModelProfile:
    """The card of the model of another process, by the server's answer; no engine is started."""
    from docspec.generation.choice import open_engine
    from docspec.targets.remote_model import remote_model_of

    if options.reads_with == "llama":
        from docspec.generation.llama.model_files import find_files
        from docspec.generation.llama.opening import gguf_of

        return find_files(gguf_of(options.model), options.mmproj).profile(options).card
    if options.reads_with != "server":
        return remote_model_of(options, options.model).card
    opened = open_engine(options, lambda line: None)
    opened.generator.close()
    return remote_model_of(options, *opened.names).card
