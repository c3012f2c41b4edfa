"""Skips part of the verification (VVS): lossy, and only on request (``skip-verification``).

Now and then a path of the tree is accepted without verification, as long as the tree's paths are on average, and
drafting continues after it from the existing states. The path stands first in the next tree: the pass that verifies the
draft after it computes its keys and values, so no two steps in a row are skipped. VVS draws the path at random, because
images need variety; text needs the likeliest one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from docspec.engine.row import Row
from docspec.engine.tree import TokenTree
from docspec.proposing.drafts import DraftText
from docspec.proposing.mixture import MixedProposer
from docspec.proposing.proposer import BatchProposer
from docspec.proposing.spelling import Codec

if TYPE_CHECKING:
    from docspec.core.choices import SkipPlan
    from docspec.proposing.threshold import NodePrice
    from docspec.targets.protocol import PromptStates, TargetModel

DECAY = 0.8
"""Weight of a position on the tree's paths relative to the position before (equation 2 of VVS)."""

STRIDE = 2
"""Every so-many-th path is compared."""


class SkippingProposer(MixedProposer):
    """Proposes with ``proposers`` for the rows of one batch of ``target``; verification is skipped according to
    ``plan``. The other arguments are those of :class:`MixedProposer`."""

    def __init__(
        self,
        proposers: Mapping[str, BatchProposer],
        plan: SkipPlan,
        target: TargetModel,
        codec: Codec | None = None,
        price: NodePrice = 0.0,
    ) -> None:
        super().__init__(proposers, codec, price, target)
        self._plan = plan
        self._verifier = target
        self._since: dict[Row, int] = {}

    def begin(self, row: Row, states: PromptStates | None = None, drafts: DraftText | None = None) -> None:
        super().begin(row, states, drafts)
        self._since[row] = 0

    def propose(self, rows: Sequence[Row], limits: Sequence[int]) -> list[TokenTree]:
        trees = super().propose(rows, limits)
        assumed: dict[int, list[int]] = {}
        for at, (row, tree, limit) in enumerate(zip(rows, trees, limits, strict=True)):
            self._since[row] += 1
            path = usual_path(tree, row.eos_ids)[: limit - 2]
            if path and self._skips(row, tree):
                assumed[at] = path
                self._since[row] = 0
                self._assume(row, path)
        behind = super().propose([rows[at] for at in assumed], [limits[at] - len(assumed[at]) for at in assumed])
        for (at, path), tree in zip(assumed.items(), behind, strict=True):
            trees[at] = joined(rows[at].pending, path, tree)
        return trees

    def end(self, row: Row) -> None:
        self._since.pop(row, None)
        super().end(row)

    def _assume(self, row: Row, tokens: Sequence[int]) -> None:
        """Lets the proposers of ``row`` continue as if ``tokens`` were written, before they are verified."""
        state = self._rows[row]
        state.context.assumed = True
        self._observe(state, [*row.output, *tokens])
        state.context.assumed = False

    def _skips(self, row: Row, tree: TokenTree) -> bool:
        kind, value = self._plan
        if kind == "uniform":
            return self._since[row] >= value
        return similarity(tree, self._verifier) >= value


def paths_of(tree: TokenTree) -> list[list[int]]:
    """The tokens of each path from below the root to a leaf."""
    paths: list[list[int]] = [[]]
    for parent, token in zip(tree.parents[1:], tree.tokens[1:], strict=True):
        paths.append([*paths[parent], token])
    inner = set(tree.parents)
    return [path for node, path in enumerate(paths) if path and node not in inner]


def usual_path(tree: TokenTree, eos_ids: frozenset[int]) -> list[int]:
    """The likeliest path, as long as the tree's paths are on average, without an end token."""
    paths = paths_of(tree)
    longest = sum(map(len, paths)) // len(paths) if paths else 0
    found: list[int] = []
    node = 0
    while len(found) < longest and (children := tree.children(node)):
        node = children[0]  # the likeliest was grown first
        if tree.tokens[node] in eos_ids:
            break
        found.append(tree.tokens[node])
    return found


def similarity(tree: TokenTree, target: TargetModel) -> float:
    """The similarity of the tree's paths, -1 to 1: the mean cosine of their tokens' embeddings at each position, with
    decreasing weights (equation 2 of VVS); 1 if there is one path."""
    import torch

    paths = paths_of(tree)[::STRIDE]
    if not paths:
        return 0.0
    total = weights = 0.0
    weight = 1.0
    for position in range(max(map(len, paths))):
        tokens = torch.tensor([path[position] for path in paths if position < len(path)], device=target.kv_spec.device)
        count = len(tokens)
        with torch.inference_mode():
            units = torch.nn.functional.normalize(target.embed(tokens).float(), dim=-1)
            alike = (float(units.sum(0).square().sum()) - count) / (count * (count - 1)) if count > 1 else 1.0
        total += weight * alike
        weights += weight
        weight *= DECAY
    return total / weights


def joined(pending: int, path: Sequence[int], behind: TokenTree) -> TokenTree:
    """A tree of ``pending``, the accepted ``path``, and below it the tree ``behind``."""
    tree = TokenTree(pending)
    ends = [tree.extend(0, path, len(path) + 1)]
    tree.assumed = len(path)
    for node in range(1, len(behind)):
        ends.append(tree.child(ends[behind.parents[node]], behind.tokens[node]))
    return tree
