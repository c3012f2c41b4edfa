"""``/v1/chat/completions`` and ``/v1/models``: requests to an upstream and its answers back.

A request is read, gets its drafts, waits for a free upstream and is sent there. The answer's status, headers and bytes
are forwarded as they arrive. If an upstream breaks before the client has received anything, another one is tried; after
the first byte, the client gets that answer or a broken connection, never a second answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING

import aiohttp
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from docspec.serve.admission import Holding, too_large, unless_left
from docspec.serve.chat import XARGS, Chat, Parts, read_chat
from docspec.serve.drafts import FoundDrafts
from docspec.serve.refusal import Refusal
from docspec.serve.stopping import RunningChat
from docspec.serve.upstream import BROKEN, RequestHeaders, Upstream

if TYPE_CHECKING:
    from docspec.serve.gateway import Gateway

TRIES = 3
"""How often a request is sent when upstreams break: a request that crashes servers crashes no more than these."""

PIECE = 256 * 1024
"""Bytes that are written to an upstream at a time."""

LONG = 64 * 1024
"""Bytes of a body from which on it is read in a thread."""

MOST_ANSWER = 64 * 2**20
"""Bytes of an answer that does not stream."""

STAYS = {
    *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding"),
    *("upgrade", "host", "content-length", "authorization", "x-api-key", "cookie", "expect"),
}
"""Request headers that are not forwarded."""

STAYS_THERE = {"connection", "keep-alive", "transfer-encoding", "trailer", "upgrade", "server", "date", "set-cookie"}
"""Headers of an upstream's answer that are not forwarded."""


