"""The contract of everything that proposes: trees in, outcomes back. The engine never asks where a tree comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from docspec.engine.acceptance import Outcome
from docspec.engine.row import Row
from docspec.engine.tree import TokenTree


class Proposer(Protocol):
    """Suggests what the rows of one batch may write next; keeps what it knows of each row by the row's identity.

    A row tells all that there is to know: its request (prompt, drafts, drafts that grow) and its output so far, which
    goes on between two proposals by whatever was accepted and by steps for which nobody was asked.
    """

    def begin(self, row: Row) -> None:
        """``row`` enters the batch, its first token written."""
        ...

    def propose(self, rows: Sequence[Row], limits: Sequence[int]) -> list[TokenTree]:
        """A tree for each of ``rows`` (those of the batch that may have one in this step): its root is the pending
        token, and it has at most ``limits[i]`` nodes, root included (two or more)."""
        ...

    def accepted(self, row: Row, tree: TokenTree, outcome: Outcome) -> None:
        """What became of the tree that was proposed for ``row``; its output has been written already."""
        ...

    def end(self, row: Row) -> None:
        """``row`` has left the batch."""
        ...


class NoProposals:
    """Suggests nothing: every step writes one token (plain autoregression through the same verifier)."""

    def begin(self, row: Row) -> None:
        return None

    def propose(self, rows: Sequence[Row], limits: Sequence[int]) -> list[TokenTree]:
        return [TokenTree(row.pending) for row in rows]

    def accepted(self, row: Row, tree: TokenTree, outcome: Outcome) -> None:
        return None

    def end(self, row: Row) -> None:
        return None
