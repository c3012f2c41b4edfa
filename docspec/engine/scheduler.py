"""Moves requests through one batch: waiting, prefilled into a free row, decoded, ended; and bounds the trees of a step
by fixed limits and, within them, those of the planner."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from docspec.engine.proposer import TreeProposer
from docspec.engine.request import Request
from docspec.engine.row import Row

if TYPE_CHECKING:
    from docspec.targets.protocol import SlotCache, TargetModel


MAX_NODES = 256
"""Tree nodes shared by the rows of one step: about where computing takes an accelerator longer than reading weights
(estimated from data sheets, not measured)."""

LEAST_NODES = 8
"""Nodes of a row's tree, however many rows share the step."""


class TreePace(Protocol):
    """Decides whether a tree pays at present, for a row that is alone in its step."""

    def limit(self, row: Row, most: int) -> int:
        """The size of the next tree of ``row``, from 1 (a plain step) to ``most`` nodes."""
        ...

    def shared(self) -> None:
        """Called when the next step has several rows: its time is not that of one."""
        ...

    def drafts_changed(self) -> None:
        """Called when new drafts have arrived since it decided."""
        ...


def node_limits(rows: Sequence[Row], max_tree: int, slots: int, pace: TreePace | None = None) -> list[int]:
    """Nodes for each of the ``rows`` of a step, root included, in a cache of ``slots`` slots a row.

    Many rows share :data:`MAX_NODES`, as all of them are padded to the largest tree. The rest of a row's budget and its
    free slots bound its tree too; the pending token always has room.
    """
    share = min(max_tree, max(LEAST_NODES, max(max_tree, MAX_NODES) // len(rows)))
    limits = []
    if pace is not None and len(rows) > 1:
        pace.shared()
    for row in rows:
        most = 1 if row.request.plain else min(share, row.request.budget - len(row.output) + 1)
        most = max(1, min(most, slots - 1 - row.length))
        limits.append(pace.limit(row, most) if pace is not None and most > 1 and len(rows) == 1 else most)
    return limits


class Scheduler:
    """Holds ``requests``, and those added later, until there is a row for each in ``cache``, in the given order;
    ``rows`` are those that have entered, in that order.

    Live rows are always the first ones of the cache: when one ends, the last one moves into its place.
    """

    def __init__(
        self,
        target: TargetModel,
        cache: SlotCache,
        requests: Sequence[Request],
        proposer: TreeProposer,
        margins: bool = False,
    ) -> None:
        self.cache = cache
        self.rows: list[Row] = []
        self._target = target
        self._waiting = deque(requests)
        self._proposer = proposer
        self._margins = margins
        self._live: list[Row] = []

    def add(self, request: Request) -> None:
        """``request`` enters when a row is free and those before it have entered."""
        self._waiting.append(request)

    def admit(self) -> list[Row]:
        """The rows of the next step: live rows, and new ones if there is room."""
        self._close_gaps()
        while (free := self.cache.rows - len(self._live)) and self._waiting:
            self._enter(free)
            self._close_gaps()  # a new row may have ended with its first token
        return list(self._live)

    def take_ended(self) -> list[Row]:
        """The rows that have ended; they are forgotten."""
        ended = [row for row in self.rows if row.finish is not None]
        self.rows = [row for row in self.rows if row.finish is None]
        return ended

    def _enter(self, count: int) -> None:
        """Prefills as many waiting requests as there are free rows."""
        entering = [self._waiting.popleft() for _ in range(min(count, len(self._waiting)))]
        first = len(self._live)
        own = range(first, first + len(entering))
        states = self._proposer.wants.hidden and not all(request.plain for request in entering)
        on_importance = self._proposer.on_prefill(entering)
        prompts = [request.prompt for request in entering]
        filled = self._target.prefill(prompts, self.cache, own, states, on_importance)
        for request, prefill in zip(entering, filled, strict=True):
            row = Row.after_prefill(request, prefill, self._target, self._margins)
            self._proposer.begin(row, prefill.states)
            self._live.append(row)
            self.rows.append(row)

    def _close_gaps(self) -> None:
        """Drops ended rows, moving the last live row into each gap."""
        live, index = self._live, 0
        while index < len(live):
            if live[index].finish is None:
                index += 1
                continue
            self._proposer.end(live[index])
            last = live.pop()
            if index == len(live):
                continue
            if last.finish is None:
                self.cache.move_row(len(live), index, last.length)
            live[index] = last
