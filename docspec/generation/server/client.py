"""Sends requests to OpenAI-compatible servers and repeats those that fail.

An event loop in a thread of its own holds all connections, so that hundreds of requests in flight need one thread.
Repeating a request is safe because answers are greedy. A request that no server can answer fails alone; if no server
is left, the run fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from PIL import Image

from docspec.core import Failure, ModelError, PageError
from docspec.core.safe_text import sound_key
from docspec.generation.interface import Generation, GenerationRequest, OnText
from docspec.generation.server.addresses import authorization_in, base_of
from docspec.generation.server.connections import BadRequestError, HttpConnections, RefusedError
from docspec.generation.server.endings import RepeatError
from docspec.generation.server.fleet import Fleet, Server, fewer_tokens, names_room, rest_after
from docspec.generation.server.wire import Body, ServedModel, ServerCounts, packed_pictures

T = TypeVar("T")

PATIENCE = 120.0
"""Seconds for which a server may be silent or fail."""

LONGEST_WAIT = 300.0
"""Seconds that a server may ask to be left alone (``Retry-After``)."""

PROBE_SECONDS = 30.0
"""Seconds that a server has to answer :data:`PROBE`."""

PROBE = Body(GenerationRequest(Image.new("RGB", (112, 112), "white"), "Read.", 8), stream=False)
"""Asked of a server that refuses a request or fails, before it is given up: the request may be at fault."""

SHORTER = 2
"""How often a request is asked for with fewer tokens: by the numbers of a refusal, and by those of the next."""

DAY, MOST_SECONDS = 24 * 3600.0, 10 * 365 * 24 * 3600.0

CLOSING_SECONDS = 5.0
"""Seconds for the last exchanges with servers at the end of a run."""


@dataclass(frozen=True, slots=True)
class ServerReport:
    """A run's counts of the server at ``url``: ``answered`` requests, ``failed`` attempts, and why it was given up
    (``lost``). ``counted`` are the server's own counters in that time, of all its clients (``None``: it has none)."""

    url: str
    version: str
    model: str
    answered: int
    failed: int
    lost: str
    counted: ServerCounts | None


