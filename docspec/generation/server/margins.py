"""The margins of an answer's tokens, from the log probabilities that servers give in OpenAI's form.

The difference of two log probabilities is that of the logits, whatever the server's softmax ran over; so the margin of
a token is the same figure as that of this package's own engine.
"""

from __future__ import annotations

import codecs
import math
from collections.abc import Mapping
from typing import Any

MOST = 50.0
"""Logits: a margin above that is as good as certain, and servers clip what is less likely."""


class Margins:
    """Collects the margins of an answer that comes in one piece or in many."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a character may have several tokens
        self._told: list[tuple[str, float]] = []

    def take(self, choice: Mapping[str, Any]) -> None:
        """Adds those of a choice, or of a piece of a streamed one; what is not in OpenAI's form is left."""
        told = choice.get("logprobs")
        content = told.get("content") if isinstance(told, Mapping) else None
        for token in content if isinstance(content, list) else ():
            if isinstance(token, Mapping) and isinstance(token.get("token"), str):
                self._told.append((self._text(token), _margin(token)))

    def _text(self, token: Mapping[str, Any]) -> str:
        spelled = token.get("bytes")
        if isinstance(spelled, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in spelled):
            return self._decoder.decode(bytes(spelled))
        return str(token["token"])

    @property
    def told(self) -> tuple[tuple[str, float], ...]:
        """The text of each token with its margin in logits (NaN: not told); empty if the server tells none."""
        return tuple(self._told)


def _margin(token: Mapping[str, Any]) -> float:
    """The distance to the second choice; without one, the least that the token's own probability leaves."""
    own, others = _number(token.get("logprob")), token.get("top_logprobs")
    others = others if isinstance(others, list) else []
    known = [_number(one.get("logprob")) for one in others if isinstance(one, Mapping)]
    likely = sorted((one for one in known if one == one), reverse=True)
    if len(likely) > 1:
        return min(MOST, likely[0] - likely[1])
    if own != own:
        return math.nan
    missing = -math.expm1(min(own, 0.0))  # 1 - p
    return MOST if missing <= 0 else max(0.0, min(MOST, own - math.log(missing)))


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else math.nan
