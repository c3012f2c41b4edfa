"""Continuous batching: each step runs one batch of tokens of all sequences, then one batch of image embeddings.

A sequence that ends makes room for the next one. Prompts are prefilled while others are decoded; the last piece of a
prompt is run together with the first draft, so that an answer that follows the draft is written by the prefill.
Rejected tokens are removed from the KV memory.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from docspec.core import PageError
from docspec.generation.interface import Generation
from docspec.generation.llama.loaded import BATCH, LoadedModel
from docspec.generation.llama.sequence import Decoding
from docspec.generation.llama.settings import LlamaSettings
from docspec.proposing.chains import Chains


@dataclass(slots=True)
class _Step:
    """A token batch under construction. ``asked`` are the indices of the tokens behind which the next one is chosen;
    ``spans`` are the batch's sequences, each with the index of its first choice in ``asked`` and their number."""

    tokens: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    spans: list[tuple[Decoding, int, int]] = field(default_factory=list)

    @property
    def room(self) -> int:
        return BATCH - len(self.tokens)

    def add(self, sequence: Decoding, tokens: Iterable[int], choices: int) -> None:
        """Adds ``tokens`` of a sequence; the next token is chosen behind each of the last ``choices`` of them."""
        before = len(self.tokens)
        self.tokens += tokens
        size = len(self.tokens) - before
        self.positions += range(sequence.position, sequence.position + size)
        self.rows += [sequence.row] * size
        if choices:
            self.spans.append((sequence, len(self.asked), choices))
            self.asked += range(len(self.tokens) - choices, len(self.tokens))

    def choose(self, logits: np.ndarray) -> list[int]:
        """The next tokens by ``logits`` ``(asked, vocab)``, where some sequences have a chooser."""
        best: list[int] = logits.argmax(1).tolist()
        for sequence, start, count in self.spans:
            if sequence.chooser is not None:
                part = slice(start, start + count)
                best[part] = sequence.chooser.choose(logits[part], sequence.output, sequence.chain)
        return best


