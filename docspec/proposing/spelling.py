"""Bridges between spellings: where the same words stand in other tokens, the draft is taken up mid-word.

White space, quotes, dashes, emphasis, escapes, hyphens at line ends, ligatures, full and half width and letter case are
no differences of text. So positions are found by letters and digits alone. The rest of a drafted word is tokenised anew
up to the next white space; from there the draft's own tokens serve again.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Protocol


class Codec(Protocol):
    """A tokenizer as two functions; a target is one."""

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
    """The texts of single tokens and the tokens of short texts, remembered."""

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self.text: Callable[[int], str] = _Texts(codec).__getitem__
        self.tokens: Callable[[str], tuple[int, ...]] = cache(lambda text: tuple(codec.tokenize(text)))


def letters(text: str) -> tuple[str, list[int]]:
    """What must agree for two texts to be the same words: letters and digits in lower case and normal width.

    With each of them, the index of the character in ``text`` that it comes from.
    """
    plain = [_plain(char) for char in text]
    owners = [index for index, part in enumerate(plain) for _ in part]
    return "".join(plain), owners


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    return "".join(part for part in unicodedata.normalize("NFKC", char).casefold() if part.isalnum())
