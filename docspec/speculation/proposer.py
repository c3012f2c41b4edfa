"""Proposers: who suggests the next tokens. The verifier never asks where a suggestion comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from docspec.speculation.acceptance import Outcome
from docspec.speculation.alignment import Draft, WindowAligner
from docspec.speculation.tree import TokenTree, merge


class Proposer(Protocol):
    """Grows one tree a step for one row."""

    def propose(self, verified: Sequence[int], limit: int) -> TokenTree:
        """A tree of at most ``limit`` nodes whose root is ``verified[-1]``, the pending token."""
        ...

    def observe(self, tree: TokenTree, outcome: Outcome) -> None:
        """What became of the last tree."""
        ...

    def extend(self, number: int, tokens: Sequence[int]) -> None:
        """The growing draft ``number`` goes on with ``tokens``: another row wrote them."""
        ...


class EmptyProposer:
    """Suggests nothing: every step writes one token (plain autoregression through the same verifier)."""

    def propose(self, verified: Sequence[int], limit: int) -> TokenTree:
        return TokenTree(verified[-1])

    def observe(self, tree: TokenTree, outcome: Outcome) -> None:
        return None

    def extend(self, number: int, tokens: Sequence[int]) -> None:
        return None


class WindowProposer:
    """The paper's policy: the drafts' continuations of the reference window, merged into one prefix tree.

    Before ``drafts`` come ``growing`` more that are empty at first (:meth:`extend`).
    """

    def __init__(self, drafts: Sequence[Draft], n: int = 3, growing: int = 0) -> None:
        self._aligner = WindowAligner(drafts, n, growing)

    def propose(self, verified: Sequence[int], limit: int) -> TokenTree:
        candidates = self._aligner.candidates(verified, limit - 1) if limit > 1 else []
        return merge(verified[-1], candidates, limit)

    def observe(self, tree: TokenTree, outcome: Outcome) -> None:
        return None

    def extend(self, number: int, tokens: Sequence[int]) -> None:
        """The growing draft ``number`` goes on with ``tokens``."""
        self._aligner.extend(number, tokens)
