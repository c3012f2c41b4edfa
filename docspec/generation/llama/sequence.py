"""The state of a request while it is decoded: its prompt piece by piece, then its output token by token."""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from docspec.generation.interface import FinishReason, Generation, GenerationCounts, GenerationRequest
from docspec.generation.llama.choosing import Chooser
from docspec.generation.llama.prompt_encoder import PromptPiece
from docspec.proposing.chains import Chained


@dataclass(slots=True, eq=False)
class Decoding:
    """A request with its prompt's ``pieces`` and its ``drafts`` in tokens. It waits from ``arrived_at`` until it has a
    ``row`` of the KV memory at ``began`` (both of ``time.perf_counter``); ``tell`` receives its text as it grows, and
    ``chooser`` chooses its tokens (``None``: the likeliest).

    ``position`` is that of its next token; up to ``plainly`` the memory was computed from the prompt or one token at a
    time. ``index`` and ``offset`` are the present piece of the prompt and the next token in it. ``chain`` are the
    drafted tokens under verification behind the last token of the prompt or the output."""

    number: int
    request: GenerationRequest
    pieces: Sequence[PromptPiece]
    drafts: tuple[tuple[int, ...], ...]
    arrived_at: float
    tell: Callable[[str], None] | None = None
    chooser: Chooser | None = None
    row: int = -1
    began: float = 0.0
    index: int = 0
    offset: int = 0
    position: int = 0
    plainly: int = 0
    output: list[int] = field(default_factory=list)
    chain: list[int] = field(default_factory=list)
    chained: Chained | None = None
    finish: FinishReason | None = None
    steps: int = 0
    drafted: int = 0
    accepted: int = 0
    first: float = 0.0
    scores: list[tuple[bytes, float]] = field(default_factory=list)
    _end: bytes = b""
    _text: codecs.IncrementalDecoder = field(default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace"))

    @property
    def prompt_tokens(self) -> int:
        return sum(piece.size for piece in self.pieces)

    @property
    def piece(self) -> PromptPiece | None:
        """The piece of the prompt that is prefilled next; ``None`` after the last one."""
        return self.pieces[self.index] if self.index < len(self.pieces) else None

    @property
    def is_last(self) -> bool:
        """Whether the present piece is the last one of the prompt."""
        return self.index == len(self.pieces) - 1

    def read(self, count: int) -> None:
        """Counts ``count`` more tokens of the present piece as in the memory."""
        piece = self.piece
        assert piece is not None
        self.offset += count
        if piece.embeddings is None:
            self.position += count
        if self.offset == piece.size:
            self.position += piece.advance if piece.embeddings is not None else 0
            self.index, self.offset = self.index + 1, 0
        self.plainly = self.position

    def verify(self, choices: Sequence[int], is_end: Callable[[int], bool]) -> tuple[list[int], int]:
        """Writes the tokens of the chain that the model chose too and then its own token; ``choices`` are the model's,
        behind the token before the chain and behind each token of it. Returns the written tokens without the end token,
        and how many of them are of the chain; the memory must forget what it has behind these."""
        accepted = 0
        while accepted < len(self.chain) and choices[accepted] == self.chain[accepted]:
            accepted += 1
        written: list[int] = []
        for token in [*self.chain[:accepted], choices[accepted]]:
            if is_end(token):
                self.finish = "stop"
                break
            written.append(token)
            if len(self.output) + len(written) >= self.request.max_tokens:
                self.finish = "length"
                break
        accepted = min(accepted, len(written))
        self.output += written
        self.drafted += len(self.chain)
        self.accepted += accepted
        return written, accepted

    def look_for_stops(self, pieces: Sequence[bytes]) -> None:
        """Ends the answer if it has a stop string of the chat with its new ``pieces``."""
        if self.request.chat is None or not (stops := [stop.encode() for stop in self.request.chat.stops]):
            return
        text = self._end + b"".join(pieces)
        if any(stop in text for stop in stops):
            self.finish = "stop"
        self._end = text[-max(map(len, stops)) :]

    def tell_text(self, pieces: Sequence[bytes]) -> None:
        """Passes on the new text of the answer, as far as its characters are complete."""
        if self.tell is not None and (text := self._text.decode(b"".join(pieces), self.finish is not None)):
            self.tell(text)

    def generation(self, text: str) -> Generation:
        assert self.finish is not None
        now, first = time.perf_counter(), self.first or time.perf_counter()
        counts = GenerationCounts(
            tokens=len(self.output),
            prompt_tokens=self.prompt_tokens,
            steps=self.steps,
            drafted=self.drafted,
            accepted=self.accepted,
            waiting_seconds=self.began - self.arrived_at,
            prefill_seconds=first - self.began,
            decode_seconds=now - first,
        )
        return Generation(text, self.finish, counts, tuple(self.output), scores=tuple(self.scores))
