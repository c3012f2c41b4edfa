"""A small real HTTP server that answers like an OpenAI-compatible one, and misbehaves as a test tells it to."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image


class StandIn:
    """Serves ``model`` at ``url``. ``answer`` makes the text of a request's body, each of ``faults`` spoils one request
    for completions (it is given the handler and the body; what it returns true for is done with). ``asked`` holds all
    bodies, ``at_once`` the most requests that were under way together."""

    def __init__(
        self,
        answer: Callable[[dict[str, Any]], str] = lambda body: "read",
        *,
        model: str = "mini",
        owner: str = "vllm",
        seconds: float = 0.0,
        port: int = 0,
    ) -> None:
        self.answer = answer
        self.models = [{"id": model, "object": "model", "owned_by": owner, "root": model, "max_model_len": 4096}]
        self.faults: deque[Callable[[Any, dict[str, Any]], bool]] = deque()
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.metrics = ""
        self.list_status = 200
        self.seconds = seconds
        self.at_once = self._now = 0
        self.broken_off = threading.Event()
        self.connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> StandIn:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends as a process that is killed: open connections are closed too."""
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def complete(self, handler: Any, body: dict[str, Any]) -> None:
        with self._lock:
            self.asked.append(body)
            self.keys.append(handler.headers.get("Authorization"))
            self._now += 1
            self.at_once = max(self.at_once, self._now)
            fault = self.faults.popleft() if self.faults else None
        try:
            if fault is None or not fault(handler, body):
                time.sleep(self.seconds)
                text = self.answer(body)
                stream(handler, text) if body.get("stream") else whole(handler, text)
        finally:
            with self._lock:
                self._now -= 1


def whole(handler: Any, text: str, finish: str = "stop") -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": 7, "completion_tokens": len(text) + 1}
    reply(handler, 200, {"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})


def stream(handler: Any, text: str, pause: float = 0.0, upto: int | None = None) -> None:
    """``text`` four characters a piece; with ``upto`` the connection is closed after so many of them."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    for start in range(0, len(text) if upto is None else upto, 4):
        _event(handler, {"choices": [{"index": 0, "delta": {"content": text[start : start + 4]}}]})
        time.sleep(pause)
    if upto is None:
        _event(handler, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        _event(handler, {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": len(text) + 1}})
        handler.wfile.write(b"data: [DONE]\n\n")
    handler.close_connection = True


def _event(handler: Any, value: Any) -> None:
    handler.wfile.write(f"data: {json.dumps(value)}\n\n".encode())
    handler.wfile.flush()


def reply(handler: Any, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    handler.send_response(status)
    for name, said in (headers or {}).items():
        handler.send_header(name, said)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def says(status: int, value: Any = b"", **headers: str) -> Callable[[Any, dict[str, Any]], bool]:
    """A fault: another answer."""

    def fault(handler: Any, body: dict[str, Any]) -> bool:
        reply(handler, status, value, {name.replace("_", "-"): said for name, said in headers.items()})
        return True

    return fault


WORDS = "Words of the page."


def ends(finish: str | None, text: str | None = WORDS, **beside: Any) -> Callable[[Any, dict[str, Any]], bool]:
    """A fault: an answer that ends with ``finish`` and has fields ``beside`` its text, whole or streamed."""

    def fault(handler: Any, body: dict[str, Any]) -> bool:
        if not body.get("stream"):
            message = {"role": "assistant", "content": text, **beside}
            reply(handler, 200, {"choices": [{"index": 0, "message": message, "finish_reason": finish}]})
            return True
        events = [{"delta": {"content": text}, "finish_reason": None}, {"delta": beside, "finish_reason": finish}]
        data = "".join(f"data: {json.dumps({'choices': [event]}, ensure_ascii=False)}\n\n" for event in events)
        reply(handler, 200, f"{data}data: [DONE]\n\n".encode())
        return True

    return fault


def hangs_up(handler: Any, body: dict[str, Any]) -> bool:
    """A fault: the connection is closed without a word."""
    handler.close_connection = True
    handler.connection.close()
    return True


def picture_in(body: dict[str, Any]) -> Image.Image:
    """The picture of a request."""
    [part] = [part for part in body["messages"][0]["content"] if part["type"] == "image_url"]
    data = part["image_url"]["url"].removeprefix("data:image/png;base64,")
    return Image.open(io.BytesIO(base64.b64decode(data)))


def _handler(stand_in: StandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or each answer, head and body apart, waits 40 ms for an acknowledgement

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            if self.path == "/v1/models" and stand_in.list_status != 200:
                reply(self, stand_in.list_status, {"error": {"message": "not here"}})
            elif self.path == "/v1/models":
                reply(self, 200, {"object": "list", "data": stand_in.models})
            elif self.path == "/health":
                reply(self, 200, b"")
            elif self.path == "/version":
                reply(self, 200, {"version": "0.32.0"})
            elif self.path == "/metrics" and stand_in.metrics:
                reply(self, 200, stand_in.metrics.encode())
            else:
                reply(self, 404, {"error": {"message": "not here"}})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                stand_in.complete(self, body)
            except OSError:
                stand_in.broken_off.set()
                self.close_connection = True

        def handle(self) -> None:
            stand_in.connections.add(self.connection)
            with contextlib.suppress(OSError, ValueError):
                super().handle()
            stand_in.connections.discard(self.connection)

    return Handler
