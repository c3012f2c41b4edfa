"""The limits of the tree sizes in a step: fixed bounds, and within them those of the planner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from docspec.engine.row import Row

MAX_NODES = 256
"""Tree nodes shared by the rows of one step: about where computing takes an accelerator longer than reading weights
(estimated from data sheets, not measured)."""

LEAST_NODES = 8
"""Nodes of a row's tree, however many rows share the step."""


class Pace(Protocol):
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


def node_limits(rows: Sequence[Row], max_tree: int, slots: int, pace: Pace | None = None) -> list[int]:
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
