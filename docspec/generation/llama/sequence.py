"""A request while it is decoded: its prompt piece by piece, then what it writes token by token."""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from docspec.generation.interface import FinishReason, Generation, GenerationCounts
from docspec.generation.llama.pictures import PromptPiece
from docspec.generation.llama.settings import ChildRequest
from docspec.proposing.chains import Chained


@dataclass(frozen=True, slots=True, eq=False)
class PreparedRequest:
    """A request that can be decoded: its prompt's ``pieces`` and its ``drafts`` in tokens. It came at ``asked_at``, by
    ``time.perf_counter``."""

    ask: ChildRequest
    pieces: Sequence[PromptPiece]
    drafts: tuple[tuple[int, ...], ...]
    asked_at: float

    @property
    def prompt_tokens(self) -> int:
        return sum(piece.size for piece in self.pieces)


@dataclass(slots=True, eq=False)
class Decoding:
    """One row of the KV memory. ``position`` is where its next token stands, ``plainly`` up to where what the memory
    holds was made one token at a time (or by the prompt). ``chain`` are drafted tokens that are being verified behind
    the last token of the prompt or of the output."""

    prepared: PreparedRequest
    row: int
    tell: Callable[[str], None] | None = None
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
    began: float = field(default_factory=time.perf_counter)
    first: float = 0.0
    _text: codecs.IncrementalDecoder = field(default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace"))

    @property
    def piece(self) -> PromptPiece | None:
        """The part of the prompt that is read next; ``None`` when all is read."""
        return self.prepared.pieces[self.index] if self.index < len(self.prepared.pieces) else None

    @property
    def is_last(self) -> bool:
        """Whether what is read next ends the prompt."""
        return self.index == len(self.prepared.pieces) - 1

    @property
    def limit(self) -> int:
        return self.prepared.ask.max_tokens

    def read(self, count: int) -> None:
        """``count`` tokens of the present piece are in the memory."""
        piece = self.piece
        assert piece is not None
        self.offset += count
        if piece.embeddings is None:
            self.position += count
        if self.offset == piece.size:
            self.position += piece.advance if piece.embeddings is not None else 0
            self.index, self.offset = self.index + 1, 0
        self.plainly = self.position

    def take(self, choices: Sequence[int], is_end: Callable[[int], bool]) -> list[int]:
        """Of the chain what the model chose too is written, and its own token after that: ``choices`` are the model's
        behind the token before the chain and behind each of the chain's. Returns what was written, the end token left
        out; the memory must forget from ``position`` on."""
        right = 0
        while right < len(self.chain) and choices[right] == self.chain[right]:
            right += 1
        return self.write([*self.chain[:right], choices[right]], is_end)

    def write(self, tokens: Sequence[int], is_end: Callable[[int], bool]) -> list[int]:
        """Adds ``tokens`` up to the answer's end; all of them but the last are in the memory."""
        written = []
        for token in tokens:
            if is_end(token):
                self.finish = "stop"
                break
            written.append(token)
            if len(self.output) + len(written) >= self.limit:
                self.finish = "length"
                break
        self.output += written
        return written

    def tell_text(self, pieces: Sequence[bytes]) -> None:
        """Tells what the answer has grown by, as far as it is whole characters."""
        if self.tell is not None and (text := self._text.decode(b"".join(pieces), self.finish is not None)):
            self.tell(text)

    def generation(self, text: str) -> Generation:
        assert self.finish is not None
        now, first = time.perf_counter(), self.first or time.perf_counter()
        counts = GenerationCounts(
            tokens=len(self.output),
            prompt_tokens=self.prepared.prompt_tokens,
            steps=self.steps,
            drafted=self.drafted,
            accepted=self.accepted,
            waiting_seconds=self.began - self.prepared.asked_at,
            prefill_seconds=first - self.began,
            decode_seconds=now - first,
        )
        return Generation(text, self.finish, counts, tuple(self.output))
