"""What a request says to the proposer, in vLLM's ``extra_args``: its drafts and the kind of text that they are of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

DRAFTS, KIND = "docspec_drafts", "docspec_kind"
KINDS = ("text", "table", "formula", "page")

MOST_DRAFTS = 64
"""Drafts of one request that are looked at."""

MOST_TOKENS = 65_536
"""Tokens of all drafts of one request that are looked at."""


@dataclass(frozen=True, slots=True)
class RequestDrafts:
    """``drafts`` in tokens of the served model; how right those of one ``kind`` are is learnt together."""

    drafts: tuple[tuple[int, ...], ...] = ()
    kind: str = "text"


def said_in(extra_args: Mapping[str, Any] | None, tokenize: Callable[[str], Sequence[int]]) -> RequestDrafts:
    """What a request with ``extra_args`` says. A draft is a text, or the tokens themselves; what is neither counts for
    nothing: a draft that cannot be understood costs a request its speed and never its answer."""
    given = (extra_args or {}).get(DRAFTS) or ()
    kind = (extra_args or {}).get(KIND)
    if isinstance(given, str) or (isinstance(given, Sequence) and given and _are_tokens(given)):
        given = [given]
    drafts: list[tuple[int, ...]] = []
    room = MOST_TOKENS
    for draft in given[:MOST_DRAFTS] if isinstance(given, Sequence) else ():
        if isinstance(draft, str):
            draft = tokenize(draft)
        elif not _are_tokens(draft):
            continue
        tokens = tuple(draft[:room])
        room -= len(tokens)
        if tokens:
            drafts.append(tokens)
    return RequestDrafts(tuple(drafts), kind if kind in KINDS else "text")


def _are_tokens(given: Any) -> bool:
    return isinstance(given, Sequence) and all(
        isinstance(each, int) and not isinstance(each, bool) and 0 <= each < 2**31 for each in given
    )
