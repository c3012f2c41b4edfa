"""The model servers behind the gateway: selection, load and availability; and SGLang's own way to take drafts.

The least busy available server gets the next request. A server that cannot be reached is taken out of service and
probed at increasing intervals until it answers; no client's request is used as a probe.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from functools import cached_property

import aiohttp

from docspec.serve.refusal import Refusal
from docspec.serve.settings import Limits, UpstreamKind

FIRST_PROBE, LAST_PROBE = 0.05, 10.0
"""Seconds between two probes of an unavailable server, at first and at most."""
PROBE_SECONDS = 3.0

KEEP_ALIVE_SECONDS = 4.0
"""Seconds that an idle connection is kept: servers close theirs after five."""

CORPUS_SECONDS = 5.0
"""Seconds for SGLang to add or remove a draft."""

OWN_HEADERS = ("Accept", "Accept-Encoding", "User-Agent", "Content-Type")
"""Headers that the HTTP library would add to the client's."""

RequestHeaders = list[tuple[str, str]]

BROKEN = (aiohttp.ClientError, TimeoutError)
"""The exceptions of :meth:`Upstream.ask` and of reading an answer."""


class Upstream:
    """One server; ``busy`` is the number of its running requests."""

    def __init__(self, url: str, limits: Limits, key: str | None) -> None:
        self.url = url.rstrip("/").removesuffix("/v1")
        self.busy = 0
        self.is_there = True
        self.key = key
        self._limits = limits

    async def ask(
        self,
        path: str,
        data: bytes | AsyncIterable[bytes] | None = None,
        headers: RequestHeaders | None = None,
        seconds: float | None = None,
    ) -> aiohttp.ClientResponse:
        """Posts ``data`` to ``path`` (without ``data``: a GET request) and returns the head of the answer; read its
        body within ``async with``. The head must arrive within ``seconds`` (default: ``Limits.seconds``). ``headers``
        replace the gateway's own key. Raises :data:`BROKEN`."""
        if headers is None:
            headers = self.own_headers
        method = "GET" if data is None else "POST"
        async with asyncio.timeout(seconds or self._limits.seconds):
            return await self._session.request(
                method, self.url + path, data=data, headers=headers, allow_redirects=False
            )

    @property
    def own_headers(self) -> RequestHeaders:
        return [] if self.key is None else [("Authorization", f"Bearer {self.key}")]

    async def close(self) -> None:
        if "_session" in vars(self):
            await self._session.close()

    @cached_property
    def _session(self) -> aiohttp.ClientSession:
        """The HTTP session, created within the event loop. It uses no proxy of the environment, keeps no cookies, and
        leaves compressed answers compressed."""
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_SECONDS),
            timeout=aiohttp.ClientTimeout(sock_connect=self._limits.connect_seconds, sock_read=self._limits.seconds),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=OWN_HEADERS,
            auto_decompress=False,
        )


