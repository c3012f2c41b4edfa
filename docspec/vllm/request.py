"""A request's data for the proposer, in vLLM's ``extra_args``: its drafts and the kind of their text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docspec.core.safe_text import well_formed

DRAFTS, KIND = "docspec_drafts", "docspec_kind"
KINDS = ("text", "table", "formula", "page")

MOST_DRAFTS = 64
"""Most drafts used of one request."""

MOST_TOKENS = 65_536
"""Most tokens used of all drafts of one request."""


@dataclass(frozen=True, slots=True)
class RequestDrafts:
    """``drafts`` in tokens of the served model; their accuracy is learnt for each ``kind``."""

    drafts: tuple[tuple[int, ...], ...] = ()
    kind: str = "text"


def drafts_in(
    extra_args: Mapping[str, Any] | None, tokenize: Callable[[str], Sequence[int]], vocabulary: int
) -> RequestDrafts:
    """The drafts in a request's ``extra_args``. A draft is a text or a list of tokens below ``vocabulary``; any other
    value is ignored: an invalid draft costs a request its speed and never its answer."""
    given = (extra_args or {}).get(DRAFTS) or ()
    kind = (extra_args or {}).get(KIND)
    if isinstance(given, str) or (isinstance(given, Sequence) and given and _are_tokens(given, vocabulary)):
        given = [given]
    drafts: list[tuple[int, ...]] = []
    room = MOST_TOKENS
    for draft in given[:MOST_DRAFTS] if isinstance(given, Sequence) else ():
        if isinstance(draft, str):
            draft = tokenize(well_formed(draft))
        elif not _are_tokens(draft, vocabulary):
            continue
        tokens = tuple(draft[:room])
        room -= len(tokens)
        if tokens:
            drafts.append(tokens)
    return RequestDrafts(tuple(drafts), kind if kind in KINDS else "text")


def _are_tokens(given: Any, vocabulary: int) -> bool:
    return isinstance(given, Sequence) and all(
        isinstance(each, int) and not isinstance(each, bool) and 0 <= each < vocabulary for each in given
    )
