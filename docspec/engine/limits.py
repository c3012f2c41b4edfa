"""How many nodes a row's tree may have in a step: fixed bounds, and within them what the planner allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from docspec.engine.row import Row

MAX_NODES = 256
"""Tree nodes that the rows of one step share: about where an accelerator begins to compute longer than it reads weights
(reckoned from data sheets, not measured)."""

LEAST_NODES = 8
"""Nodes that a row may use however many rows share the step."""


class Pace(Protocol):
    """Decides whether a tree pays now."""

    def limit(self, row: Row, most: int) -> int:
        """How many of ``most`` nodes, one or more, the next tree of ``row`` may have; 1 is a plain step."""
        ...

    def drafts_changed(self) -> None:
        """Told when drafts have come that were not there when it judged whether trees pay."""
        ...


def node_limits(rows: Sequence[Row], max_tree: int, slots: int, pace: Pace | None = None) -> list[int]:
    """Nodes for each of the ``rows`` of a step, root included, in a cache of ``slots`` slots a row.

    Many rows share :data:`MAX_NODES`, as all of them are padded to the largest tree. The rest of a row's budget and its
    free slots bound its tree too; the pending token always has room.
    """
    share = min(max_tree, max(LEAST_NODES, max(max_tree, MAX_NODES) // len(rows)))
    limits = []
    for row in rows:
        most = 1 if row.request.plain else min(share, row.request.budget - len(row.output) + 1)
        most = max(1, min(most, slots - 1 - row.length))
        limits.append(pace.limit(row, most) if pace is not None and most > 1 else most)
    return limits
