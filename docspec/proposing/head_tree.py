"""How a trained head drafts: it goes on from the target's last hidden states and makes a tree, the likeliest leaves
first (EAGLE-2's dynamic tree).

After each step the head takes in the states of what was accepted; then it goes ahead alone, all rows of the step at
once. The grower chooses among the nodes by their probabilities.

On an accelerator all of it is launched right behind the step's verification. The device itself walks through the tree,
and the head's tree comes with the step's own answer, so that nothing is waited for twice. That holds for the exact
walk. Where the host decides otherwise (a tolerance, a choice made again), what was taken in is taken back, and the head
drafts when it is asked. So it does on a CPU, where waiting costs nothing, and work that nobody asks for does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

from docspec.heads.network import Head
from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation
from docspec.proposing.device_walk import walk
from docspec.proposing.head_memory import HeadMemory, HeadTreeText, tree_of
from docspec.targets.protocol import OutputFlags, Verified
from docspec.targets.staging import Staging

if TYPE_CHECKING:
    from docspec.targets.protocol import Behind, PromptStates, TargetModel

RECENT = 8
"""The target's last states that are kept, to stand in for those of tokens that were not verified yet."""


class HeadProposer:
    """Drafts with ``head`` for the rows of one batch of ``target``."""

    leads = False
    observes = True
    wants = OutputFlags(hidden=True)

    def __init__(self, head: Head, target: TargetModel) -> None:
        device = target.kv_spec.device
        self._head = head
        self._target = target
        self._memory = HeadMemory(head, target)
        self._rows: dict[Context, _HeadRow] = {}
        self._staging = Staging(device)
        self._goes_behind = device.type != "cpu"
        self._asked = False
        self._step: dict[int, _HeadRow] = {}
        """The rows whose walk the device takes in itself, by their index in the step that is verified."""

    @torch.inference_mode()
    def begin(self, context: Context) -> None:
        states = context.states
        if states is None or not context.output:  # it ended with its first token
            return
        ids = torch.tensor(context.prompt, device=states.hidden.device)
        text = text_positions(ids, states, self._target)
        place = len(self._rows)
        image = states.embeddings[~text] if self._head.sees_images() else None
        row = _HeadRow(place, self._memory.enter(place, image))
        row.note(states.hidden[text], [*ids[text].tolist()[1:], context.output[0]])
        self._rows[context] = row

    @torch.inference_mode()
    def observe(self, context: Context, written: Sequence[int]) -> None:
        row = self._rows.get(context)
        if row is None:
            return
        if context.assumed:
            row.assume(list(written))
            return
        walked, row.walked = row.walked, None
        states = None
        if context.verified is not None:
            _, outcome = context.verified
            states = outcome.hidden
            if walked == (outcome.path[-1] if outcome.path else 0, outcome.token):
                row.length += 1 + len(outcome.path)
                row.remember(states)
                return
        taken_back = row.take_back()
        if walked is not None or taken_back:
            self._memory.lengths[row.place] = row.length
        written = [*taken_back, *written]
        if states is None or len(states) != len(written):
            self.end(context)  # it has lost the thread: nothing told the states of what was written
        else:
            row.note(states, written)

    @torch.inference_mode()
    def suggest(self, contexts: Sequence[Context]) -> list[Iterable[Continuation]]:
        self._asked = True
        rows = [self._rows.get(context) for context in contexts]
        late = [row for row in rows if row is not None and row.unread]
        if late:
            self._read(late)
            drawn = self._memory.draw([row.place for row in late], max(row.length for row in late)).cpu()
            for row, numbers in zip(late, drawn, strict=True):
                row.drawn = tree_of(numbers)
        return [row.drawn.following(0, 0, (), 0.0) if row is not None and row.drawn is not None else () for row in rows]

    @torch.inference_mode()
    def end(self, context: Context) -> None:
        row = self._rows.pop(context, None)
        if row is None or row.place == len(self._rows):
            return
        [last] = [one for one in self._rows.values() if one.place == len(self._rows)]
        self._memory.move(last.place, row.place)
        last.place = row.place

    @torch.inference_mode()
    def behind(self, contexts: Sequence[Context | None]) -> Behind | None:
        """The work behind the verification of these rows' trees (``None`` among them: a row that nothing is proposed
        for): this object, on an accelerator."""
        if not self._goes_behind:
            return None
        known = {at: self._rows[one] for at, one in enumerate(contexts) if one is not None and one in self._rows}
        self._step = {at: row for at, row in known.items() if not row.assumed}
        if not self._step:
            return None
        self._read([row for row in self._step.values() if row.unread])
        return self

    def arrays(self) -> Sequence[np.ndarray]:
        """Nothing: what the head did not read yet was taken in when the step was laid out."""
        return ()

    def launch(self, verified: Verified, arrays: Sequence[torch.Tensor]) -> torch.Tensor:
        """``(rows, numbers)``: the node where each walk ends and the token there; then the trees of all rows, where a
        tree was asked for in this step. None is drawn where all rows are sure of what they follow."""
        memory, at = self._memory, list(self._step)
        places = [row.place for row in self._step.values()]
        assert verified.hidden is not None
        nodes, counts, following = (memory.of(at, one) for one in walk(verified))
        hidden, ends = memory.of(at, verified.hidden), (counts - 1).unsqueeze(1)
        states = hidden.gather(1, nodes.unsqueeze(-1).expand(-1, -1, hidden.shape[-1]))
        longest = max(row.length for row in self._step.values())
        memory.make_room(len(self._rows), longest + verified.deepest)
        memory.take_in(places, states, following, counts, longest)
        found = [nodes.gather(1, ends).float(), following.gather(1, ends).float()]
        if self._asked:
            found.append(memory.draw(places, longest + verified.deepest))
        return torch.cat(found, 1)

    def arrived(self, numbers: torch.Tensor) -> None:
        for row, (node, token, *_), tree in zip(self._step.values(), numbers.tolist(), numbers[:, 2:], strict=True):
            row.walked = int(node), int(token)
            row.drawn = tree_of(tree) if len(tree) else None
        self._asked = False

    def _read(self, rows: Sequence[_HeadRow]) -> None:
        """Takes in what is unread of ``rows``, all together."""
        if not rows:
            return
        states, tokens = zip(*(row.read() for row in rows), strict=True)
        most, longest = max(map(len, tokens)), max(row.length for row in rows)
        after = np.zeros((len(rows), most), dtype=np.int64)
        for line, written in zip(after, tokens, strict=True):
            line[: len(written)] = written
        following, counts = self._staging.put([after, np.array([len(one) for one in tokens], dtype=np.int64)])
        self._memory.make_room(len(self._rows), longest + most)
        self._memory.take_in([row.place for row in rows], pad_sequence(list(states), True), following, counts, longest)
        for row, written in zip(rows, tokens, strict=True):
            row.length += len(written)


