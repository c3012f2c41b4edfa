"""A model's tokenizer as a codec: text to tokens and back. It can be sent to other processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class TokenizerCodec:
    """The texts of ``tokenizer``, with special tokens if ``special_tokens`` (the model writes them in its answers)."""

    tokenizer: Any
    special_tokens: bool

    def tokenize(self, text: str) -> list[int]:
        """The tokens of ``text`` as it stands in an answer."""
        # verbose=False: drafts may well be longer than the model's context, which is nothing to warn of
        tokens: list[int] = self.tokenizer.encode(text, add_special_tokens=False, verbose=False)
        return tokens

    def detokenize(self, tokens: list[int]) -> str:
        """The text of ``tokens``."""
        text: str = self.tokenizer.decode(
            tokens, skip_special_tokens=not self.special_tokens, clean_up_tokenization_spaces=False
        )
        return text
