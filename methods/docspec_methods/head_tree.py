"""Drafts with a trained head: it continues from the target's last hidden states and makes a tree, the likeliest leaves
first (EAGLE-2's dynamic tree).

After each step the head reads the states of the accepted tokens; then it drafts alone, for all rows of the step at
once. The grower chooses among its nodes by their probabilities.

On an accelerator all of this is launched right behind the step's verification. The device walks through the tree
itself, and the head's tree arrives with the step's answer, so that nothing is waited for twice. This holds for the
exact walk. If the host decides otherwise (a tolerance, a choice made again), what the head has read is undone and it
drafts when it is asked. On a CPU it always does: there waiting costs nothing, but work that nobody asks for does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

from docspec.proposing.context import Context
from docspec.proposing.continuation import Continuation
from docspec.proposing.proposer import BatchProposer
from docspec.targets.protocol import OutputFlags, Verified
from docspec.targets.staging import Staging
from docspec_methods.draft_at_once import walk
from docspec_methods.head_memory import HeadMemory, HeadTreeText, tree_of
from docspec_methods.head_network import Head

if TYPE_CHECKING:
    from docspec.targets.protocol import Behind, PromptStates, TargetModel

RECENT = 8
"""Most recent states of the target that are kept as substitutes for those of tokens that are not verified yet."""


class HeadProposer(BatchProposer):
    """Drafts with ``head`` for the rows of one batch of ``target``."""

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
        if states is None or not context.output:  # the row ended with its first token
            return
        ids = torch.tensor(context.prompt, device=states.hidden.device)
        text = text_positions(ids, states, self._target)
        index = len(self._rows)
        image = states.embeddings[~text] if self._head.sees_images() else None
        row = _HeadRow(index, self._memory.enter(index, image))
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
            self._memory.lengths[row.index] = row.length
        written = [*taken_back, *written]
        if states is None or len(states) != len(written):
            self.end(context)  # the states of the written tokens are unknown: stop drafting for the row
        else:
            row.note(states, written)

    @torch.inference_mode()
    def suggest(self, contexts: Sequence[Context]) -> list[Iterable[Continuation]]:
        self._asked = True
        rows = [self._rows.get(context) for context in contexts]
        late = [row for row in rows if row is not None and row.unread]
        if late:
            self._read(late)
            drawn = self._memory.draw([row.index for row in late], max(row.length for row in late)).cpu()
            for row, numbers in zip(late, drawn, strict=True):
                row.drawn = tree_of(numbers)
        return [row.drawn.following(0, 0, (), 0.0) if row is not None and row.drawn is not None else () for row in rows]

    @torch.inference_mode()
    def end(self, context: Context) -> None:
        row = self._rows.pop(context, None)
        if row is None or row.index == len(self._rows):
            return
        [last] = [one for one in self._rows.values() if one.index == len(self._rows)]
        self._memory.move(last.index, row.index)
        last.index = row.index

    @torch.inference_mode()
    def behind(self, contexts: Sequence[Context | None]) -> Behind | None:
        """The work behind the verification of these rows' trees (``None``: a row without proposals): this object on an
        accelerator."""
        if not self._goes_behind:
            return None
        known = {at: self._rows[one] for at, one in enumerate(contexts) if one is not None and one in self._rows}
        self._step = {at: row for at, row in known.items() if not row.assumed}
        if not self._step:
            return None
        self._read([row for row in self._step.values() if row.unread])
        return self

    def arrays(self) -> Sequence[np.ndarray]:
        """Nothing: unread states were added when the step was laid out."""
        return ()

    def launch(self, verified: Verified, arrays: Sequence[torch.Tensor]) -> torch.Tensor:
        """``(rows, numbers)``: the last node of each walk and the token after it; then the trees of all rows, if a tree
        was asked for in this step. No tree is drafted if every row is sure of its continuation."""
        memory, at = self._memory, list(self._step)
        indices = [row.index for row in self._step.values()]
        assert verified.hidden is not None
        nodes, counts, following = (memory.of(at, one) for one in walk(verified))
        hidden, ends = memory.of(at, verified.hidden), (counts - 1).unsqueeze(1)
        states = hidden.gather(1, nodes.unsqueeze(-1).expand(-1, -1, hidden.shape[-1]))
        longest = max(row.length for row in self._step.values())
        memory.make_room(len(self._rows), longest + verified.deepest)
        memory.take_in(indices, states, following, counts, longest)
        found = [nodes.gather(1, ends).float(), following.gather(1, ends).float()]
        if self._asked:
            found.append(memory.draw(indices, longest + verified.deepest))
        return torch.cat(found, 1)

    def arrived(self, numbers: torch.Tensor) -> None:
        for row, (node, token, *_), tree in zip(self._step.values(), numbers.tolist(), numbers[:, 2:], strict=True):
            row.walked = int(node), int(token)
            row.drawn = tree_of(tree) if len(tree) else None
        self._asked = False

    def _read(self, rows: Sequence[_HeadRow]) -> None:
        """Adds the unread states of ``rows`` to the memory, all at once."""
        if not rows:
            return
        states, tokens = zip(*(row.read() for row in rows), strict=True)
        most, longest = max(map(len, tokens)), max(row.length for row in rows)
        after = np.zeros((len(rows), most), dtype=np.int64)
        for line, written in zip(after, tokens, strict=True):
            line[: len(written)] = written
        following, counts = self._staging.put([after, np.array([len(one) for one in tokens], dtype=np.int64)])
        self._memory.make_room(len(self._rows), longest + most)
        self._memory.take_in([row.index for row in rows], pad_sequence(list(states), True), following, counts, longest)
        for row, written in zip(rows, tokens, strict=True):
            row.length += len(written)


class _HeadRow:
    """One row: its ``index`` in the memory and its ``length`` there. ``unread`` are hidden states with the tokens that
    follow them, still to be added; ``drawn`` is the tree of the present state. ``walked`` is the last node of the
    device's walk through the last tree, and the token after it."""

    def __init__(self, index: int, length: int) -> None:
        self.index = index
        self.length = length
        self.unread: list[tuple[torch.Tensor, list[int]]] = []
        self.drawn: HeadTreeText | None = None
        self.walked: tuple[int, int] | None = None
        self.assumed: list[int] = []
        self._recent: list[torch.Tensor] = []

    def note(self, states: torch.Tensor, tokens: list[int]) -> None:
        """Records the written ``tokens``, each chosen from one of ``states``."""
        self.unread.append((states, tokens))
        self.drawn = None
        self.remember(states)

    def remember(self, states: torch.Tensor | None) -> None:
        """Keeps the last of ``states``, the target's most recent ones."""
        if states is not None:
            self._recent = [*self._recent, states[-RECENT:]][-RECENT:]

    def assume(self, tokens: list[int]) -> None:
        """Records ``tokens`` that were written without a state of the target; its most recent states are used for them
        (VVS)."""
        known = torch.cat(self._recent)[-RECENT:][-len(tokens) :]
        stale = torch.cat((known, known[-1:].expand(len(tokens) - len(known), -1)))
        self.unread.append((stale, tokens))
        self.assumed = tokens

    def take_back(self) -> list[int]:
        """Drops the entries made from substitute states; returns their tokens, whose real states are known now."""
        tokens, self.assumed = self.assumed, []
        if tokens and self.unread:
            self.unread.pop()  # not read since
        elif tokens:
            self.length -= len(tokens)
        return tokens

    def read(self) -> tuple[torch.Tensor, list[int]]:
        """The unread hidden states ``(tokens, size)`` and the tokens that follow them; they count as read from now
        on."""
        states = torch.cat([states for states, _ in self.unread])
        tokens = [token for _, written in self.unread for token in written]
        self.unread.clear()
        return states, tokens


def text_positions(ids: torch.Tensor, states: PromptStates, target: TargetModel) -> torch.Tensor:
    """Which positions ``(length,)`` of a prompt are text; at the others image features replace the tokens'
    embeddings."""
    return (states.embeddings == target.embed(ids)).all(-1)
