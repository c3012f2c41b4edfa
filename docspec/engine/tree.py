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

    ``tokens[i]``, ``parents[i]`` (-1 for the root) and ``depths[i]`` (0 for the root) describe node ``i``.
    ``expected`` is how many of its drafted tokens its proposer expects to be accepted, where it expects anything. The
    first ``taken`` nodes below the root, one after the other, are accepted whatever the target says (lossy).
    """

    __slots__ = ("children", "depths", "expected", "is_chain", "parents", "taken", "tokens")

    def __init__(self, pending: int) -> None:
        self.tokens: list[int] = [pending]
        self.parents: list[int] = [-1]
        self.depths: list[int] = [0]
        self.children: list[dict[int, int]] = [{}]
        self.is_chain = True
        self.expected = 0.0
        self.taken = 0

    def __len__(self) -> int:
        return len(self.tokens)

    def child(self, node: int, token: int) -> int:
        """The child of ``node`` that carries ``token``, made if it is not there."""
        known = self.children[node].get(token)
        if known is not None:
            return known
        index = len(self.tokens)
        self.is_chain = self.is_chain and node == index - 1
        self.tokens.append(token)
        self.parents.append(node)
        self.depths.append(self.depths[node] + 1)
        self.children.append({})
        self.children[node][token] = index
        return index

    def extend(self, node: int, continuation: Sequence[int], limit: int) -> int:
        """Adds ``continuation`` below ``node`` until the tree holds ``limit`` nodes; returns the last node reached.

        What is there already is walked, the rest is added at once.
        """
        children, walked = self.children, 0
        for token in continuation:
            known = children[node].get(token)
            if known is None:
                break
            node = known
            walked += 1
        first = len(self.tokens)
        fresh = continuation[walked : max(walked, walked + limit - first)]
        if not fresh:
            return node
        end = first + len(fresh)
        self.is_chain = self.is_chain and node == first - 1
        children[node][fresh[0]] = first
        children.extend([{token: index} for index, token in enumerate(fresh[1:], first + 1)])
        children.append({})
        self.tokens.extend(fresh)
        self.parents.append(node)
        self.parents.extend(range(first, end - 1))
        depth = self.depths[node] + 1
        self.depths.extend(range(depth, depth + len(fresh)))
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
        parents = np.array(self.parents)
        starts = [0, *(np.flatnonzero(parents[1:] != np.arange(size - 1)) + 1).tolist(), size]
        mask = np.zeros((size, size), dtype=bool)
        for start, end in pairwise(starts):
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
