"""The state of a trained head for the rows of a batch, on the device, which may be the only one to know the rows'
lengths.

Each row has an index in one buffer of keys and values. Entries beyond its length are ignored and overwritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import torch

from docspec.proposing.continuation import Continuation, Forks, Key
from docspec_methods.head_network import Head, Made, Past

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel

DEPTH = 5
"""Levels of the head's tree."""

WIDTH = 4
"""Nodes expanded on each level, and tokens suggested after each node."""

ROOM = 256
"""The slots of a row are a multiple of this."""

DRAFTED = Key("head", 0.8)
"""The head's own tokens, as likely as the head says; the hit rate learns how far its chances can be believed."""


class HeadMemory:
    """``keys`` and ``values`` ``(rows, slots, heads, head size)`` of verified tokens, after an image's compressed
    tokens, and their ``lengths`` ``(rows,)``. ``last`` ``(rows, size)`` are the head's states at each row's last
    token; ``image`` ``(rows, size)`` is added to all states."""

    def __init__(self, head: Head, target: TargetModel) -> None:
        self._head = head
        self._target = target
        weight, config = head.fuse.weight, head.config
        self.keys = weight.new_zeros(0, 0, config.heads, config.size // config.heads)
        self.values = self.keys
        self.last = self.image = weight.new_zeros(0, config.size)
        self.lengths = torch.zeros(0, dtype=torch.long, device=weight.device)
        self._numbers = self.lengths  # row numbers on the device: indices need no upload

    def make_room(self, rows: int, slots: int) -> None:
        """Grows the buffers to so many rows and slots per row."""
        had, length = self.keys.shape[:2]
        if rows <= had and slots <= length:
            return
        rows = max(rows, 2 * had) if rows > had else had
        length = max(length, -(-slots // ROOM) * ROOM)
        self.keys, self.values = (_larger(one, rows, length) for one in (self.keys, self.values))
        self.last, self.image, self.lengths = (_larger(one, rows) for one in (self.last, self.image, self.lengths))
        self._numbers = torch.arange(rows, device=self.lengths.device)

    def enter(self, index: int, image: torch.Tensor | None) -> int:
        """Begins a row at ``index``, with the embeddings ``(tokens, size)`` of its image if the head uses images;
        returns its length."""
        length = 0 if image is None else self._head.config.queries
        self.make_room(index + 1, length + 1)
        self.lengths[index] = length
        self.image[index] = 0
        if image is not None:
            tokens, [self.image[index]] = self._head.compress(image.unsqueeze(0))
            _, [keys], [values] = self._head.projected(tokens, torch.arange(length, device=tokens.device).unsqueeze(0))
            self.keys[index, :length], self.values[index, :length] = keys.transpose(0, 1), values.transpose(0, 1)
        return length

    def move(self, source: int, target: int) -> None:
        """Moves the row at ``source`` to ``target``."""
        for buffer in (self.keys, self.values, self.last, self.image, self.lengths):
            buffer[target] = buffer[source]

    def of(self, indices: Sequence[int], buffer: torch.Tensor) -> torch.Tensor:
        """The rows of ``buffer`` at ``indices``; not copied if these are its first ones in order."""
        if list(indices) == list(range(len(indices))):
            return buffer[: len(indices)]
        return torch.stack([buffer[index] for index in indices])

    def take_in(
        self, indices: Sequence[int], states: torch.Tensor, tokens: torch.Tensor, counts: torch.Tensor, longest: int
    ) -> None:
        """Adds ``states`` ``(rows, most, size)`` to the rows at ``indices``, with the ``tokens`` that follow them; of
        each row the first ``counts``. No row is longer than ``longest`` before."""
        most = states.shape[1]
        lengths, numbers = self.of(indices, self.lengths), self.of(indices, self._numbers)
        at = lengths.unsqueeze(1) + torch.arange(most, device=lengths.device)
        own = torch.ones(len(indices), most, most, dtype=torch.bool, device=lengths.device).tril()
        known = self._past(indices, longest)
        past = Past(known.keys, known.values, known.seen.expand(-1, most, -1))
        given = states + self.of(indices, self.image).unsqueeze(1)
        made = self._head(given, self._target.embed(tokens), 0, at, past, own)
        index = (numbers.unsqueeze(1) * self.keys.shape[1] + at).flatten()
        for buffer, new in ((self.keys, made.keys), (self.values, made.values)):
            buffer.flatten(0, 1).index_copy_(0, index, new.transpose(1, 2).flatten(0, 1))
        ends = (counts - 1).view(-1, 1, 1).expand(-1, 1, states.shape[2])
        self.last.index_copy_(0, numbers, made.hidden.gather(1, ends).squeeze(1))
        self.lengths.index_copy_(0, numbers, lengths + counts)

    def draw(self, indices: Sequence[int], longest: int) -> torch.Tensor:
        """Drafts a tree for each row at ``indices``: ``(rows, numbers)``, decoded by :func:`tree_of`. No row is longer
        than ``longest``."""
        known, lengths = self._past(indices, longest), self.of(indices, self.lengths)
        image, hidden = self.of(indices, self.image).unsqueeze(1), self.of(indices, self.last).unsqueeze(1)
        reached = torch.ones(len(indices), 1, device=hidden.device)
        paths: list[torch.Tensor] = []  # for each level, which nodes of the levels before its own nodes look at
        made: list[Made] = []
        found: list[torch.Tensor] = []  # for each level its tokens, their chances, and which of them go on
        for depth in range(DEPTH):
            chances, tokens = self._target.logits(hidden).float().softmax(-1).topk(WIDTH, -1)
            found += [tokens.flatten(1).float(), chances.flatten(1)]
            if depth == DEPTH - 1:
                break
            reached, best = (reached.unsqueeze(-1) * chances).flatten(1).topk(WIDTH, -1)
            found.append(best.float())
            parents = (best // WIDTH).unsqueeze(-1)
            chosen = tokens.flatten(1).gather(1, best)
            states = hidden.gather(1, parents.expand(-1, -1, hidden.shape[-1]))
            paths = [seen.gather(1, parents.expand(-1, -1, seen.shape[-1])) for seen in paths]
            made.append(self._ahead(known, lengths + depth, states + image, chosen, depth, paths, made))
            paths.append(torch.eye(WIDTH, dtype=torch.bool, device=best.device).expand(len(indices), -1, -1))
            hidden = made[-1].hidden
        return torch.cat(found, 1)

    def _ahead(
        self,
        known: Past,
        positions: torch.Tensor,
        states: torch.Tensor,
        tokens: torch.Tensor,
        depth: int,
        paths: Sequence[torch.Tensor],
        made: Sequence[Made],
    ) -> Made:
        """One level of the tree: ``states`` ``(rows, nodes, size)`` with the ``tokens`` that follow them at
        ``positions`` ``(rows,)``. Each node attends to its row's ``known`` tokens and to its path through the levels
        before."""
        width = states.shape[1]
        past = Past(
            torch.cat((known.keys, *(one.keys for one in made)), 2),
            torch.cat((known.values, *(one.values for one in made)), 2),
            torch.cat((known.seen.expand(-1, width, -1), *paths), 2),
        )
        own = torch.eye(width, dtype=torch.bool, device=states.device).expand(len(states), -1, -1)
        at = positions.unsqueeze(1).expand(-1, width)
        return self._head(states, self._target.embed(tokens), depth + 1, at, past, own)

    def _past(self, indices: Sequence[int], longest: int) -> Past:
        """Keys and values of the rows at ``indices``; ``seen`` is ``(rows, 1, longest)``."""
        keys, values = (self.of(indices, one[:, :longest]).transpose(1, 2) for one in (self.keys, self.values))
        seen = torch.arange(longest, device=keys.device) < self.of(indices, self.lengths).unsqueeze(1)
        return Past(keys, values, seen.unsqueeze(1))


class HeadTreeText(Forks):
    """The head's tree as a text in which every token is a continuation of its own. Node 0 is the end of the output."""

    def __init__(self) -> None:
        self._after: list[list[tuple[int, float, int]]] = [[]]

    def add(self, node: int, token: int, chance: float) -> int:
        """Adds a node below ``node``; ``chance`` is the probability of its token, given that ``node`` is reached."""
        self._after.append([])
        self._after[node].append((token, chance, len(self._after) - 1))
        return len(self._after) - 1

    def following(self, position: int, run: int, before: Sequence[int], least: float) -> Iterable[Continuation]:
        key = None if position else DRAFTED
        return [
            Continuation(self, child, key, 0, (token,), chance)
            for token, chance, child in self._after[position]
            if chance > least
        ]


def tree_of(numbers: torch.Tensor) -> HeadTreeText:
    """The tree of one row in the numbers of :meth:`HeadMemory.draw`, on the host."""
    tree, nodes, rest = HeadTreeText(), [0], numbers.tolist()
    for depth in range(DEPTH):
        size = len(nodes) * WIDTH
        tokens, chances, rest = rest[:size], rest[size : 2 * size], rest[2 * size :]
        below = [
            tree.add(nodes[at // WIDTH], int(token), chance)
            for at, (token, chance) in enumerate(zip(tokens, chances, strict=True))
        ]
        if depth < DEPTH - 1:
            nodes, rest = [below[int(at)] for at in rest[:WIDTH]], rest[WIDTH:]
    return tree


def _larger(buffer: torch.Tensor, *sizes: int) -> torch.Tensor:
    """``buffer`` with its first dimensions grown to ``sizes``, zero where it is new."""
    larger = buffer.new_zeros((*sizes, *buffer.shape[len(sizes) :]))
    larger[tuple(slice(size) for size in buffer.shape[: len(sizes)])] = buffer
    return larger
