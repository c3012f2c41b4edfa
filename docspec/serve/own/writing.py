"""The text of an answer while it is decoded: the part that may be sent, and the end at a stop string."""

from __future__ import annotations

from collections.abc import Callable

from docspec.engine.stopping import Loop

UNFINISHED = "\ufffd"
"""The decoded form of an incomplete UTF-8 character."""


class AnswerText:
    """The text of one answer, and a stop rule of the engine. ``decode`` turns tokens into text."""

    def __init__(self, decode: Callable[[list[int]], str], stops: tuple[str, ...] = ()) -> None:
        self._decode = decode
        self._stops = stops
        self._reach = 8 + max(map(len, stops), default=0)
        self._tokens: list[int] = []
        self._told = 0
        self.text = ""
        self.stopped = False

    def observe(self, token: int) -> Loop | None:
        """Takes one more token. If the text now contains a stop string, the answer ends before it."""
        if not self._stops:
            return None
        self._tokens.append(token)
        near = self._decode(self._tokens[-self._reach :])
        if not any(stop in near for stop in self._stops):
            return None
        text = self._decode(self._tokens)
        found = [place for stop in self._stops if (place := text.find(stop)) >= 0]
        if not found:
            return None
        self.stopped, self.text = True, text[: min(found)]
        return Loop(len(self._tokens), 0, 0, "")

    def grown(self, tokens: list[int]) -> str:
        """The text of ``tokens`` that can be sent now and was not sent before: without an incomplete character, and
        without a possible beginning of a stop string."""
        if self.stopped:
            return ""
        text = self._decode(tokens)
        end = len(text)
        if text.endswith(UNFINISHED):
            end = len(text.rstrip(UNFINISHED))
        for stop in self._stops:
            for size in range(min(len(stop) - 1, end), 0, -1):
                if text.startswith(stop[:size], end - size):
                    end -= size
                    break
        return self._tell(text[:end])

    def ended(self, tokens: list[int]) -> str:
        """The rest of the text of an answer that ended with ``tokens``."""
        if not self.stopped:
            self.text = self._decode(tokens)
        return self._tell(self.text)

    def _tell(self, text: str) -> str:
        new = text[self._told :]
        self._told = max(self._told, len(text))
        return new