class BatchEngine:
    """Decodes many requests in one batch. ``answered`` receives the number of each request that ends and its answer or
    error. Choices with a margin below ``noise`` (in logits) are made again one token at a time."""

    def __init__(
        self,
        model: LoadedModel,
        settings: LlamaSettings,
        answered: Callable[[int, Generation | PageError], None],
        noise: float,
    ) -> None:
        self._model = model
        self._answered = answered
        self._rows = deque(range(1 if settings.strict else settings.rows))
        self._num_draft_tokens = settings.num_draft_tokens if model.can_rewind else 0
        self._noise = noise
        self._waiting: deque[Decoding] = deque()
        self._active: dict[int, Decoding] = {}
        self._cells = 0
        self._chains = Chains(model)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is decoded and nothing waits."""
        return not self._active and not self._waiting

    @property
    def has_room(self) -> bool:
        """Whether a row is free for one more request, and none waits for memory already."""
        return bool(self._rows) and not self._waiting

    def add(self, sequence: Decoding) -> None:
        if self._need(sequence) > self._model.cells:
            error = PageError(
                f"a prompt of {sequence.prompt_tokens} tokens and an answer of up to {sequence.request.max_tokens} do "
                f"not fit a KV memory of {self._model.cells} tokens; lower --max-tokens"
            )
            self._answered(sequence.number, error)
        else:
            self._waiting.append(sequence)
            self._admit()

    def cancel(self, number: int) -> None:
        self._waiting = deque(one for one in self._waiting if one.number != number)
        if number in self._active:
            self._remove(self._active[number])

    def step(self) -> None:
        """Runs one forward pass over tokens and one over images, if there are any. If it fails, all active requests
        fail."""
        try:
            self._step()
        except PageError as error:
            for sequence in list(self._active.values()):
                self._remove(sequence)
                self._answered(sequence.number, error)

    def _step(self) -> None:
        self._admit()
        step, plain = self._next_step()
        if step.tokens:
            began = time.perf_counter()
            choose = step.choose if any(sequence.chooser for sequence, _, _ in step.spans) else None
            choices = self._model.decode(step.tokens, step.positions, step.rows, step.asked, self._noise > 0, choose)
            if plain:
                rows = len(step.spans)
                self._chains.cost.note(rows, len(step.tokens) - rows, time.perf_counter() - began)
            for sequence, start, count in step.spans:
                chosen = choices.tokens[start : start + count]
                margins = choices.margins[start : start + count]
                self._accept(sequence, chosen, margins, start)
        self._embed()

    def _need(self, sequence: Decoding) -> int:
        return sequence.prompt_tokens + sequence.request.max_tokens + self._num_draft_tokens + 1

    def _admit(self) -> None:
        while self._waiting and self._rows:
            sequence = self._waiting[0]
            need = self._need(sequence)
            if self._cells + need > self._model.cells:
                return
            self._waiting.popleft()
            self._cells += need
            sequence.row, sequence.began = self._rows.popleft(), time.perf_counter()
            self._active[sequence.number] = sequence

    def _remove(self, sequence: Decoding) -> None:
        self._model.forget(sequence.row)
        self._rows.append(sequence.row)
        self._cells -= self._need(sequence)
        del self._active[sequence.number]
        if sequence.chained is not None:
            self._chains.end(sequence.chained)

    def _next_step(self) -> tuple[_Step, bool]:
        """The next token batch, and whether it has no prompt tokens: the cost of a drafted token is measured only on
        such steps."""
        step, plain = _Step(), True
        writing = [one for one in self._active.values() if one.piece is None]
        reading = [one for one in self._active.values() if one.piece is not None]
        ending = [one for one in reading if one.is_last and one.piece is not None and one.piece.embeddings is None]
        share = self._model.outputs_at_once // max(1, len(writing) + len(ending)) - 1
        room = min(self._num_draft_tokens, max(0, share))
        self._propose(writing, room)
        for sequence in writing:
            step.add(sequence, [sequence.output[-1], *sequence.chain], 1 + len(sequence.chain))
        for sequence in reading:
            piece = sequence.piece
            if piece is None or piece.embeddings is not None or not step.room:
                continue
            plain = False
            tokens = piece.tokens[sequence.offset : sequence.offset + step.room]
            ends = sequence.is_last and sequence.offset + len(tokens) == piece.size
            if ends:
                self._begin(sequence, min(room, step.room - len(tokens)), len(writing) + len(ending))
            step.add(sequence, [*tokens, *sequence.chain], 1 + len(sequence.chain) if ends else 0)
            sequence.read(len(tokens))
        return step, plain

    def _propose(self, writing: list[Decoding], room: int) -> None:
        asked = [(one.chained, room) for one in writing if one.chained is not None]
        chains = iter(self._chains.propose(asked, len(writing)) if room else [])
        for sequence in writing:
            sequence.chain = next(chains, []) if sequence.chained is not None else []

    def _begin(self, sequence: Decoding, room: int, writing: int) -> None:
        """Proposes the first draft before anything is written: its first token stands for the one that the prompt's
        last logits will choose."""
        request, drafts = sequence.request, sequence.drafts
        room = min(room, request.max_tokens - 1)
        if not drafts or room < 1:
            return
        head = drafts[0][0]
        sequence.chained = self._chains.begin(drafts, request.kind, request.max_tokens, [head])
        [chain] = self._chains.propose([(sequence.chained, room - 1)], writing)
        sequence.chain = [head, *chain]

    def _accept(self, sequence: Decoding, chosen: list[int], margins: list[float], first: int) -> None:
        """Writes the accepted tokens of a sequence, whose ``first`` choice has that index in the pass's logits, and
        removes its rejected ones."""
        now = time.perf_counter()
        began = not sequence.output
        if self._noise:
            self._redecide(sequence, chosen, margins)
        written, accepted = sequence.verify(chosen, self._model.is_end)
        if began:
            sequence.first = now
        else:
            sequence.steps += 1
        special_tokens = sequence.request.special_tokens
        pieces = [self._model.bytes_of(token, special_tokens) for token in written]
        if sequence.request.chat is not None and sequence.request.chat.scored:
            scores = [self._model.log_probability(first + index, token) for index, token in enumerate(written)]
            sequence.scores += zip(pieces, scores, strict=True)
        sequence.look_for_stops(pieces)
        sequence.tell_text(pieces)
        if sequence.finish is not None:
            text = self._model.detokenize(sequence.output, special_tokens)
            self._remove(sequence)
            self._answered(sequence.number, sequence.generation(text))
            return
        sequence.position += accepted + (not began)
        if accepted < len(sequence.chain):
            self._model.forget(sequence.row, sequence.position)
        self._follow(sequence, written, began)

    def _follow(self, sequence: Decoding, written: list[int], began: bool) -> None:
        if not self._num_draft_tokens:
            return
        chained = sequence.chained
        if began and chained is not None and written[0] == sequence.chain[0]:
            self._chains.written(chained, written[1:])
        elif began:
            if chained is not None:
                self._chains.end(chained)
            request = sequence.request
            sequence.chained = self._chains.begin(sequence.drafts, request.kind, request.max_tokens, written)
        elif chained is not None:
            self._chains.written(chained, written)

    def _redecide(self, sequence: Decoding, chosen: list[int], margins: list[float]) -> None:
        """Makes the first choice with too small a margin again, on a memory computed one token at a time; the choices
        behind it are dropped."""
        for position, (drafted, margin) in enumerate(zip([*sequence.chain, -1], margins, strict=True)):
            if margin < self._noise and (position or sequence.output):
                self._replay(sequence, chosen, position)
                return
            if chosen[position] != drafted:
                return

    def _replay(self, sequence: Decoding, chosen: list[int], position: int) -> None:
        start = sequence.position - len(sequence.output) + (1 if sequence.output else 0)
        whole = [*sequence.output, *sequence.chain[:position]]
        again = whole[sequence.plainly - start :] if sequence.output else whole
        self._model.forget(sequence.row, sequence.plainly)
        for index, token in enumerate(again):
            choice = self._model.decode([token], [sequence.plainly + index], [sequence.row], [0])
        sequence.plainly += len(again)
        chosen[position] = choice.tokens[0]
        sequence.chain = sequence.chain[:position]

    def _embed(self) -> None:
        embeddings, positions, rows, read, room = [], [], [], [], BATCH
        for sequence in self._active.values():
            piece = sequence.piece
            if piece is None or piece.embeddings is None or piece.positions is None or not room:
                continue
            part = slice(sequence.offset, min(piece.size, sequence.offset + room))
            size = part.stop - part.start
            embeddings.append(piece.embeddings[part])
            positions.append(piece.positions[:, part])
            rows += [sequence.row] * size
            read.append((sequence, size))
            room -= size
        if embeddings:
            self._model.embed(np.concatenate(embeddings), np.concatenate(positions, axis=1), rows)
            for sequence, size in read:
                sequence.read(size)
