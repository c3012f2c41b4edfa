"""One exchange with one server: its model, one completion, its counters. Errors are sorted here: requests that can be
repeated, requests that always fail, and servers that can answer no request.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from docspec.core import Failure, PageError
from docspec.core.safe_text import first_line, without_secrets
from docspec.generation.interface import Generation
from docspec.generation.server import wire
from docspec.generation.server.addresses import client_for, proxy_of
from docspec.generation.server.answers import Stream
from docspec.generation.server.endings import RepeatError, error_in, json_in
from docspec.generation.server.fleet import MOST_AT_ONCE, is_overflow
from docspec.generation.server.reading import MOST_REFUSED, body_of, streamed_answer, whole_answer
from docspec.generation.server.wire import ServedModel, ServerCounts, counts_in

CONNECT_SECONDS = 10.0
"""Time limit of opening a connection, and of answers that need no model."""

REFUSED = frozenset({401, 402, 403, 404})
"""HTTP statuses of a wrong key, path or model, and of an account without money, with which a server refuses every
request; one in front of it may also refuse a single one."""

UNLISTED = frozenset({403, 404, 405, 501})
"""HTTP statuses of ``/v1/models`` of a server that does not list its models; which it has may be given by name."""


class RefusedError(Exception):
    """The server refuses the request, and perhaps every one; the message says why and what to do."""


class BadRequestError(PageError):
    """The server refuses the request for what it is: with ``status``, and ``said`` is its message."""

    def __init__(self, message: str, failure: Failure, said: str, status: int = 400) -> None:
        super().__init__(message, failure)
        self.said = said
        self.status = status


class HttpConnections:
    """HTTP connections to servers, each named by its ``url`` in ``authorizations``, which has the ``Authorization``
    header for it; ``patience`` is the read time-out in seconds. Raises :class:`docspec.core.ModelError` if the
    environment's proxies or certificates cannot be used."""

    def __init__(self, authorizations: Mapping[str, str | None], patience: float, served_model: str | None) -> None:
        self._patience = patience
        self._served_model = served_model
        self._secrets = [said.partition(" ")[2].encode() for said in authorizations.values() if said]
        self._clients = {
            url: client_for(
                url,
                headers={"Authorization": said} if said else {},
                timeout=httpx2.Timeout(patience, connect=min(patience, CONNECT_SECONDS), pool=None),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=MOST_AT_ONCE),
            )
            for url, said in authorizations.items()
        }

    async def close(self) -> None:
        for client in self._clients.values():
            await client.aclose()

    def _cleaned(self, body: bytes) -> bytes:
        """A server's answer without our key, which some repeat when they refuse it."""
        for secret in self._secrets:
            body = body.replace(secret, b"...")
        return body

    async def complete(
        self, url: str, body: dict[str, Any], model: ServedModel, on_text: Callable[[str], None] | None
    ) -> Generation:
        """Requests one completion; ``on_text`` receives the whole text so far whenever it has grown. Raises
        :class:`RepeatError`, :class:`RefusedError`, :class:`BadRequestError` if the request is at fault, and
        :class:`docspec.core.PageError` if the answer is none.
        """
        stream = Stream(model, time.monotonic())
        tokens = body.get("max_tokens", body.get("max_completion_tokens", 0))
        try:
            async with self._clients[url].stream("POST", f"{url}/v1/chat/completions", json=body) as response:
                if response.status_code != 200:
                    raise _fault(response, self._cleaned(await body_of(response, MOST_REFUSED)))
                if on_text is None:
                    return await whole_answer(response, stream, self._patience)
                return await streamed_answer(response, stream, self._patience, tokens, on_text)
        except RepeatError as fault:
            fault.args = (self._cleaned(str(fault).encode("utf-8", "replace")).decode(),)
            raise
        except httpx2.ConnectTimeout as error:
            raise RepeatError(
                f"no connection within {min(self._patience, CONNECT_SECONDS):g} s{_by_proxy(url)}"
            ) from error
        except httpx2.TimeoutException as error:
            raise RepeatError(f"not a word for {self._patience:g} s", silent=True) from error
        except httpx2.HTTPError as error:
            raise RepeatError(_reason(error, url)) from error

    async def model(self, url: str) -> tuple[ServedModel, ServerCounts | None]:
        """The model of the server at ``url``, and its present counters; of one that lists no models, that of the name
        which was given. Raises :class:`RepeatError` and
        :class:`RefusedError`."""
        try:
            response = await self._clients[url].get(f"{url}/v1/models", timeout=CONNECT_SECONDS)
        except httpx2.HTTPError as error:
            raise RepeatError(_reason(error, url)) from error
        if response.status_code in UNLISTED and self._served_model is not None:
            return ServedModel(self._served_model), None
        if response.status_code != 200:
            fault = _fault(response, self._cleaned(response.content))
            raise RepeatError(str(fault)) if isinstance(fault, PageError) else fault
        chosen = self._chosen(wire.models_in(json_in(response.content)))
        return replace(chosen, version=await self._version(url)), await self.counts(url)

    def _chosen(self, models: list[ServedModel]) -> ServedModel:
        listed = ", ".join(model.name for model in models[:8])
        fitting = [model for model in models if self._served_model in (None, model.name)]
        if not fitting:
            raise RefusedError(f"it serves {listed} and no {self._served_model} (served-model)")
        if self._served_model is None and len(fitting) > 1:
            raise RefusedError(f"it serves {listed}; choose one with --set served-model=NAME")
        return fitting[0]

    async def counts(self, url: str) -> ServerCounts | None:
        """The server's counters of speculative decoding, if it has any."""
        with contextlib.suppress(httpx2.HTTPError):
            response = await self._clients[url].get(f"{url}/metrics", timeout=CONNECT_SECONDS)
            return counts_in(response.text) if response.status_code == 200 else None
        return None

    async def _version(self, url: str) -> str:
        with contextlib.suppress(httpx2.HTTPError, RepeatError):
            response = await self._clients[url].get(f"{url}/version", timeout=CONNECT_SECONDS)
            said = json_in(response.content) if response.status_code == 200 else None
            if isinstance(said, dict) and isinstance(said.get("version"), str):
                return str(said["version"])
        return ""