class Upstreams:
    """All servers. Each has at most ``in_flight`` requests at a time; further ones wait in the order of their
    arrival."""

    def __init__(self, urls: Sequence[str], limits: Limits, key: str | None = None) -> None:
        self.all = [Upstream(url, limits, key) for url in urls]
        self._limits = limits
        self._turn = asyncio.Lock()  # first come, first served: the first request in line waits for a server
        self._changed = asyncio.Event()
        self._all_lost_at = 0.0
        self.waiting = 0
        self._probes: dict[Upstream, asyncio.Task[None]] = {}

    @property
    def are_there(self) -> bool:
        return any(one.is_there for one in self.all)

    @contextlib.asynccontextmanager
    async def one(self, wanted: Upstream | None = None) -> AsyncIterator[Upstream]:
        """The upstream ``wanted`` if it is available and has room, otherwise the least busy one. Raises
        :class:`Refusal` (503) if none becomes free in time."""
        upstream = await self._taken(wanted)
        try:
            yield upstream
        finally:
            upstream.busy -= 1
            self._changed.set()

    def lost(self, upstream: Upstream) -> None:
        """Takes an unreachable upstream out of service and starts to probe it."""
        upstream.is_there = False
        if not self.are_there:  # requests that wait for a free one now wait for one to return
            self._all_lost_at = asyncio.get_running_loop().time()
            self._changed.set()
        if upstream not in self._probes:
            self._probes[upstream] = asyncio.ensure_future(self._look_for(upstream))

    async def close(self) -> None:
        for probe in self._probes.values():
            probe.cancel()
        for upstream in self.all:
            await upstream.close()

    def _best(self, wanted: Upstream | None) -> Upstream | None:
        free = [one for one in self.all if one.is_there and one.busy < self._limits.in_flight]
        return wanted if wanted in free else min(free, key=lambda one: one.busy, default=None)

    async def _taken(self, wanted: Upstream | None = None) -> Upstream:
        arrived = asyncio.get_running_loop().time()
        self.waiting += 1
        try:
            async with self._turn:
                while (best := self._best(wanted)) is None:
                    end = arrived + self._limits.seconds
                    if not self.are_there:
                        end = min(end, max(arrived, self._all_lost_at) + self._limits.patience_seconds)
                    self._changed.clear()
                    async with asyncio.timeout_at(end):
                        await self._changed.wait()
                best.busy += 1
                return best
        except TimeoutError:
            raise Refusal(503, "no server behind this gateway is free; try again later", 5) from None
        finally:
            self.waiting -= 1

    async def _look_for(self, upstream: Upstream) -> None:
        wait = FIRST_PROBE
        try:
            while True:
                await asyncio.sleep(wait)
                wait = min(2 * wait, LAST_PROBE)
                try:
                    async with await upstream.ask("/v1/models", seconds=PROBE_SECONDS):
                        pass
                except BROKEN:
                    continue
                upstream.is_there = True
                self._changed.set()
                return
        finally:
            self._probes.pop(upstream, None)


class Corpora:
    """Drafts for SGLang: texts that its n-gram speculation searches, added before a request and removed after it. Does
    nothing if the upstream is another kind.

    Written after SGLang's documentation (``--speculative-algorithm NGRAM --speculative-ngram-external-sam-budget``;
    ``/add_external_corpus``, ``/remove_external_corpus``) and tested against a stand-in; **never run on SGLang**.
    SGLang searches all corpora for every request: one client's draft may be proposed in another client's request, where
    its model rejects it. Answers stay the same, but their timing may leak. Where clients must not learn of each other,
    use vLLM.
    """

    def __init__(self, kind: UpstreamKind) -> None:
        self._used = kind == "sglang"
        self._removing: set[asyncio.Task[bool]] = set()

    @contextlib.asynccontextmanager
    async def with_drafts(self, upstream: Upstream, texts: Sequence[str]) -> AsyncIterator[None]:
        """The upstream knows ``texts`` within this context; an upstream that refuses them answers without drafts."""
        if not self._used or not texts:
            yield
            return
        name = f"docspec-{secrets.token_hex(12)}"
        added = await _posted(upstream, "/add_external_corpus", {"corpus_id": name, "documents": list(texts)})
        try:
            yield
        finally:
            if added:  # also where the client has gone, which cancels everything else
                removing = asyncio.ensure_future(_posted(upstream, "/remove_external_corpus", {"corpus_id": name}))
                self._removing.add(removing)
                removing.add_done_callback(self._removing.discard)
                await asyncio.shield(removing)


async def _posted(upstream: Upstream, path: str, values: dict[str, object]) -> bool:
    headers = [*upstream.own_headers, ("Content-Type", "application/json")]
    try:
        async with await upstream.ask(path, json.dumps(values).encode(), headers, CORPUS_SECONDS) as answer:
            return answer.ok
    except BROKEN:  # whether it is there at all, the request itself will tell
        return False
