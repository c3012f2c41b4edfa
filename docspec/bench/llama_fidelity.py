"""How often drafts change what llama.cpp writes: every request is asked twice, without drafts and with them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from docspec.core import ParseOptions
from docspec.generation.interface import Generation, GenerationRequest, Generator, OnText


@dataclass(frozen=True, slots=True)
class Compared:
    """``requests`` that were answered both ways, those that were answered with the ``same`` tokens, the ``tokens`` of
    the answers without drafts, and both texts of the first answers that ``differ``; ``way``: how they were decoded."""

    way: str
    engine: str
    requests: int
    same: int
    tokens: int
    differ: tuple[tuple[str, str], ...]


class Twice:
    """A :class:`docspec.generation.interface.Generator` that answers without drafts and asks again with them."""

    def __init__(self, generator: Generator, way: str) -> None:
        self._generator, self._way = generator, way
        self._pairs: list[tuple[Future[Generation], Future[Generation]]] = []
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._generator.name

    def submit(self, request: GenerationRequest, on_text: OnText | None = None) -> Future[Generation]:
        plain = self._generator.submit(replace(request, drafts=()), on_text)
        drafted = self._generator.submit(request)
        plain.add_done_callback(lambda done: drafted.cancel() if done.cancelled() else None)
        with self._lock:
            self._pairs.append((plain, drafted))
        return plain

    def close(self) -> None:
        self._generator.close()

    def compared(self, shown: int = 5) -> Compared:
        """The results of all requests, once those with drafts are done. Cancelled requests do not count."""
        both = [(one.result(), other.result()) for one, other in self._pairs if not one.cancelled()]
        differing = [(one.text, other.text) for one, other in both if one.token_ids != other.token_ids]
        tokens = sum(one.counts.tokens for one, _ in both)
        return Compared(self._way, self.name, len(both), len(both) - len(differing), tokens, tuple(differing[:shown]))


WAYS: dict[str, dict[str, bool]] = {
    "keys and values in float32": {"exact_kv": True},
    "keys and values in 16 bits": {"exact_kv": False},
    "flash attention, float32": {"exact_kv": True, "flash": True},
    "flash attention, 16 bits": {"exact_kv": False, "flash": True},
}
"""Types of keys and values, and kinds of attention, that a file can be decoded with."""


def compare(sources: Sequence[Any], options: ParseOptions, way: str = "as it is", **more: bool) -> Compared:
    """Reads the pages of ``sources`` with ``options``, asking everything twice; ``more`` goes to
    :func:`docspec.generation.llama.opening.open_llama`. Raises :class:`docspec.core.DocspecError`."""
    from docspec import Parser
    from docspec.generation.choice import open_llama_engine

    with Parser(options) as parser:
        opened = open_llama_engine(options, lambda line: None, **more)
        twice = Twice(opened.generator, way)
        parser._verifier.engine = replace(opened, generator=twice)
        for source in sources:
            parser.parse(source)
        return twice.compared()