class _HeadRow:
    """One row: its ``place`` in the memory and the ``length`` of what was taken in there; ``unread`` is what still has
    to be (hidden states with the tokens after them), ``drawn`` the tree of all that was taken in. ``walked`` is the
    node where the device's walk through the last tree ended, and the token there."""

    def __init__(self, place: int, length: int) -> None:
        self.place = place
        self.length = length
        self.unread: list[tuple[torch.Tensor, list[int]]] = []
        self.drawn: HeadTreeText | None = None
        self.walked: tuple[int, int] | None = None
        self.assumed: list[int] = []
        self._recent: list[torch.Tensor] = []

    def note(self, states: torch.Tensor, tokens: list[int]) -> None:
        """``tokens`` are written, each chosen by one of ``states``."""
        self.unread.append((states, tokens))
        self.drawn = None
        self.remember(states)

    def remember(self, states: torch.Tensor | None) -> None:
        """Keeps the last of ``states``, the target's latest."""
        if states is not None:
            self._recent = [*self._recent, states[-RECENT:]][-RECENT:]

    def assume(self, tokens: list[int]) -> None:
        """``tokens`` are written without a state of the target's: the latest known ones stand in for theirs (VVS)."""
        known = torch.cat(self._recent)[-RECENT:][-len(tokens) :]
        stale = torch.cat((known, known[-1:].expand(len(tokens) - len(known), -1)))
        self.unread.append((stale, tokens))
        self.assumed = tokens

    def take_back(self) -> list[int]:
        """Drops what was made of stand-in states; returns their tokens, whose own states are known now."""
        tokens, self.assumed = self.assumed, []
        if tokens and self.unread:
            self.unread.pop()  # nobody has asked since
        elif tokens:
            self.length -= len(tokens)
        return tokens

    def read(self) -> tuple[torch.Tensor, list[int]]:
        """What is still to be taken in: hidden states ``(tokens, size)`` and the tokens after them."""
        states = torch.cat([states for states, _ in self.unread])
        tokens = [token for _, written in self.unread for token in written]
        self.unread.clear()
        return states, tokens


def text_positions(ids: torch.Tensor, states: PromptStates, target: TargetModel) -> torch.Tensor:
    """Which positions ``(length,)`` of a prompt hold text: elsewhere image features stand for the tokens'
    embeddings."""
    return (states.embeddings == target.embed(ids)).all(-1)
