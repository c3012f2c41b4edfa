"""The contract of a source: what it is told, and what it answers. How to add one:

    @source("echo")
    class Echo(Source):
        def suggest(self):
            return [Continuation(Copy(self.context.output), key=ECHO)]

Import it where :mod:`docspec.proposing` is used, and name it: ``--align echo``, ``--align cursor+echo``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation


class BatchSource(Protocol):
    """Suggests continuations for the rows of a batch; may work for all rows of a step at once.

    One that ``leads`` is asked first, and where it states what comes (without a key) nobody else is.
    """

    leads: bool

    def begin(self, context: Context) -> None:
        """A row enters."""
        ...

    def observe(self, context: Context, written: Sequence[int]) -> None:
        """``written`` is what the row's output has grown by."""
        ...

    def suggest(self, contexts: Sequence[Context]) -> Sequence[Iterable[Continuation]]:
        """Continuations for each row of a step, the likeliest kinds first."""
        ...

    def end(self, context: Context) -> None:
        """A row has left."""
        ...


class Source:
    """A source that knows one row; it is made anew for each."""

    leads = False

    def __init__(self, context: Context) -> None:
        self.context = context

    def observe(self, written: Sequence[int]) -> None:
        """``written`` is what the output has grown by; the context holds it already."""

    def suggest(self) -> Iterable[Continuation]:
        """Continuations of the output, the likeliest kinds first."""
        return ()


class PerRow:
    """Sources that know one row, as one of a batch."""

    def __init__(self, make: type[Source]) -> None:
        self.leads = make.leads
        self._make = make
        self._rows: dict[Context, Source] = {}

    def begin(self, context: Context) -> None:
        self._rows[context] = self._make(context)

    def observe(self, context: Context, written: Sequence[int]) -> None:
        self._rows[context].observe(written)

    def suggest(self, contexts: Sequence[Context]) -> list[Iterable[Continuation]]:
        return [self._rows[context].suggest() for context in contexts]

    def end(self, context: Context) -> None:
        del self._rows[context]


sources: dict[str, Callable[[], BatchSource]] = {}
"""What makes each source for a batch, by name."""

Made = TypeVar("Made", bound=type[Source])


def source(name: str) -> Callable[[Made], Made]:
    """Registers a class of :class:`Source` as ``name``."""

    def register(made: Made) -> Made:
        sources[name] = lambda: PerRow(made)
        return made

    return register