async def completions(gateway: Gateway, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers ``POST /v1/chat/completions``: the request goes to a server, with drafts where it shows a page. Raises
    :class:`docspec.serve.refusal.Refusal`."""
    async with gateway.admitted(Request(scope, receive)) as (client, request, holding):
        body = await request.body()
        await holding.take(len(body))  # the same again is in the values that are read from it
        answer = Answering(gateway, scope, send, client, body, holding)
        answer.task = asyncio.ensure_future(answer.run())
        async with gateway.stopping.running(answer):
            await unless_left(answer.task, receive, lambda: answer.is_whole)


class Forwarding(RunningChat):
    """One request in progress. ``is_whole``: the client has received the complete answer."""

    def __init__(self, gateway: Gateway, scope: Scope, send: Send, body: bytes) -> None:
        self._gateway = gateway
        self._scope = scope
        self._send = send
        self._body = body
        self.is_whole = False

    async def _begin(self, answer: aiohttp.ClientResponse, *added: tuple[bytes, bytes]) -> None:
        """Sends the head of an upstream's ``answer`` to the client, with the headers ``added``."""
        kept = [
            (name.lower(), value)
            for name, value in answer.raw_headers
            if name.lower().decode("latin-1") not in STAYS_THERE
        ]
        self.is_told = True
        await self._send({"type": "http.response.start", "status": answer.status, "headers": [*kept, *added]})

    async def _end(self, body: bytes = b"") -> None:
        self.is_whole = True
        await self._send({"type": "http.response.body", "body": body})

    def _lost(self, upstream: Upstream, error: Exception) -> None:
        """Takes a broken upstream out of service. Raises if no other upstream may be tried."""
        if self.is_told:
            raise ClientDisconnect from None  # the connection to the client is broken off
        if is_silence(error):
            raise Refusal(504, "the server behind this gateway did not answer in time") from None
        self._gateway.upstreams.lost(upstream)


class Answering(Forwarding):
    """A chat in progress, with drafts where it shows a page."""

    def __init__(self, gateway: Gateway, scope: Scope, send: Send, client: str, body: bytes, holding: Holding) -> None:
        super().__init__(gateway, scope, send, body)
        self._holding = holding
        self._client = client
        self._began = time.perf_counter()
        self._size = 0
        self._prefilled: Upstream | None = None

    async def run(self) -> None:
        gateway = self._gateway
        chat = await self._with_media(await self._read(self._body))
        prefill = partial(self._prefill, chat) if gateway.settings.kind == "vllm" else None
        drafted = await gateway.drafts.of(self._client, chat, prefill)
        gateway.metrics.add("drafts_total", source=drafted.source)
        parts = chat.with_fields(self._fields(chat, drafted))
        kind, streams = (drafted.kind, chat.streams), chat.streams
        headers = forwarded_headers(gateway, self._scope, sum(map(len, parts)))
        del chat
        own = time.perf_counter() - self._began - drafted.seconds
        broken = 0.0
        while broken < TRIES:
            async with gateway.upstreams.one(self._prefilled) as upstream:
                self.upstream = upstream
                began = time.perf_counter()
                try:
                    async with gateway.corpora.with_drafts(upstream, drafted.texts):
                        status = await self._exchange(upstream, headers, parts, streams, drafted.source)
                except BROKEN as error:
                    self._lost(upstream, error)
                    gateway.metrics.add("upstream_errors_total", kind=type(error).__name__)
                    has_connected = not isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)
                    broken += 1.0 if has_connected else 0.1
                    continue
            seconds = time.perf_counter() - began
            if status == 200 and drafted.way is not None:
                way = drafted.way if drafted.texts else "plain"
                gateway.drafts.payoff.answered(kind, way, self._size, seconds + drafted.waited)
            gateway.metrics.add("upstream_seconds_total", seconds)
            gateway.metrics.add("own_seconds_total", own)
            gateway.metrics.add("drafting_seconds_total", drafted.seconds)
            return
        raise broke_off()

    async def _prefill(self, chat: Chat) -> None:
        """Sends the same request for one token, so that an upstream reads the prompt while the draft is made. Its
        prefix cache then holds the prompt, and the request itself goes to the same upstream. A failure is ignored."""
        body = chat.for_prefill(self._fields(chat, FoundDrafts()))
        with contextlib.suppress(*BROKEN, Refusal):
            async with (
                self._gateway.upstreams.one() as upstream,
                await upstream.ask(
                    "/v1/chat/completions", body, forwarded_headers(self._gateway, self._scope, len(body))
                ) as answer,
            ):
                await answer.read()
            self._gateway.metrics.add("prefills_total", status=str(answer.status))
            if answer.ok:
                self._prefilled = upstream

    def _fields(self, chat: Chat, drafted: FoundDrafts) -> dict[str, object]:
        fields: dict[str, object] = {}
        if self._gateway.settings.kind in ("vllm", "own") and drafted.fields:
            fields[XARGS] = drafted.fields
        if self._gateway.settings.kind == "vllm":
            salt = self._gateway.salt(self._client)
            if salt is not None and "cache_salt" not in chat.values:
                fields["cache_salt"] = salt
        return fields

    async def _with_media(self, chat: Chat) -> Chat:
        """``chat`` with the images at URLs fetched; refuses URLs where they are not allowed."""
        addresses = {picture.url for picture in chat.pictures if picture.is_address}
        if not addresses:
            return chat
        fetcher = self._gateway.fetcher
        if fetcher is None:
            raise Refusal(400, "images at addresses are not fetched here; send them as data URLs (--allow-urls)")
        limits = self._gateway.settings.limits
        contents, room = {}, limits.body
        for url in sorted(addresses):
            contents[url] = await fetcher.as_data_url(url, room)
            room -= len(contents[url])
            if room < 0:
                raise too_large(limits)
            await self._holding.take(3 * len(contents[url]))  # in the address, in the new body, and in its values
        return await self._read(chat.at(contents))

    async def _read(self, body: bytes) -> Chat:
        """The body's fields; off the event loop where that takes time."""
        most = self._gateway.settings.limits.pixels
        return await asyncio.to_thread(read_chat, body, most) if len(body) > LONG else read_chat(body, most)

    async def _exchange(
        self, upstream: Upstream, headers: RequestHeaders, parts: Parts, streams: bool, source: str
    ) -> int:
        """Sends the request, forwards the answer and returns its status. Raises
        :data:`docspec.serve.upstream.BROKEN`."""
        self._size = 0
        async with await upstream.ask("/v1/chat/completions", _pieces(parts), headers) as answer:
            drafts = (b"x-docspec-drafts", source.encode())
            whole = bytearray()
            async for part in answer.content.iter_any():
                self._size += len(part)
                if not streams:  # kept back to its end: until then another upstream may give it
                    whole += part
                    if len(whole) > MOST_ANSWER:
                        raise Refusal(502, "the answer of the server behind this gateway is too large")
                    continue
                if not self.is_told:
                    await self._begin(answer, drafts)
                await self._send({"type": "http.response.body", "body": part, "more_body": True})
            if not self.is_told:
                await self._begin(answer, drafts)
            await self._end(bytes(whole))
            return answer.status


