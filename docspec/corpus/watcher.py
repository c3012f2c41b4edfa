"""The observer of a run: a parser's observer that is told of documents too."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol

from docspec.core.observer import Observer
from docspec.corpus.job import JobResult
from docspec.corpus.tally import Tally


class Watcher(Observer, Protocol):
    """Watches a run between ``__enter__`` and ``__exit__``."""

    def run_started(self, tally: Tally) -> None:
        """``tally`` is kept up to date from now on."""
        ...

    def input_started(self, name: str, index: int, count: int) -> None:
        """The ``index``-th (1-based) of ``count`` inputs is being opened."""
        ...

    def loading(self, from_hub: bool) -> None:
        """The model is being loaded, which may take a while; ``from_hub``: it may have to be fetched first."""
        ...

    def document_done(self, outcome: JobResult) -> None:
        """The result of a document, and the messages about it (``complaints``)."""
        ...

    def __enter__(self) -> Watcher: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
