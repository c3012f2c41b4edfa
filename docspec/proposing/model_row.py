"""What a draft model has read and drafted of one row."""

from __future__ import annotations

from collections.abc import Sequence

from docspec.engine.request import Request
from docspec.targets.protocol import Prefill


class ModelRow:
    """One row: ``fed`` are the tokens behind the prompt whose keys and values are in the cache, the first ``right`` of
    them known to be the text's."""

    def __init__(self, request: Request, prompt: Prefill) -> None:
        self.request = request
        self.delta = prompt.rope_delta
        self.fed: list[int] = []
        self.prompt = prompt.length
        self.right = 0
        self.drafted: list[int] = []
        """What was last drafted at once."""
        self.behind = 0
        """Behind how many tokens of text that was: the first ones of those that were fed."""

    @property
    def length(self) -> int:
        """Slots that hold what was fed."""
        return self.prompt + len(self.fed)

    def drafted_behind(self, text: Sequence[int]) -> list[int] | None:
        """What was drafted at once behind ``text``; ``None`` where that was another text."""
        right = self.right
        same = len(text) == self.behind and self.fed[right : self.behind] == list(text[right:])
        return self.drafted if same else None

    def before(self, written: int) -> int:
        """Slots before the last of the text's first ``written`` tokens; the last one is always fed anew."""
        return self.prompt + written - 1

    def forget(self, written: int) -> None:
        """Drops what was fed from the last of the text's first ``written`` tokens on."""
        del self.fed[written - 1 :]

    def unread(self, text: Sequence[int]) -> list[int]:
        """What of ``text`` is still to be fed, its last token at least. What was fed and is not in it is dropped."""
        fed, right = self.fed, self.right
        most = min(len(fed), len(text) - 1)
        while right < most and fed[right] == text[right]:
            right += 1
        del fed[right:]
        self.right = right
        return list(text[right:])
