"""The routes of docspec's own engine, in OpenAI's format."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from docspec.serve.admission import unless_left
from docspec.serve.chat import object_in
from docspec.serve.own.asking import chat_request
from docspec.serve.own.model import ChatModel, ModelAnswer
from docspec.serve.refusal import Refusal, refused

LOG = logging.getLogger("docspec.serve")


class EngineApp:
    """The server of one ``model``; ``key`` is the gateway's. With ``greedy`` a request for sampling is decoded
    greedily, and a header of the answer says so."""

    def __init__(self, model: ChatModel, key: str, greedy: bool) -> None:
        self._model = model
        self._key = key
        self._greedy = greedy
        self._running = 0

    def app(self) -> Starlette:
        told = {"/v1/models": self._model.listed, **self._model.told}
        return Starlette(
            routes=[
                *(Route(path, partial(self._tell, tell)) for path, tell in told.items()),
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
            ],
            exception_handlers={Refusal: refused, Exception: _failed},
        )

    async def _tell(self, tell: Callable[[int], Any], request: Request) -> Response:
        self._check(request)
        return JSONResponse(tell(self._running))

    async def _chat(self, request: Request) -> Response:
        self._check(request)
        values = object_in(await request.body())
        name, named = self._model.name, values.get("model")
        if named not in (None, "", name) and not self._model.takes_any_name:
            raise Refusal(404, f"there is no such model here; there is {name}")
        ask = await asyncio.to_thread(chat_request, values, self._greedy, self._model.is_llama)
        loop, pieces = asyncio.get_running_loop(), asyncio.Queue[str | Exception | None]()

        def put(item: str | Exception | None) -> None:
            loop.call_soon_threadsafe(pieces.put_nowait, item)

        answer = await asyncio.to_thread(self._model.begin, ask, put)
        self._running += 1
        answer.when_done(lambda: put_soon(loop, self._ended))
        head = {"id": f"chatcmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": name}
        headers = {"x-docspec-greedy": f"{ask.not_greedy} was not followed"} if ask.not_greedy else {}
        try:
            first = await unless_left(asyncio.ensure_future(pieces.get()), request.receive)
        except ClientDisconnect:
            answer.leave()
            raise Refusal(499, "the client has left") from None
        except asyncio.CancelledError:
            answer.leave()
            raise
        if isinstance(first, Exception):
            raise first
        if ask.streams:
            return StreamingResponse(
                _pieces(answer, first, pieces, head), media_type="text/event-stream", headers=headers
            )
        message = {"role": "assistant", "content": answer.text}
        choice = {"index": 0, "message": message, "finish_reason": answer.finish, "logprobs": answer.logprobs}
        whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage(answer), **answer.more}
        return JSONResponse(whole, headers=headers)

    def _ended(self) -> None:
        self._running -= 1

    def _check(self, request: Request) -> None:
        given = request.headers.get("authorization", "").encode()
        if not hmac.compare_digest(given, f"Bearer {self._key}".encode()):
            raise Refusal(401, "this engine answers its gateway alone")


def put_soon(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Has ``call`` called in ``loop``, from any thread, unless the loop has ended."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call)


async def _pieces(
    answer: ModelAnswer,
    first: str | Exception | None,
    pieces: asyncio.Queue[str | Exception | None],
    head: dict[str, Any],
) -> AsyncIterator[str]:
    """The answer as server-sent events. If the client disconnects, the answer is dropped."""
    head = {**head, "object": "chat.completion.chunk"}
    try:
        delta: dict[str, Any] = {"role": "assistant", "content": ""}
        yield _event(head, [{"index": 0, "delta": delta, "finish_reason": None}])
        piece = first
        while piece is not None:
            if isinstance(piece, Exception):
                yield f"data: {json.dumps({'error': {'message': 'the engine failed', 'code': 500}})}\n\n"
                return
            if piece:
                yield _event(head, [{"index": 0, "delta": {"content": piece}, "finish_reason": None}])
            piece = await pieces.get()
        last = {"index": 0, "delta": {}, "finish_reason": answer.finish}
        yield _event({**head, **answer.more}, [{**last, "logprobs": answer.logprobs} if answer.logprobs else last])
        if answer.ask.tells_usage:
            yield _event({**head, "usage": usage(answer)}, [])
        yield "data: [DONE]\n\n"
    finally:
        answer.leave()


def usage(answer: ModelAnswer) -> dict[str, Any]:
    """The token counts of an answer under OpenAI's names."""
    details = {
        "accepted_prediction_tokens": answer.accepted,
        "rejected_prediction_tokens": answer.drafted - answer.accepted,
    }
    return {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.tokens,
        "total_tokens": answer.prompt_tokens + answer.tokens,
        "completion_tokens_details": details,
    }


def _event(head: dict[str, Any], choices: list[dict[str, Any]]) -> str:
    return f"data: {json.dumps({**head, 'choices': choices}, ensure_ascii=False)}\n\n"


async def _failed(request: Request, error: Exception) -> Response:
    LOG.error("unexpected %s in the engine", type(error).__name__)
    return Refusal(500, "the engine failed").response
