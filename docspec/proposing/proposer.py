"""The contract of a proposer: what it is told, and what it answers. How to add one:

    @proposer("echo")
    class Echo(RowProposer):
        def suggest(self):
            return [Continuation(Copy(self.context.output), key=ECHO)]

Import it in :mod:`docspec.proposing.registry` (a plug-in: entry point ``docspec.proposers``), and name it:
``--proposer echo``, ``--proposer cursor+echo``.

A proposer that works for all rows of a step at once, as a model does, is a class like :class:`BatchProposer`. What
makes it stands in :data:`proposers` under its name; where it is made of something that is named too (``model:NAME``),
it is registered with :func:`register_kind`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from docspec.core import ModelError
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation
from docspec.targets.protocol import CHOICES_ONLY, OutputFlags

if TYPE_CHECKING:
    from docspec.engine.request import Request
    from docspec.targets.protocol import Behind, ImportanceCallback, TargetModel


class BatchProposer:
    """Suggests continuations for the rows of a batch; may work on all rows of a step at once.

    A proposer that ``leads`` is asked first; its suggestions without a key count as stated, and if these are likely
    enough no other proposer is asked. ``wants`` are the outputs that it needs of each step: ``hidden`` states
    arrive with ``context.verified``. All time spent in its methods is charged to it, so it must wait itself for work
    that it starts on an accelerator.
    """

    leads = False
    wants = CHOICES_ONLY

    def on_prefill(self, requests: Sequence[Request]) -> ImportanceCallback | None:
        """Rows of ``requests`` will begin. The callback that is returned receives the importance of their image tokens
        to the target."""
        return None

    def begin(self, context: Context) -> None:
        """A row enters. ``context`` has its prompt, drafts, first token and target and, with ``wants.hidden``, the
        prompt's states."""

    def observe(self, context: Context, written: Sequence[int]) -> None:
        """``written`` are the row's new tokens. After every step ``context.verified`` is its tree with the outcome,
        including the states if they are wanted."""

    def suggest(self, contexts: Sequence[Context]) -> Iterable[Iterable[Continuation]]:
        """Continuations for each row of a step, the likeliest kinds first."""
        raise NotImplementedError

    def behind(self, contexts: Sequence[Context | None]) -> Behind | None:
        """The work to launch on the device right after the trees of these rows are verified (``None``: a row without
        proposals)."""
        return None

    def end(self, context: Context) -> None:
        """A row has left."""


class RowProposer:
    """A proposer for one row; a new one is made for each row."""

    leads = False

    @classmethod
    def wants(cls, target: TargetModel | None) -> OutputFlags:
        """See :class:`BatchProposer`; ``target`` is ``None`` where no model runs."""
        return CHOICES_ONLY

    def __init__(self, context: Context) -> None:
        self.context = context

    def observe(self, written: Sequence[int]) -> None:
        """``written`` are the new tokens of the output; the context has them already."""

    def suggest(self) -> Iterable[Continuation]:
        """Continuations of the output, the likeliest kinds first."""
        return ()


class RowProposers(BatchProposer):
    """Makes a :class:`RowProposer` for each row."""

    def __init__(self, make: type[RowProposer], target: TargetModel | None = None) -> None:
        self.leads = make.leads
        self.wants = make.wants(target)
        self._make = make
        self._rows: dict[Context, RowProposer] = {}

    def begin(self, context: Context) -> None:
        self._rows[context] = self._make(context)

    def observe(self, context: Context, written: Sequence[int]) -> None:
        self._rows[context].observe(written)

    def suggest(self, contexts: Sequence[Context]) -> list[Iterable[Continuation]]:
        return [self._rows[context].suggest() for context in contexts]

    def end(self, context: Context) -> None:
        del self._rows[context]


proposers: dict[str, Callable[[TargetModel | None], BatchProposer]] = {}
"""The factories of proposers for a batch of a target (``None`` where no model runs), by name."""

openers: dict[str, Callable[[str, TargetModel | None], BatchProposer]] = {}
"""The factories of proposers named ``KIND:WHAT`` (``model:NAME``), by kind."""

_loaded: dict[str, WeakKeyDictionary[TargetModel, dict[str, Any]]] = {}
"""What is loaded for them, by kind, target and ``WHAT``."""

RowClass = TypeVar("RowClass", bound=type[RowProposer])
Loaded = TypeVar("Loaded")


def register_kind(
    kind: str, load: Callable[[str, TargetModel], Loaded], make: Callable[[Loaded, TargetModel], BatchProposer]
) -> None:
    """Registers the proposers named ``KIND:WHAT``. ``load`` loads a draft model or a head once for each target and for
    as long as the target lives; ``make`` makes a proposer of it for a batch. Where what is loaded has a method
    ``measured``, ``docspec bench speed`` prints the figures that it returns, by name.

    ``load`` raises :class:`docspec.core.ModelError` where it cannot be loaded or does not fit the target.
    """
    held: WeakKeyDictionary[TargetModel, dict[str, Loaded]] = WeakKeyDictionary()

    def open_proposer(what: str, target: TargetModel | None) -> BatchProposer:
        if target is None:
            raise ModelError(f"{kind}:{what} drafts for a model, and none runs here")
        known = held.setdefault(target, {})
        if what not in known:
            known[what] = load(what, target)
        return make(known[what], target)

    openers[kind], _loaded[kind] = open_proposer, held


def measured(name: str, target: TargetModel) -> dict[str, float] | None:
    """The figures that what is behind ``KIND:WHAT`` has measured with ``target``; ``None`` where it is not loaded or
    measures nothing."""
    kind, _, what = name.partition(":")
    held = _loaded[kind].get(target, {}) if kind in _loaded else {}
    told = getattr(held.get(what), "measured", None)
    return None if told is None else told()


def make_named(name: str, target: TargetModel | None) -> BatchProposer:
    """The proposer of that name for a batch of ``target``."""
    if name in proposers:
        return proposers[name](target)
    kind, _, what = name.partition(":")
    return openers[kind](what, target)


def proposer(name: str) -> Callable[[RowClass], RowClass]:
    """Registers a class of :class:`RowProposer` as ``name``."""

    def register(made: RowClass) -> RowClass:
        proposers[name] = partial(RowProposers, made)
        return made

    return register
