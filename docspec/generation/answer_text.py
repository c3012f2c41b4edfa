"""The text of an answer while its tokens are written: whole characters only, and nothing behind a stop string."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from docspec.engine.request import Loop

UNFINISHED = "\ufffd"
"""The decoded form of an incomplete UTF-8 character."""

Decode = Callable[[list[Any]], str]
"""Turns tokens, or pieces of text, into text."""


class StopStrings:
    """A stop rule of the engine: an answer ends where its text contains one of ``stops``."""

    def __init__(self, decode: Decode, stops: Sequence[str]) -> None:
        self._decode = decode
        self._stops = stops
        self._reach = 8 + max(map(len, stops))
        self._tokens: list[int] = []

    def observe(self, token: int) -> Loop | None:
        self._tokens.append(token)
        near = self._decode(self._tokens[-self._reach :])
        if any(stop in near for stop in self._stops):
            text = self._decode(self._tokens)
            if any(stop in text for stop in self._stops):
                return Loop(len(self._tokens), 0, 0, "")
        return None


class AnswerText:
    """The text of one answer, which ends before the first of ``stops``."""

    def __init__(self, decode: Decode, stops: Sequence[str] = ()) -> None:
        self._decode = decode
        self._stops = stops
        self._told = 0

    def whole(self, tokens: Sequence[Any]) -> str:
        """The text of all ``tokens``."""
        text = self._decode(list(tokens))
        starts = [start for stop in self._stops if (start := text.find(stop)) >= 0]
        return text[: min(starts, default=len(text))]

    def grown(self, tokens: Sequence[Any]) -> str:
        """The text of ``tokens`` that can be sent now and was not sent before: without an incomplete character, and
        without a possible beginning of a stop string."""
        text = self.whole(tokens)
        end = len(text.rstrip(UNFINISHED))
        for stop in self._stops:
            for size in range(min(len(stop) - 1, end), 0, -1):
                if text.startswith(stop[:size], end - size):
                    end -= size
                    break
        return self._tell(text[:end])

    def rest(self, tokens: Sequence[Any]) -> str:
        """The text of an answer that ended with ``tokens`` that was not sent before."""
        return self._tell(self.whole(tokens))

    def _tell(self, text: str) -> str:
        new = text[self._told :]
        self._told = max(self._told, len(text))
        return new
