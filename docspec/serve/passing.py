"""Requests that a server behind the gateway answers as they are: ``/v1/completions``, ``/v1/responses``, ``/tokenize``.

Nothing is added to them. Who may ask, how large they are, and how many wait is as for chats; an address that a server
could be made to fetch is refused.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from docspec.serve.admission import unless_left
from docspec.serve.chat import object_in
from docspec.serve.completions import TRIES, Forwarding, broke_off, forwarded_headers
from docspec.serve.refusal import Refusal
from docspec.serve.upstream import BROKEN

if TYPE_CHECKING:
    from docspec.serve.gateway import Gateway

PASSED = ("/v1/completions", "/v1/responses", "/tokenize", "/detokenize")

TEXTS = frozenset(("text", "prompt", "input", "content", "instructions", "suffix", "stop", "description", "pattern"))
"""Fields whose strings are words, in which an address is only that."""

ADDRESS = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*://|\s*file:", re.IGNORECASE)


async def passed(gateway: Gateway, scope: Scope, receive: Receive, send: Send) -> None:
    """Sends a request to a server behind the gateway, and its answer back. Raises
    :class:`docspec.serve.refusal.Refusal`."""
    async with gateway.admitted(Request(scope, receive)) as (_, request, holding):
        body = await request.body()
        await holding.take(len(body))
        values = await asyncio.to_thread(object_in, body)
        if any(ADDRESS.match(text) for text in _places(values)):
            raise Refusal(400, "addresses are not fetched; send the data itself")
        del values
        answer = _Passed(gateway, scope, send, body)
        answer.task = asyncio.ensure_future(answer.run())
        async with gateway.stopping.running(answer):
            await unless_left(answer.task, receive, lambda: answer.is_whole)


def _places(values: Any, name: str = "") -> Iterator[str]:
    """The strings of ``values`` that are no words to be read."""
    if isinstance(values, str):
        if name not in TEXTS:
            yield values
    elif isinstance(values, list):
        for each in values:
            yield from _places(each, name)
    elif isinstance(values, dict):
        for key, value in values.items():
            yield from _places(value, key)


class _Passed(Forwarding):
    """A request that is answered as it is."""

    async def run(self) -> None:
        headers = forwarded_headers(self._gateway, self._scope, len(self._body))
        for _ in range(TRIES):
            async with self._gateway.upstreams.one() as upstream:
                self.upstream = upstream
                try:
                    async with await upstream.ask(self._scope["path"], self._body, headers) as answer:
                        await self._begin(answer)
                        async for part in answer.content.iter_any():
                            await self._send({"type": "http.response.body", "body": part, "more_body": True})
                        await self._end()
                        return
                except BROKEN as error:
                    self._lost(upstream, error)
        raise broke_off()
