"""Compares spellings: where the same words have different tokens, a draft is resumed within a word.

White space, quotes, dashes, emphasis, escapes, hyphens at line ends, ligatures, full and half width and letter case are
ignored: positions are found by letters and digits only. The rest of a drafted word is tokenized again up to the next
white space; from there the draft's own tokens are used.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Protocol


class Codec(Protocol):
    """The two functions of a tokenizer; a target has them."""

    def tokenize(self, text: str) -> list[int]:
        """Token ids of ``text`` as the model would write them."""
        ...

    def detokenize(self, tokens: list[int]) -> str:
        """The text of ``tokens``."""
        ...


class _Texts(dict[int, str]):
    """The texts of single tokens inside a text (some tokenizers drop the space of a first token)."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._anchor = codec.tokenize("a")
        self._length = len(codec.detokenize(list(self._anchor)))

    def __missing__(self, token: int) -> str:
        text = self._codec.detokenize([*self._anchor, token])[self._length :] if token >= 0 else ""
        self[token] = text
        return text


class Speller:
    """The texts of single tokens and the tokens of short texts, cached."""

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self.text: Callable[[int], str] = _Texts(codec).__getitem__
        self.tokens: Callable[[str], tuple[int, ...]] = cache(lambda text: tuple(codec.tokenize(text)))


def letters(text: str) -> tuple[str, list[int]]:
    """The letters and digits of ``text`` in lower case and normal width: two texts with the same ones have the same
    words.

    For each of them, the index of its character in ``text``.
    """
    plain = [_plain(char) for char in text]
    owners = [index for index, part in enumerate(plain) for _ in part]
    return "".join(plain), owners


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    return "".join(part for part in unicodedata.normalize("NFKC", char).casefold() if part.isalnum())
