"""A model inside the child: its tokenizer, and forward passes over tokens or embeddings of many sequences.

Steps read the logits in llama.cpp's own memory, without a copy.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from docspec.core import ModelError, PageError
from docspec.generation.llama.library import Library
from docspec.generation.llama.settings import LlamaSettings

BATCH = 2048
"""Tokens in one forward pass, of all sequences together."""

LOGITS_BYTES = 64 << 20
"""Bytes of the logits of one forward pass, which bound the tokens that are verified at once."""

FLOAT32, FLOAT16 = 0, 1
"""``GGML_TYPE_F32`` and ``GGML_TYPE_F16``."""

ALLOWED = 512
"""The most threads of a context."""

NOISE_TOKENS = 64
NOISE_WIDTHS = (64, 16, 8, 3)
NOISE_RIVALS = 8
"""The number of likeliest tokens at each position whose distances from the first are compared."""

NOISE_SAFETY = 2.0
"""The bound over the measured noise, which is the largest at a few hundred positions of meaningless text."""


class Choices(NamedTuple):
    """``tokens`` are the likeliest ones behind each index that was asked for; ``margins`` are their distances from the
    second ones in logits (empty unless asked for)."""

    tokens: list[int]
    margins: list[float]


class LoadedModel:
    """One text model with its KV memory; ``weights`` are those of a model that is loaded already. Raises
    :class:`docspec.core.ModelError` if it cannot be loaded."""

    def __init__(self, library: Library, settings: LlamaSettings, weights: Any = None) -> None:
        self.library = library
        self._settings = settings
        llama = self._llama = library.llama
        params = llama.llama_model_default_params()
        self.model = weights or llama.llama_model_load_from_file(settings.model.encode(), params)
        if not self.model:
            raise ModelError(f"{settings.model} cannot be loaded by llama.cpp {library.version}")
        self.vocab = llama.llama_model_get_vocab(self.model)
        self.vocab_size = int(llama.llama_vocab_n_tokens(self.vocab))
        if llama.llama_model_has_encoder(self.model):
            raise ModelError(f"{settings.model}: models with a text encoder are not read")
        self.can_rewind = not (llama.llama_model_is_recurrent(self.model) or llama.llama_model_is_hybrid(self.model))
        self.context = llama.llama_init_from_model(self.model, self._context_params(settings))
        if not self.context:
            raise ModelError(f"{settings.model}: no KV memory of {settings.cells} tokens can be had")
        self.memory = llama.llama_get_memory(self.context)
        self.cells = int(llama.llama_n_ctx(self.context))
        self.outputs_at_once = max(settings.rows, min(BATCH, LOGITS_BYTES // (4 * self.vocab_size)))
        self._bytes: dict[tuple[int, bool], bytes] = {}
        self._batch = _Batch(llama)
        bos = llama.llama_vocab_bos(self.vocab)
        self.bos = self.detokenize([bos], special_tokens=True) if bos >= 0 else ""
        eos = llama.llama_vocab_eos(self.vocab)
        self.eos = self.detokenize([eos], special_tokens=True) if eos >= 0 else ""

    def beside(self) -> LoadedModel:
        """A model with the same weights and another KV memory, for another thread."""
        return LoadedModel(self.library, self._settings, self.model)

    def _context_params(self, settings: LlamaSettings) -> Any:
        llama = self._llama
        params = llama.llama_context_default_params()
        params.n_ctx = settings.cells
        params.n_batch = BATCH
        params.n_seq_max = settings.rows
        params.kv_unified = True
        params.n_threads = params.n_threads_batch = min(settings.threads, ALLOWED)
        params.type_k = params.type_v = FLOAT32 if settings.exact_kv else FLOAT16
        params.flash_attn_type = int(settings.flash)
        params.no_perf = True
        return params

    @property
    def template(self) -> str | None:
        """The chat template in the file."""
        found = self._llama.llama_model_chat_template(self.model, None)
        return found.decode("utf-8", "replace") if found else None

    def tokenize(self, text: str, add_bos: bool = False, special_tokens: bool = False) -> list[int]:
        """Token ids of ``text``, without special ones unless ``special_tokens``; ``add_bos``: behind the tokenizer's
        own first token."""
        data = text.encode("utf-8", "replace")
        room = len(data) + 8
        tokens = (self._llama.llama_token * room)()
        found = self._llama.llama_tokenize(self.vocab, data, len(data), tokens, room, add_bos, special_tokens)
        return tokens[: max(found, 0)]

    def bytes_of(self, token: int, special_tokens: bool) -> bytes:
        """The bytes of a token; none for a special one without ``special_tokens``."""
        found, size = self._bytes.get((token, special_tokens)), 64
        while found is None:
            buffer = ctypes.create_string_buffer(size)
            size = self._llama.llama_token_to_piece(self.vocab, token, buffer, size, 0, special_tokens)
            if size >= 0:
                found = self._bytes[token, special_tokens] = buffer.raw[:size]
            size = -size  # the size that the token needs
        return found

    def detokenize(self, tokens: Sequence[int], special_tokens: bool = True) -> str:
        return b"".join(self.bytes_of(token, special_tokens) for token in tokens).decode("utf-8", "replace")

    def is_end(self, token: int) -> bool:
        return bool(self._llama.llama_vocab_is_eog(self.vocab, token))

    def decode(
        self,
        tokens: Sequence[int],
        positions: Sequence[int],
        rows: Sequence[int],
        asked: Sequence[int],
        margins: bool = False,
        choose: Callable[[np.ndarray], list[int]] | None = None,
    ) -> Choices:
        """Runs one forward pass over ``tokens`` at ``positions`` of ``rows``, and chooses the next token behind each
        index in ``asked`` (ascending): the likeliest one, or that of ``choose``, which is given the logits
        ``(asked, vocab)``."""
        self._batch.fill(positions, rows, asked)
        self._batch.tokens[: len(tokens)] = tokens
        self._run(self._batch.of_tokens(len(tokens)))
        if not asked:
            return Choices([], [])
        logits = self.logits(len(asked))
        best = logits.argmax(1).tolist() if choose is None else choose(logits)
        if not margins:
            return Choices(best, [])
        two = np.partition(logits, -2, axis=1)[:, -2:]
        return Choices(best, (two[:, 1] - two[:, 0]).tolist())

    def logits(self, count: int) -> np.ndarray:
        """The last pass's logits ``(count, vocab)``, in llama.cpp's own memory: the next pass overwrites them."""
        first = self._llama.llama_get_logits(self.context)
        return np.ctypeslib.as_array(first, (count * self.vocab_size,)).reshape(count, -1)

    def log_probability(self, index: int, token: int) -> float:
        """The natural logarithm of the probability of ``token`` at ``index`` of the last pass's logits."""
        row = self.logits(index + 1)[index]
        most = float(row.max())
        return float(row[token]) - most - float(np.log(np.exp(row - most).sum(dtype=np.float64)))

    def embed(self, embeddings: np.ndarray, positions: np.ndarray, rows: Sequence[int]) -> None:
        """Runs one forward pass over ``embeddings`` ``(n, size)`` at ``positions`` ``(axes, n)``."""
        self._batch.fill((), rows, ())
        self._run(self._batch.of_embeddings(embeddings, positions))

    def _run(self, batch: Any) -> None:
        status = self._llama.llama_decode(self.context, batch)
        if status:
            reason = "its KV memory is full" if status == 1 else f"llama_decode answers {status}"
            raise PageError(f"llama.cpp: {reason}")

    def forget(self, row: int, position: int = -1) -> None:
        """Removes the tokens of ``row`` from ``position`` on (-1: all) from the KV memory."""
        self._llama.llama_memory_seq_rm(self.memory, row, position, -1)


