"""The paper's policy, windowed alignment (equations 4 and 5): where in the drafts does the output continue?

The last ``n`` verified tokens are the reference window. Every position in a draft where the window occurs yields one
candidate: the rest of that draft. While fewer than ``n`` tokens are verified, the window is all of them and only the
beginnings of the drafts are compared. The paper uses ``n = 3``.
"""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from docspec.engine.proposer import TreeProposer
from docspec.engine.request import GrowingDraft
from docspec.engine.row import Row
from docspec.engine.tree import TokenTree
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation, Copy, Key
from docspec.proposing.proposer import RowProposer, proposer

if TYPE_CHECKING:
    from docspec.targets.protocol import PromptStates

WINDOW = 3

AHEAD = 64
"""Tokens of a candidate where the window is one proposer among others."""

FOUND = Key("window", 0.6)

Draft = tuple[int, ...]


class WindowAligner:
    """An index of all ``n``-token windows in a set of drafts; growing drafts come first."""

    def __init__(self, drafts: Sequence[Draft], n: int = WINDOW, growing: Sequence[GrowingDraft] = ()) -> None:
        if n < 1:
            raise ValueError(f"the reference window needs at least one token, got n={n}")
        self.n = n
        self._growing = growing
        self.drafts: list[Draft] = [*((),) * len(growing), *(tuple(draft) for draft in drafts if len(draft))]
        self._positions: dict[Draft, list[tuple[int, int]]] = defaultdict(list)
        for index, draft in enumerate(self.drafts):
            self._index(index, draft, n)

    def _index(self, index: int, draft: Draft, first: int) -> None:
        """Adds the windows of ``draft`` that end at ``first`` or later."""
        for end in range(first, len(draft)):
            insort(self._positions[draft[end - self.n : end]], (index, end))

    def candidates(self, verified: Sequence[int], length: int) -> list[Draft]:
        """Continuations of ``verified``, each at most ``length`` tokens, without duplicates.

        ``verified`` are the output tokens so far, the pending one last. Candidates come in the order of the
        drafts; a position further on in a draft comes first, because output moves forward.
        """
        for index, growing in enumerate(self._growing):
            known = len(self.drafts[index])
            if known < min(len(growing.tokens), growing.limit):
                self.drafts[index] = tuple(growing.tokens[: growing.limit])
                self._index(index, self.drafts[index], max(self.n, known))
        if len(verified) < self.n:
            window = tuple(verified)
            size = len(window)
            found = [d[size : size + length] for d in self.drafts if d[:size] == window and len(d) > size]
        else:
            positions = self._positions.get(tuple(verified[-self.n :]), ())
            found = [self.drafts[index][end : end + length] for index, end in reversed(positions)]
        return list(dict.fromkeys(found))


def merge(pending: int, candidates: Sequence[Sequence[int]], limit: int) -> TokenTree:
    """The prefix tree of ``candidates`` (equation 6) with at most ``limit`` nodes, the root included.

    The budget is shared by depth: all candidates grow one token at a time, in the order given, so that no early
    candidate starves a later one, and candidates that begin alike cost nothing extra.
    """
    tree = TokenTree(pending)
    if len(candidates) == 1:
        tree.extend(0, candidates[0], limit)
        return tree
    frontier = [(0, iter(candidate)) for candidate in candidates]
    while frontier:
        grown = []
        for node, rest in frontier:
            token = next(rest, None)
            if token is None:
                continue
            known = tree.find(node, token)
            if known is None:
                if len(tree) >= limit:
                    continue
                known = tree.child(node, token)
            grown.append((known, rest))
        frontier = grown
    return tree


class WindowProposer(TreeProposer):
    """The paper's policy alone: the continuations of the window of ``n`` tokens, merged into one prefix tree; with
    ``chains`` only the first one."""

    def __init__(self, n: int = WINDOW, chains: bool = False) -> None:
        self._n = n
        self._most = 1 if chains else None
        self._aligners: dict[Row, WindowAligner] = {}

    def begin(self, row: Row, states: PromptStates | None = None) -> None:
        if not row.request.plain:
            self._aligners[row] = WindowAligner(row.request.drafts, self._n, row.request.growing)

    def propose(self, rows: Sequence[Row], limits: Sequence[int]) -> list[TokenTree]:
        return [
            merge(row.pending, self._aligners[row].candidates(row.output, limit - 1)[: self._most], limit)
            for row, limit in zip(rows, limits, strict=True)
        ]

    def end(self, row: Row) -> None:
        self._aligners.pop(row, None)


@proposer("window")
class WindowRowProposer(RowProposer):
    """The paper's candidates as one proposer among others."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._aligner = WindowAligner(context.request.drafts, WINDOW, context.request.growing)

    def suggest(self) -> Iterable[Continuation]:
        for candidate in self._aligner.candidates(self.context.output, AHEAD):
            yield Continuation(Copy(candidate), 0, FOUND, WINDOW)
