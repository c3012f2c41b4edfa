"""Tells docspec's proposers when a step of vLLM begins, and gives them vLLM's tokenizer as a codec.

A proposer is not told the request of each row of the batch, nor when a request begins. The model runner knows, so its
step is wrapped, once in a process when the proposer is made. Runners with other proposers are unchanged.
"""

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


def tell(runner: Any, attribute: str, proposer: type) -> bool:
    """Has runners of the class ``runner`` whose ``attribute`` is a ``proposer`` call its ``begin_step(runner,
    scheduler_output)`` at each step from now on. False if they do already."""
    execute_model = runner.execute_model
    if getattr(execute_model, "tells_docspec", False):
        return False

    def telling(self: Any, scheduler_output: Any, *args: Any, **kwargs: Any) -> Any:
        drafter = getattr(self, attribute, None)
        if isinstance(drafter, proposer):
            drafter.begin_step(self, scheduler_output)  # type: ignore[attr-defined]
        return execute_model(self, scheduler_output, *args, **kwargs)

    telling.tells_docspec = True  # type: ignore[attr-defined]
    runner.execute_model = telling
    return True
