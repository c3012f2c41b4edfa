"""The next token where a chat asks for more than the likeliest one: llama.cpp's penalties, n-grams that are not
repeated, and a grammar, along drafted tokens as they would be one by one.
"""

from __future__ import annotations

import ctypes
import weakref
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from docspec.core import PageError
from docspec.generation.interface import Conversation
from docspec.generation.llama.library import Library

CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
"""``llama_token_data``."""


class Chooser:
    """Chooses the tokens of one answer; ``prompt`` are the prompt's tokens of text. Raises
    :class:`docspec.core.PageError` if the schema is not understood."""

    def __init__(self, library: Library, vocab: Any, chat: Conversation, prompt: Sequence[int]) -> None:
        self._llama = library.llama
        self._vocab = vocab
        self._chat = chat
        self._prompt = list(prompt)
        self._grammar = _grammar_of(library, vocab, chat.schema) if chat.schema else None
        if self._grammar is not None:
            weakref.finalize(self, self._llama.llama_sampler_free, self._grammar)

    @staticmethod
    def is_needed(chat: Conversation) -> bool:
        """Whether the likeliest token is not always the one that ``chat`` asks for."""
        return chat.is_penalised or chat.no_repeat > 0 or bool(chat.schema)

    def choose(self, logits: np.ndarray, written: Sequence[int], chain: Sequence[int]) -> list[int]:
        """The tokens behind ``written`` and behind each token of the drafted ``chain``, as long as they are those of
        the chain; -1 behind the first other one. ``logits`` ``(1 + chain, vocab)`` are as before when it returns."""
        chosen: list[int] = []
        for position, row in enumerate(logits):
            chosen.append(self._next(row, [*written, *chain[:position]]))
            if position == len(chain) or chosen[-1] != chain[position]:
                break
        return chosen + [-1] * (len(logits) - len(chosen))

    def _next(self, row: np.ndarray, written: list[int]) -> int:
        changed = self._changed(row, written)
        before = row[changed[0]]
        row[changed[0]] = changed[1]
        token = int(row.argmax())
        if self._grammar is not None:
            token = self._allowed(row, token)
            if not self._llama.llama_vocab_is_eog(self._vocab, token):
                self._llama.llama_sampler_accept(self._grammar, token)
        row[changed[0]] = before
        return token

    def _changed(self, row: np.ndarray, written: list[int]) -> tuple[list[int], np.ndarray]:
        """Tokens and their changed logits."""
        chat, found = self._chat, {}
        if chat.is_penalised and chat.last:
            seen = [*self._prompt[-chat.last :], *written] if chat.last > 0 else [*self._prompt, *written]
            for token, count in Counter(seen[-chat.last :] if chat.last > 0 else seen).items():
                logit = float(row[token])
                logit = logit * chat.repeat_penalty if logit <= 0 else logit / chat.repeat_penalty
                found[token] = logit - count * chat.frequency_penalty - chat.presence_penalty
        size = chat.no_repeat
        if 0 < size <= len(written) + 1:
            head = written[len(written) - size + 1 :]
            for start in range(len(written) - size + 1):
                if written[start : start + size - 1] == head:
                    found[written[start + size - 1]] = -np.inf
        return list(found), np.fromiter(found.values(), np.float32, len(found))

    def _allowed(self, row: np.ndarray, token: int) -> int:
        """``token`` if the grammar allows it, else the likeliest one that it allows."""
        alone = np.zeros(1, CANDIDATE)
        alone["id"], alone["logit"] = token, row[token]
        self._apply(alone)
        if np.isfinite(alone["logit"][0]):
            return token
        every = np.zeros(len(row), CANDIDATE)
        every["id"], every["logit"] = np.arange(len(row)), row
        self._apply(every)
        return int(every["id"][every["logit"].argmax()])

    def _apply(self, candidates: np.ndarray) -> None:
        llama = self._llama
        data = ctypes.cast(ctypes.c_void_p(candidates.ctypes.data), llama.llama_token_data_p)
        array = llama.llama_token_data_array(data, len(candidates), -1, False)
        llama.llama_sampler_apply(self._grammar, ctypes.byref(array))


def _grammar_of(library: Library, vocab: Any, schema: str) -> Any:
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    try:
        text = json_schema_to_gbnf(schema)
    except Exception as error:  # of whatever a client sends
        raise PageError(f"the JSON schema is not understood: {type(error).__name__}") from None
    grammar = library.llama.llama_sampler_init_grammar(vocab, text.encode(), b"root")
    if not grammar:
        raise PageError("the JSON schema is not understood by llama.cpp")
    return grammar
