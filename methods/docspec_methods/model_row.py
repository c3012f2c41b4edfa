"""The tokens that a draft model has read and drafted for one row."""

from __future__ import annotations

from collections.abc import Sequence

from docspec.engine.request import Request
from docspec.targets.protocol import Prefill


class ModelRow:
    """One row: ``fed`` are the tokens after the prompt whose keys and values are in the cache; the first ``right`` of
    them are known to be in the text."""

    def __init__(self, request: Request, prompt: Prefill) -> None:
        self.request = request
        self.delta = prompt.rope_delta
        self.fed: list[int] = []
        self.prompt = prompt.length
        self.right = 0
        self.drafted: list[int] = []
        """What was last drafted at once."""
        self.drafted_at = 0
        """The number of tokens of the text after which it was drafted."""

    @property
    def length(self) -> int:
        """Slots in use."""
        return self.prompt + len(self.fed)

    def drafted_behind(self, text: Sequence[int]) -> list[int] | None:
        """The tokens drafted at once after ``text``; ``None`` if they were drafted after another text."""
        right = self.right
        same = len(text) == self.drafted_at and self.fed[right : self.drafted_at] == list(text[right:])
        return self.drafted if same else None

    def before(self, written: int) -> int:
        """Slots before the last of the text's first ``written`` tokens; the last one is always fed again."""
        return self.prompt + written - 1

    def forget(self, written: int) -> None:
        """Drops the fed tokens from the last of the text's first ``written`` tokens on."""
        del self.fed[written - 1 :]

    def unread(self, text: Sequence[int]) -> list[int]:
        """The tokens of ``text`` that are still to be fed, at least its last one. Fed tokens that differ from it are
        dropped."""
        fed, right = self.fed, self.right
        most = min(len(fed), len(text) - 1)
        while right < most and fed[right] == text[right]:
            right += 1
        del fed[right:]
        self.right = right
        return list(text[right:])
