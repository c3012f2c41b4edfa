"""The relation network: a small transformer over the tokens of a page, whose attention sees where each two stand to
each other.

Its answers are log-odds of each pair (:data:`RELATIONS`) and of each token (:data:`STATES`).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

RELATIONS = ("table", "row", "column", "cell", "block")
"""What two tokens may share: a table, a row of it, a column of it, a cell; or a block of text outside of tables."""
STATES = ("in table", "head")

WIDTH, HEADS, LAYERS, HIDDEN, KEYS = 80, 4, 8, 32, 12


def over_pairs(linear: nn.Linear, pairs: Tensor) -> Tensor:
    """``linear`` of each of ``pairs`` (features, n * n), as (features of its own, n * n): no step on the way copies the
    features of a pair next to each other."""
    return linear.weight @ pairs + linear.bias[:, None]


class Layer(nn.Module):
    """Attention with a bias for each pair, and a network for each token."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.bias = nn.Linear(HIDDEN, HEADS)
        self.inner, self.outer = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        for last in (self.out, self.outer):  # a layer that is added to a network which has learned changes nothing
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, tokens: Tensor, pairs: Tensor) -> Tensor:
        """``tokens`` (n, width), ``pairs`` (hidden, n * n)."""
        query, key, value = (
            self.qkv(self.before(tokens)).view(-1, 3, HEADS, WIDTH // HEADS).permute(1, 2, 0, 3).unbind(0)
        )
        bias = over_pairs(self.bias, pairs).view(HEADS, tokens.shape[0], -1)
        weights = (query * (WIDTH // HEADS) ** -0.5) @ key.transpose(1, 2) + bias
        mixed = (weights.softmax(-1) @ value).permute(1, 0, 2).reshape(-1, WIDTH)
        tokens = tokens + self.out(mixed)
        return tokens + self.outer(torch.relu(self.inner(self.between(tokens))))


class PairUpdate(nn.Module):
    """What two tokens are to each other, by what has become of each of them."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(WIDTH, HIDDEN), nn.Linear(WIDTH, HIDDEN)
        self.mixed, self.out = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, tokens: Tensor, pairs: Tensor) -> Tensor:
        """``tokens`` (n, width), ``pairs`` (hidden, n * n)."""
        first, second = self.first(tokens).T[:, :, None], self.second(tokens).T[:, None]
        met = over_pairs(self.mixed, pairs).view(HIDDEN, tokens.shape[0], -1) + first + second
        return pairs + over_pairs(self.out, torch.relu(met).view(HIDDEN, -1))


class RelationNetwork(nn.Module):
    """Log-odds of relations (n, n, :data:`RELATIONS`) and states (n, :data:`STATES`) for the tokens of one page."""

    def __init__(self, token_features: int, pair_features: int) -> None:
        super().__init__()
        self.token_in = nn.Sequential(nn.Linear(token_features, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))
        self.pair_in = nn.Sequential(nn.Linear(pair_features, HIDDEN), nn.ReLU())
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.updates = nn.ModuleList(PairUpdate() for _ in range(LAYERS // 2))
        self.norm = nn.LayerNorm(WIDTH)
        self.states = nn.Linear(WIDTH, len(STATES))
        self.keys = nn.Linear(WIDTH, 2 * len(RELATIONS) * KEYS)
        self.pair_out = nn.Linear(HIDDEN, len(RELATIONS))

    def forward(self, tokens: Tensor, pairs: Tensor) -> tuple[Tensor, Tensor]:
        """``tokens`` (n, features), ``pairs`` (n, n, features)."""
        hidden = self.token_in(tokens)
        geometry = torch.relu(over_pairs(self.pair_in[0], pairs.flatten(0, 1).T))
        for number, layer in enumerate(self.layers):
            hidden = layer(hidden, geometry)
            if number % 2:
                geometry = self.updates[number // 2](hidden, geometry)
        hidden = self.norm(hidden)
        left, right = self.keys(hidden).view(-1, 2, len(RELATIONS), KEYS).permute(1, 2, 0, 3).unbind(0)
        scores = (left * KEYS**-0.5) @ right.transpose(1, 2)
        scores = scores + over_pairs(self.pair_out, geometry).view_as(scores)
        return ((scores + scores.transpose(1, 2)) / 2).permute(1, 2, 0), self.states(hidden)