class _Batch:
    """The arrays of a ``llama_batch``, made once."""

    def __init__(self, llama: Any) -> None:
        self._struct = llama.llama_batch
        self._types = dict(llama.llama_batch._fields_)
        self.tokens = np.zeros(BATCH, np.int32)
        self._positions = np.zeros(BATCH, np.int32)
        self._rows = np.zeros(BATCH, np.int32)
        self._asked = np.zeros(BATCH, np.int8)
        self._counts = np.ones(BATCH, np.int32)
        self._each_row = self._rows.ctypes.data + 4 * np.arange(BATCH, dtype=np.uintp)

    def fill(self, positions: Sequence[int], rows: Sequence[int], asked: Sequence[int]) -> None:
        self._positions[: len(positions)] = positions
        self._rows[: len(rows)] = rows
        self._asked[: len(rows)] = 0
        if asked:
            self._asked[list(asked)] = 1

    def of_tokens(self, size: int) -> Any:
        return self._made(size, token=self.tokens, pos=self._positions)

    def of_embeddings(self, embeddings: np.ndarray, positions: np.ndarray) -> Any:
        self._held = np.ascontiguousarray(embeddings, np.float32), np.ascontiguousarray(positions, np.int32)
        return self._made(len(embeddings), embd=self._held[0], pos=self._held[1])

    def _made(self, size: int, **arrays: np.ndarray) -> Any:
        batch = self._struct()
        batch.n_tokens = size
        arrays |= {"n_seq_id": self._counts, "seq_id": self._each_row, "logits": self._asked}
        for name, array in arrays.items():
            setattr(batch, name, ctypes.cast(ctypes.c_void_p(array.ctypes.data), self._types[name]))
        return batch


def shape_noise(model: LoadedModel) -> float:
    """The margin (in logits) below which a choice made in a batch may be another one in a step of one token, measured
    on the user's own file; :mod:`docspec.targets.tree_check` does so for docspec's own engine."""
    tokens = np.random.default_rng(0).integers(0, model.vocab_size, NOISE_TOKENS).tolist()
    alone = _logits(model, tokens, 1)
    rivals = np.argsort(alone, axis=1)[:, : -1 - NOISE_RIVALS : -1]
    first = np.take_along_axis(alone, rivals, 1)
    most = float(np.finfo(np.float32).eps * np.abs(first).max())
    for width in NOISE_WIDTHS:
        moved = np.take_along_axis(_logits(model, tokens, width), rivals, 1) - first
        most = max(most, float(np.abs(moved - moved[:, :1]).max()))
    return NOISE_SAFETY * most


def _logits(model: LoadedModel, tokens: list[int], width: int) -> np.ndarray:
    """Logits ``(tokens, vocab)`` of ``tokens`` run ``width`` at a time."""
    found = []
    for start in range(0, len(tokens), width):
        part = tokens[start : start + width]
        positions = list(range(start, start + len(part)))
        model.decode(part, positions, [0] * len(part), list(range(len(part))))
        found.append(model.logits(len(part)).copy())
    model.forget(0)
    return np.concatenate(found)
