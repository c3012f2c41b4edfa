"""vLLM's tokenizer of the served model as docspec's codec."""

from __future__ import annotations

from typing import Any


class Tokenizer:
    """``tokenizer`` is vLLM's."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def tokenize(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    def detokenize(self, tokens: list[int]) -> str:
        text: str = self._tokenizer.decode(tokens, skip_special_tokens=False)
        return text


def tokenizer_of(vllm_config: Any) -> Tokenizer:
    """The tokenizer of the configuration's model."""
    from vllm.tokenizers import cached_tokenizer_from_config

    return Tokenizer(cached_tokenizer_from_config(vllm_config.model_config))
