"""A stand-in for a server of a document VLM (vLLM, SGLang), as a process of its own: what it answers is settled by the
request alone, and it tells what it was sent. No model is behind it.

``python -m benchmarks.serving.standin PORT NAME``; it prints its address once it listens.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import socket
import sys
from collections import Counter
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

MODEL = "stand-in"
PASSED = ("/v1/completions", "/v1/responses", "/tokenize")
WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "while", "eleven", "wizards", "box"]


def answer_of(values: dict[str, Any]) -> str:
    """The text that a body is answered with: from its messages alone, whatever else is in it."""
    digest = hashlib.sha256(json.dumps(values.get("messages"), sort_keys=True).encode()).digest()
    return " ".join(WORDS[byte % len(WORDS)] for byte in digest[:24])


def digest_of(values: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values["messages"], sort_keys=True).encode()).hexdigest()


class StandIn:
    def __init__(self, name: str) -> None:
        self.name = name
        self.seen: list[dict[str, Any]] = []
        self.counts: Counter[str] = Counter()
        self.answered: list[str] = []
        self.holds = True

    async def models(self, request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": self.name}]})

    async def told(self, request: Request) -> Response:
        """What this server was sent since the last time it was asked, without images, and its counts."""
        seen, self.seen = self.seen, []
        return JSONResponse({"name": self.name, "seen": seen, "counts": self.counts})

    async def all_answered(self, request: Request) -> Response:
        """Digests of the messages that were answered to the end."""
        return JSONResponse(self.answered)

    async def release(self, request: Request) -> Response:
        """From now on no request is held."""
        self.holds = False
        return JSONResponse({})

    async def corpus(self, request: Request) -> Response:
        self.counts[request.url.path] += 1
        self.seen.append({"path": request.url.path, "body": await request.json()})
        return JSONResponse({"success": True})

    async def chat(self, request: Request) -> Response:
        values = json.loads(await request.body())
        text = values["messages"][-1]["content"]
        if isinstance(text, list):
            text = " ".join(part["text"] for part in text if part.get("type") == "text")
        self.counts["asked"] += 1
        self.note(request, values)
        if "hold" in values:
            self.counts["held"] += 1
            try:
                await self.until_left(request, float(values["hold"]))
            finally:
                self.counts["held"] -= 1
        if "status" in values:
            return JSONResponse({"error": {"message": "as asked", "code": values["status"]}}, values["status"])
        if values.get("die"):
            os._exit(9)
        if values.get("stream"):
            return StreamingResponse(self.pieces(request, values), media_type="text/event-stream")
        self.answered.append(digest_of(values))
        return JSONResponse(self.whole(values), headers={"x-served-by": self.name})

    async def echo(self, request: Request) -> Response:
        """What a path was sent that only passes a gateway."""
        headers = {name: value for name, value in request.headers.items() if name in ("authorization", "x-api-key")}
        return JSONResponse({"path": request.url.path, "body": await request.json(), "headers": headers})

    def note(self, request: Request, values: dict[str, Any]) -> None:
        rest = {name: value for name, value in values.items() if name != "messages"}
        self.seen.append({"headers": dict(request.headers), "body": rest, "messages": digest_of(values)})
        del self.seen[:-200]

    async def until_left(self, request: Request, seconds: float) -> None:
        end = asyncio.get_running_loop().time() + seconds
        while self.holds and asyncio.get_running_loop().time() < end:
            if await request.is_disconnected():
                self.counts["left"] += 1
                return
            await asyncio.sleep(0.01)

    def whole(self, values: dict[str, Any]) -> dict[str, Any]:
        text = answer_of(values)
        usage = {"prompt_tokens": 7, "completion_tokens": len(text.split()), "total_tokens": 7 + len(text.split())}
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": MODEL,
            "choices": [choice], "usage": usage,
        }  # fmt: skip

    async def pieces(self, request: Request, values: dict[str, Any]) -> Any:
        for number, word in enumerate(answer_of(values).split()):
            try:
                await asyncio.sleep(values.get("pause", 0))
            except asyncio.CancelledError:
                self.counts["left"] += 1
                raise
            if number == values.get("break_after"):
                os._exit(9)
            delta = {"content": word if not number else f" {word}"}
            choice = {"index": 0, "delta": delta, "finish_reason": None}
            yield self.event({"choices": [choice]})
        self.answered.append(digest_of(values))
        yield self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        yield "data: [DONE]\n\n"

    def event(self, values: dict[str, Any]) -> str:
        return "data: " + json.dumps(
            {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL, **values}
        ) + "\n\n"  # fmt: skip

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/models", self.models),
                Route("/v1/chat/completions", self.chat, methods=["POST"]),
                *(
                    Route(path, self.echo, methods=["POST"])
                    for path in ("/v1/completions", "/v1/responses", "/tokenize")
                ),
                Route("/told", self.told),
                Route("/answered", self.all_answered),
                Route("/release", self.release),
                Route("/add_external_corpus", self.corpus, methods=["POST"]),
                Route("/remove_external_corpus", self.corpus, methods=["POST"]),
            ]
        )


def main(port: str, name: str) -> None:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio sets TCP_NODELAY for it
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", int(port)))
    listening.listen(1024)
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    config = uvicorn.Config(StandIn(name).app(), log_config=None, access_log=False, log_level="critical")
    uvicorn.Server(config).run(sockets=[listening])


def run() -> None:
    """With the words of the command line."""
    main(*sys.argv[1:])


if __name__ == "__main__":
    run()
