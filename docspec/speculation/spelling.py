"""Tokens and text: what speculation asks of a tokenizer, and nothing of the model behind it."""

from __future__ import annotations

from typing import Protocol


class Codec(Protocol):
    """A tokenizer as two functions; a target is one."""

    def tokenize(self, text: str) -> list[int]:
        """Token ids of ``text`` as the model would write them."""
        ...

    def detokenize(self, tokens: list[int]) -> str:
        """The text of ``tokens``."""
        ...