def forwarded_headers(gateway: Gateway, scope: Scope, size: int) -> RequestHeaders:
    """The client's headers for an upstream, without the client's key, for a body of ``size`` bytes."""
    given = Headers(scope=scope)
    dropped = STAYS | {name.strip().lower() for name in given.get("connection", "").split(",")}
    kept = [(name, value) for name, value in given.items() if name not in dropped]
    key = gateway.settings.upstream_key
    if key is not None:
        kept.append(("authorization", f"Bearer {key}"))
    elif not gateway.access.has_keys and "authorization" in given:
        kept.append(("authorization", given["authorization"]))
    return [*kept, ("content-length", str(size))]


async def _pieces(parts: Parts) -> AsyncIterator[bytes]:
    for part in parts:
        for start in range(0, len(part), PIECE):
            yield bytes(part[start : start + PIECE])


async def models(gateway: Gateway, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers ``GET /v1/models`` with what a server behind this gateway says. Raises
    :class:`docspec.serve.refusal.Refusal` if none answers."""
    answer = await _listed(gateway, scope)
    await answer(scope, receive, send)


async def server_facts(gateway: Gateway, scope: Scope, receive: Receive, send: Send, path: str) -> None:
    """Answers ``GET /props`` or ``/slots`` with what a server behind this gateway says there."""
    answer = await _listed(gateway, scope, path)
    await answer(scope, receive, send)


async def model(gateway: Gateway, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers ``GET /v1/models/NAME`` with the entry of that model in the same list."""
    answer, name = await _listed(gateway, scope), scope["path_params"]["name"]
    if answer.status_code == 200:
        try:
            cards = json.loads(bytes(answer.body))["data"]
            named = [card for card in cards if isinstance(card, dict) and card.get("id") == name]
        except (ValueError, TypeError, KeyError):
            raise broke_off() from None
        if not named:
            raise Refusal(404, "there is no such model behind this gateway; /v1/models lists them")
        answer = JSONResponse(named[0])
    await answer(scope, receive, send)


async def _listed(gateway: Gateway, scope: Scope, path: str = "/v1/models") -> Response:
    gateway.access.client(scope)
    key = gateway.settings.upstream_key
    own = Headers(scope=scope).get("authorization") if not gateway.access.has_keys else None
    headers = [("authorization", own)] if key is None and own else None
    for _ in range(TRIES):
        async with gateway.upstreams.one() as upstream:
            try:
                async with await upstream.ask(path, headers=headers) as answer:
                    body = await answer.read()
            except BROKEN as error:
                if is_silence(error):
                    raise Refusal(504, "the server behind this gateway did not answer in time") from None
                gateway.upstreams.lost(upstream)
                continue
        return Response(body, answer.status, media_type=answer.headers.get("content-type", "application/json"))
    raise broke_off()


def is_silence(error: Exception) -> bool:
    """Whether a server accepted the request and sent nothing in time."""
    return isinstance(error, TimeoutError) and not isinstance(error, aiohttp.ConnectionTimeoutError)


def broke_off() -> Refusal:
    """The answer where all servers broke off before they had answered."""
    return Refusal(502, "the servers behind this gateway broke off; try again later", 2)
