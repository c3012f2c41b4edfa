"""Requests that a server refuses for their form, and how they are sent again: with fewer tokens, under the other name
of their limit, or without fields that it does not know. What is learnt of a server holds for all further requests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

HARMLESS = ("stream_options", "return_token_ids", "vllm_xargs", "drafts", "top_logprobs", "logprobs")
"""Fields without which the answer is the same. Others are never left out: they say what is to be answered."""

LEAST_TOKENS = 64
"""Least tokens of an answer that are worth another try."""

_UNKNOWN = re.compile(r"\b(?:extra|unknown|unrecogni[sz]ed|unexpected|unsupported|additional|not permitted)\b", re.I)
_OVERFLOW = re.compile(
    r"context (?:length|window|size)|maximum (?:model|sequence) length|max_model_len|too long|too large|exceeds?\b",
    re.I,
)
_CONTEXT = re.compile(r"(?:context (?:length|window|size)|model length)(?: is| of|:| \()*\s*(\d+)", re.I)
_PROMPT = re.compile(
    r"(\d+) (?:tokens? )?(?:in|from) the (?:messages|prompt|input)|(\d+) (?:input|prompt) tokens", re.I
)


@dataclass(frozen=True, slots=True)
class Habits:
    """What a server turned out to want: fields of its requests that are left out (``without``), and whether the limit
    of an answer is called ``max_completion_tokens``."""

    without: frozenset[str] = frozenset()
    renamed: bool = False

    def applied(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """``body`` as this server takes it."""
        changed = {name: value for name, value in body.items() if name not in self.without}
        if self.renamed and "max_tokens" in changed:
            changed["max_completion_tokens"] = changed.pop("max_tokens")
        return changed

    def taught(self, body: Mapping[str, Any], said: str) -> Habits | None:
        """The habits of a server that refused ``body``, sent by these ones, with the message ``said``; ``None`` if that
        is not about a field that it does not take."""
        if not self.renamed and "max_completion_tokens" in said and "max_tokens" in body:
            return replace(self, renamed=True)
        left = [name for name in HARMLESS if name in body and name not in self.without]
        named = [name for name in left if name in said]
        if not named and not _UNKNOWN.search(said):
            return None
        return replace(self, without=self.without | {(named or left)[0]}) if left else None


def is_overflow(said: str) -> bool:
    """Whether a refusal says that prompt and answer together are too long."""
    return _OVERFLOW.search(said) is not None


def names_room(said: str) -> bool:
    """Whether a refusal has the numbers of tokens that are too many."""
    return _CONTEXT.search(said) is not None and _PROMPT.search(said) is not None


def fewer_tokens(most: int, said: str) -> int | None:
    """Tokens of an answer, fewer than ``most``, that a server may take which refused those with the message ``said``;
    ``None`` if it is about something else or nothing is left. If the message has no numbers it is half of ``most``."""
    if not is_overflow(said):
        return None
    context, prompt = _CONTEXT.search(said), _PROMPT.search(said)
    room = most // 2
    if context is not None and prompt is not None:
        room = min(int(context[1]) - int(prompt[1] or prompt[2]), most - 1)
    return room if room >= LEAST_TOKENS else None
