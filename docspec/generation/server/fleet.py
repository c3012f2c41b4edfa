"""Chooses the server of each request, and decides how long a server that fails rests and when it is given up.

A server rests after a failure, longer after each further one; its limit of concurrent requests is halved and rises by
one with every answer. After ``patience`` seconds without an answer it is given up, and the others get its requests. All
of this runs in one thread, that of the event loop.

Requests that a server refuses for their form are sent again with fewer tokens, under the other name of their limit, or
without fields that it does not know. What is learnt of a server holds for all further requests.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from docspec.core import ModelError
from docspec.generation.server.wire import ServedModel, ServerCounts

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


MOST_AT_ONCE = 128
"""Concurrent requests to one server; others wait here and may go to another server."""

FIRST_REST, LONGEST_REST = 0.25, 15.0
"""Seconds of a server's rest after its first failure in a row, and the longest rest."""


@dataclass(slots=True, eq=False)
class Server:
    """The state of one server: its limit of concurrent requests (``limit``) and their present number (``busy``), its
    failures in a row and when they began, the end of its rest (both in monotonic seconds), why it was given up
    (``lost``), and its counts. Its ``model`` is asked once, under ``asking``; ``counted`` were its own counters then.
    ``answered_at`` is when it last answered a request (monotonic seconds), ``habits`` how it wants them.
    """

    url: str
    limit: int = MOST_AT_ONCE
    busy: int = 0
    failures: int = 0
    failing_since: float = 0.0
    rests_until: float = 0.0
    lost: str = ""
    answered: int = 0
    answered_at: float = 0.0
    habits: Habits = field(default_factory=Habits)
    failed_attempts: int = 0
    model: ServedModel | None = None
    counted: ServerCounts | None = None
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def has_room(self, now: float) -> bool:
        return not self.lost and self.busy < self.limit and self.rests_until <= now

    def succeeded(self) -> None:
        """Counts an answer, and raises the limit of concurrent requests by one."""
        self.answered += 1
        self.is_well()
        self.limit = min(MOST_AT_ONCE, self.limit + 1)

    def is_well(self) -> None:
        """Ends its rest: it answers."""
        self.answered_at = time.monotonic()
        self.failures, self.rests_until = 0, 0.0

    def failed(self, patience: float, least_rest: float) -> bool:
        """Counts a failure: the server rests, ``least_rest`` seconds or more, and its limit is halved; true after
        ``patience`` seconds of failures. A request that fails during a rest was sent before it, so it does not halve
        the limit again."""
        now = time.monotonic()
        self.failed_attempts += 1
        if not self.failures:
            self.failing_since = now
        if now >= self.rests_until:
            self.failures += 1
            self.limit = max(1, min(self.limit, self.busy) // 2)
        self.rests_until = max(self.rests_until, now + max(least_rest, rest_after(self.failures)))
        return now - self.failing_since >= patience

    def asks_for_rest(self, now: float, seconds: float) -> bool:
        """Whether a rest of ``seconds`` is news: longer than what is left of the present one."""
        return seconds >= LONGEST_REST and now + seconds > self.rests_until + 1


def rest_after(failures: int) -> float:
    """Seconds of rest after so many failures in a row, with random jitter."""
    return min(LONGEST_REST, FIRST_REST * 2.0 ** min(failures - 1, 16)) * random.uniform(0.75, 1.25)


class Fleet:
    """Deals requests to servers in the order of their arrival, each to the least busy server."""

    def __init__(self, servers: Sequence[Server]) -> None:
        self.servers = tuple(servers)
        self._turn = asyncio.Lock()  # first come, first served: the first request in line waits for a server
        self._changed = asyncio.Event()

    async def take(self, but: Collection[Server] = ()) -> Server | None:
        """Waits for a server that has room, none of ``but``; :meth:`give_back` returns it. ``None`` if no other is
        left; raises :class:`docspec.core.ModelError` once all are given up."""
        async with self._turn:
            while True:
                if all(server.lost for server in self.servers):
                    raise ModelError("; ".join(f"{server.url}: {server.lost}" for server in self.servers))
                left = [server for server in self.servers if not server.lost and server not in but]
                if not left:
                    return None
                now = time.monotonic()
                free = [server for server in left if server.has_room(now)]
                if free:
                    server = min(free, key=lambda one: one.busy)
                    server.busy += 1
                    return server
                rest = min(server.rests_until for server in left) - now
                self._changed.clear()
                with contextlib.suppress(TimeoutError):  # if all servers are only busy, one is given back
                    async with asyncio.timeout(rest if rest > 0 else None):
                        await self._changed.wait()

    def give_back(self, server: Server) -> None:
        """Ends one request to ``server``."""
        server.busy -= 1
        self._changed.set()