class ServerGenerator:
    """A :class:`docspec.generation.interface.Generator` over the servers at ``urls``, which all serve one model.

    ``served_model`` names it if they serve several. A server that fails or is silent for ``patience`` seconds is given
    up, and so is one that asks to be left alone for more than ``longest_rest`` seconds (``tell`` receives a line about
    each long rest). User names and passwords in ``urls`` are sent, and neither shown nor kept. Raises
    :class:`docspec.core.UsageError` for what is no address or no ``key``.
    """

    def __init__(
        self,
        urls: Sequence[str],
        served_model: str | None = None,
        key: str | None = None,
        patience: float = PATIENCE,
        longest_rest: float = LONGEST_WAIT,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._patience = patience
        self._longest_rest = longest_rest
        self._tell = tell
        key = sound_key(key, "--server-key")
        given = {base_of(url): f"Bearer {key}" if key else authorization_in(url) for url in urls}
        self._fleet = Fleet([Server(url) for url in given])
        self._connections = HttpConnections(given, patience, served_model)
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="docspec-servers", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        told = {server.model.server for server in self._fleet.servers if server.model is not None} - {""}
        servers = ", ".join(server.url for server in self._fleet.servers)
        return f"{'/'.join(sorted(told)) or 'server'} at {servers}"

    @property
    def model(self) -> ServedModel:
        """The served model, from the first server that answers. Raises :class:`docspec.core.ModelError` if none
        does."""
        return self._run(self._first_model()).result()

    def submit(self, request: GenerationRequest, on_text: OnText | None = None) -> Future[Generation]:
        """See :class:`docspec.generation.interface.Generator`; with ``on_text`` the answer is streamed."""
        # The image is compressed in the caller's thread, not in the one thread of the event loop.
        return self._run(self._answer(Body(request, stream=on_text is not None), on_text))

    def report(self) -> tuple[ServerReport, ...]:
        now: dict[str, ServerCounts] = {}
        if not self._closed:
            with contextlib.suppress(Exception):
                now = self._run(self._counts()).result(CLOSING_SECONDS)
        return tuple(_reported(server, now.get(server.url)) for server in self._fleet.servers)

    def close(self) -> None:
        """Cancels all requests, closes all connections, and ends the thread."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(Exception):
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(CLOSING_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSING_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        if self._closed:
            work.close()
            raise ModelError("the connections to the servers are closed")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._connections.close()

    async def _first_model(self) -> ServedModel:
        while not (known := [server.model for server in self._fleet.servers if server.model is not None]):
            server = await self._fleet.take()
            assert server is not None, "none is left out"
            try:
                await self._model_of(server)
            except RepeatError as fault:
                if self._rests_too_long(server, fault):
                    continue
                if server.failed(self._patience, fault.retry_after):
                    server.lost = self._lost(fault)
            except RefusedError as error:
                server.lost = str(error)
            finally:
                self._fleet.give_back(server)
        return known[0]

    async def _model_of(self, server: Server) -> ServedModel:
        async with server.asking:
            if server.model is None:
                server.model, server.counted = await self._connections.model(server.url)
            return server.model

    async def _answer(self, body: Body, on_text: OnText | None) -> Generation:
        """Repeats the request until a server answers it. Raises :class:`docspec.core.PageError` if the servers that are
        left do not answer it, :class:`docspec.core.ModelError` if none is left."""
        told = None if on_text is None else _only_new(on_text)
        first_fault = last_fault = 0.0
        faults = silences = 0
        refused_by: dict[Server, str] = {}
        while True:
            server = await self._fleet.take(refused_by)
            if server is None:
                said = "; ".join(f"{one.url}: {why}" for one, why in refused_by.items())
                raise PageError(f"{said}; others are answered", Failure.REFUSED)
            pause, began = 0.0, time.monotonic()
            try:
                found = await self._asked(server, body, told)
                server.succeeded()
                return found
            except RefusedError as error:
                if await self._serves(server, began):
                    refused_by[server] = str(error)
                else:
                    server.lost = str(error)
            except RepeatError as fault:
                faults, silences = faults + 1, silences + fault.silent
                if self._rests_too_long(server, fault):
                    continue
                if last_fault and server.answered_at > last_fault:  # it answers others: the request is at fault
                    server.failed_attempts += 1
                    pause = max(fault.retry_after, rest_after(faults))
                elif server.failed(self._patience, fault.retry_after) and not await self._serves(server):
                    server.lost = self._lost(fault)
                last_fault = time.monotonic()
                first_fault = first_fault or last_fault
                left = sum(not one.lost for one in self._fleet.servers)
                if left and (silences >= left or last_fault - first_fault >= self._patience):
                    raise PageError(
                        f"{server.url}: {fault}; given up after {self._patience:g} s (--page-timeout)",
                        Failure.TIMED_OUT,
                    ) from fault
            finally:
                self._fleet.give_back(server)
            await asyncio.sleep(pause)

    async def _asked(self, server: Server, body: Body, on_text: OnText | None) -> Generation:
        """The server's answer to ``body``, which is sent again if it is refused for what can be changed."""
        model = await self._model_of(server)
        sent, shortened, is_packed = body.for_model(model), 0, False
        while True:
            habits = server.habits
            try:
                return await self._connections.complete(server.url, habits.applied(sent), model, on_text)
            except BadRequestError as refusal:
                if refusal.status == 413 and not names_room(refusal.said):  # its body is too large, not its answer
                    packed = None if is_packed else packed_pictures(sent)
                    if packed is None:
                        raise
                    sent, is_packed = packed, True
                    self._tell(f"{server.url}: {refusal.said or 413}; asked again with the picture as JPEG")
                elif shortened < SHORTER and (fewer := fewer_tokens(sent["max_tokens"], refusal.said)) is not None:
                    sent["max_tokens"], shortened = fewer, shortened + 1
                elif server.habits == habits:  # another request may have learnt more meanwhile
                    taught = habits.taught(sent, refusal.said)
                    if taught is None:
                        raise
                    server.habits = taught

    async def _serves(self, server: Server, since: float | None = None) -> bool:
        """Whether the server answers other requests: one after ``since`` (``None``: after it began to fail), or the
        least that can be asked."""
        async with server.asking:
            if server.lost:
                return False
            if server.answered_at > (server.failing_since if since is None else since):
                return True
            if server.model is None:
                return False
            body = server.habits.applied(PROBE.for_model(server.model))
            try:
                async with asyncio.timeout(min(self._patience, PROBE_SECONDS)):
                    await self._connections.complete(server.url, body, server.model, None)
            except (RepeatError, RefusedError, TimeoutError):
                return False
            except PageError:
                pass  # it has judged the request
            server.is_well()
            return True

    def _rests_too_long(self, server: Server, fault: RepeatError) -> bool:
        """Says for how long a server wants to be left alone; gives it up if that is longer than may be waited."""
        seconds = fault.retry_after
        until = datetime.now() + timedelta(seconds=min(seconds, MOST_SECONDS))
        when = f"{until:%H:%M}" if seconds < DAY else f"{until:%Y-%m-%d %H:%M}"
        if seconds > self._longest_rest:
            server.failed_attempts += 1
            server.lost = f"{fault}, and asks to be left alone until {when} (Retry-After), longer than max-wait"
            return True
        if server.asks_for_rest(time.monotonic(), seconds):
            self._tell(f"{server.url}: {fault}; asked again at {until:%H:%M:%S} (Retry-After)")
        return False

    def _lost(self, fault: RepeatError) -> str:
        return f"{fault}, and that for {self._patience:g} s (--page-timeout)"

    async def _counts(self) -> dict[str, ServerCounts]:
        urls = [server.url for server in self._fleet.servers if server.counted is not None]
        found = await asyncio.gather(*map(self._connections.counts, urls))
        return {url: counts for url, counts in zip(urls, found, strict=True) if counts is not None}


def _reported(server: Server, now: ServerCounts | None) -> ServerReport:
    model, before = server.model or ServedModel(""), server.counted
    counted = None if now is None or before is None else now.since(before)
    return ServerReport(
        server.url, model.server, model.name, server.answered, server.failed_attempts, server.lost, counted
    )


def _only_new(on_text: OnText) -> OnText:
    """A listener of the growing text of an answer that passes on only new text, also of a repeated answer. An exception
    of ``on_text`` cancels the request."""
    length = 0

    def told(text: str) -> None:
        nonlocal length
        piece, length = text[length:], max(length, len(text))
        if piece:
            try:
                on_text(piece)
            except BaseException as error:  # the loop would end with SystemExit
                raise asyncio.CancelledError from error

    return told
