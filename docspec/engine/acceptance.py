"""Greedy traversal of the verified tree, exact or with tolerance (equations 8 to 10).

Starting at the root, the walk follows at each node the child that the target would have chosen: its argmax, or with a
tolerance the likeliest child that is close enough to it. If no child qualifies, the walk ends and the target's own
token is added (equation 11). The rules work on numbers on the host, after the device has computed the scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from docspec.engine.tree import TokenTree
from docspec.targets.protocol import Scores

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class VerifyOutcome:
    """The accepted nodes below the root, top down, and the target's own token after the last one. If asked for,
    ``margins`` are those of the choices along the walk, and ``hidden`` ``(1 + accepted, size)`` the last hidden states
    of the root and of the accepted nodes, each of which chose the token after it. ``is_near_tie``: the walk ended at a
    choice with too small a margin; ``token`` may change."""

    path: tuple[int, ...]
    token: int
    margins: tuple[float, ...] = ()
    is_near_tie: bool = False
    hidden: torch.Tensor | None = None


class AcceptanceRule(Protocol):
    """Decides which child of a node, if any, is accepted. ``needs_scores``: whether it needs log-probabilities."""

    needs_scores: bool

    def follow(self, tree: TokenTree, node: int, scores: Scores) -> int | None:
        """The accepted child of ``node``, or ``None``."""
        ...


class ExactAcceptance:
    """Argmax equality: the output is the target's own greedy output."""

    needs_scores = False

    def follow(self, tree: TokenTree, node: int, scores: Scores) -> int | None:
        return tree.find(node, scores.choice[node])


class RelaxedAcceptance:
    """Equation 10: accept ``x`` where ``log p(best) / log p(x) >= tau``, ``tau`` in (0, 1].

    Both logarithms are at most zero, so the ratio is 1 for the argmax itself and falls towards 0. Where
    ``p(x) = 1`` the ratio is 0/0; such an ``x`` is the argmax (or its equal) and is accepted. The argmax child is
    always preferred; otherwise the likeliest tolerated child is taken.
    """

    needs_scores = True

    def __init__(self, tau: float) -> None:
        if not 0.0 < tau <= 1.0:
            raise ValueError(f"tau must lie in (0, 1], got {tau}")
        self.tau = tau

    def tolerates(self, best: float, drafted: float) -> bool:
        """Equation 10 for one token, log-probabilities in nats."""
        if drafted >= best:
            return True
        return best / drafted >= self.tau

    def follow(self, tree: TokenTree, node: int, scores: Scores) -> int | None:
        preferred = tree.find(node, scores.choice[node])
        children = tree.children(node)
        if preferred is not None or not children:
            return preferred
        likeliest = max(children, key=lambda child: scores.drafted[child])
        return likeliest if self.tolerates(scores.best[node], scores.drafted[likeliest]) else None


def make_rule(tau: float | None) -> AcceptanceRule:
    """Exact acceptance for ``None``, equation 10 otherwise."""
    return ExactAcceptance() if tau is None else RelaxedAcceptance(tau)


def traverse(tree: TokenTree, scores: Scores, rule: AcceptanceRule, least_margin: float = 0.0) -> VerifyOutcome:
    """The greedy walk (equations 8 and 9) and the target's own token after it (equation 11). It ends where a margin is
    below ``least_margin``."""
    path: list[int] = []
    node = 0
    while not (is_near_tie := least_margin > 0 and scores.margin[node] < least_margin):
        child = node + 1 if node < tree.assumed else rule.follow(tree, node, scores)
        if child is None:
            break
        path.append(child)
        node = child
    walked = [0, *path]
    margins = tuple(scores.margin[node] for node in walked) if scores.margin else ()
    return VerifyOutcome(tuple(path), scores.choice[node], margins, is_near_tie, scores.states(walked))
