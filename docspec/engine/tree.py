"""Prefix tree of candidate continuations and its linearisation for one forward pass (equations 6 and 7).

Node 0 is always the *pending* token: the target's own last choice, whose keys and values are not in the cache
yet. Every other node is a drafted token. Siblings carry different tokens, so candidates that begin alike share
their nodes and the target scores each distinct prefix once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np


class TokenTree:
    """A growing prefix tree in insertion order, so that a parent's index is always below its children's.

    ``tokens[i]``, ``parents[i]`` (-1 for the root) and ``depths[i]`` (0 for the root) describe node ``i``. ``expected``
    is the number of drafted tokens that its proposer expects to be accepted, if it has an estimate. The first
    ``assumed`` nodes below the root, one after the other, are accepted without verification (lossy).
    """

    __slots__ = ("_forks", "assumed", "depths", "expected", "parents", "tokens")

    def __init__(self, pending: int) -> None:
        self.tokens: list[int] = [pending]
        self.parents: list[int] = [-1]
        self.depths: list[int] = [0]
        self._forks: dict[tuple[int, int], int] = {}  # (parent, token): the nodes not right behind their parent
        self.expected = 0.0
        self.assumed = 0

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def is_chain(self) -> bool:
        """Whether each node is the parent of the next."""
        return not self._forks

    def find(self, node: int, token: int) -> int | None:
        """The child of ``node`` that carries ``token``, if there is one."""
        after = node + 1
        if after < len(self.tokens) and self.tokens[after] == token and self.parents[after] == node:
            return after
        return self._forks.get((node, token))

    def children(self, node: int) -> list[int]:
        """The children of ``node`` in the order in which they were added."""
        return [child for child, parent in enumerate(self.parents) if parent == node]

    def child(self, node: int, token: int) -> int:
        """The child of ``node`` that carries ``token``, made if it is not there."""
        known = self.find(node, token)
        return self.extend(node, (token,), len(self.tokens) + 1) if known is None else known

    def extend(self, node: int, continuation: Sequence[int], limit: int) -> int:
        """Adds ``continuation`` below ``node`` until the tree has ``limit`` nodes; returns the last node reached.
        Existing nodes are reused."""
        tokens, parents, forks = self.tokens, self.parents, self._forks
        first, walked = len(tokens), 0
        for token in continuation:
            after = node + 1
            if after < first and tokens[after] == token and parents[after] == node:
                node = after
            elif (node, token) in forks:
                node = forks[node, token]
            else:
                break
            walked += 1
        fresh = continuation[walked : max(walked, walked + limit - first)]
        if not fresh:
            return node
        end = first + len(fresh)
        if node != first - 1:
            forks[node, fresh[0]] = first
        tokens += fresh
        parents.append(node)
        parents += range(first, end - 1)
        depth = self.depths[node] + 1
        self.depths += range(depth, depth + len(fresh))
        return end - 1

    def ancestry(self) -> np.ndarray:
        """Boolean ``(nodes, nodes)``: entry ``[i, j]`` is true where ``j`` is ``i`` or an ancestor of ``i``.

        This is the tree part of the attention mask of equation 7: a node sees its own path and nothing else.
        """
        size = len(self.tokens)
        triangle = _triangle(size)
        if self.is_chain:
            return triangle
        # Chain by chain: a chain sees what its first node's parent sees, and its own triangle.
        mask = np.zeros((size, size), dtype=bool)
        for start, end in pairwise([0, *self._forks.values(), size]):
            if start:
                mask[start:end, :start] = mask[self.parents[start], :start]
            mask[start:end, start:end] = triangle[: end - start, : end - start]
        return mask


@lru_cache(maxsize=1024)
def _triangle(size: int) -> np.ndarray:
    """The ancestry of a chain; read-only, because it is shared."""
    triangle = np.tri(size, dtype=bool)
    triangle.setflags(write=False)
    return triangle