def retry_after(value: str | None) -> float:
    """The seconds of a ``Retry-After`` header, which is a number or a date; 0 if it is neither."""
    if not value:
        return 0.0
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
        except ValueError:
            return 0.0
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        seconds = (when - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if seconds == seconds else 0.0


def _fault(response: httpx2.Response, body: bytes) -> Exception:
    """The error that stands for an answer without success."""
    status, said = response.status_code, error_in(body)
    why = f"it answers {status}{f' ({said})' if said else ''}"
    if status in (408, 429) or status >= 500 or status < 300:
        return RepeatError(why, retry_after(response.headers.get("retry-after")))
    if status == 402:
        return RefusedError(f"{why}; its account has to be paid, and then the same command goes on")
    if status in REFUSED:
        return RefusedError(f"{why}; check the address, served-model and --server-key")
    if status == 413 or is_overflow(said):
        advice = "lower --dpi or --max-tokens"
        return BadRequestError(f"the server refuses the request: {why}; {advice}", Failure.TOO_LARGE, said, status)
    return BadRequestError(f"the server refuses the request: {why}", Failure.REFUSED, said)


def _reason(error: httpx2.HTTPError, url: str) -> str:
    return f"{type(error).__name__}: {first_line(error)}".rstrip(": ") + _by_proxy(url)


def _by_proxy(url: str) -> str:
    """What an error adds if the server is asked through a proxy."""
    variable = proxy_of(url)
    return f" (asked through {variable}={without_secrets(os.environ.get(variable, ''))})" if variable else ""
