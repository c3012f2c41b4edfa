"""Clients that send slowly, send nothing, or take nothing: they hold up nobody, and are left in the end."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from docspec.serve.admission import Admission, bounded, check_declared
from docspec.serve.refusal import Refusal, refused
from docspec.serve.running import BoundedProtocol, Connections
from docspec.serve.settings import Limits
from tests.serve.processes import Served, gateway, stand_in

HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"


@contextlib.contextmanager
def serving(bounds: Connections, limits: Limits) -> Iterator[int]:
    """A small application behind these bounds; its port."""

    async def read(request: Request) -> Response:
        check_declared(request.headers, limits)
        with Admission(9, limits.held, limits.share, limits.room_seconds).enter() as holding:
            body = await Request(request.scope, bounded(request.receive, limits, holding)).body()
            return PlainTextResponse(str(len(body)))

    async def endless(request: Request) -> Response:
        async def pieces() -> Any:
            try:
                while True:
                    yield b"x" * 65536
                    await asyncio.sleep(0)
            finally:
                left.set()

        return StreamingResponse(pieces())

    left = threading.Event()
    app = Starlette(
        routes=[Route("/", read, methods=["GET", "POST"]), Route("/endless", endless)],
        exception_handlers={Refusal: refused},
    )
    app.state.left = left
    protocol: Any = lambda *given, **named: BoundedProtocol(*given, bounds=bounds, **named)  # noqa: E731
    config = uvicorn.Config(app, http=protocol, log_config=None, access_log=False, ws="none")
    server = uvicorn.Server(config)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(64)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])), daemon=True)
    thread.start()
    bounds.left = left  # type: ignore[attr-defined]
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        thread.join(10)
        listening.close()


def is_closed(connection: socket.socket, seconds: float) -> bool:
    """Whether the other end closes the connection in time."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


@pytest.mark.parametrize("sent", [b"", HEAD + b"X-A: ", HEAD + b"\r\n" + HEAD], ids=["nothing", "half", "second half"])
@pytest.mark.parametrize("drips", [False, True])
def test_a_head_has_a_time_limit(sent: bytes, drips: bool) -> None:
    with serving(Connections(64, 0.8, 30.0), Limits()) as port:
        connection = socket.create_connection(("127.0.0.1", port))
        connection.sendall(sent)
        if sent and drips:
            end = time.monotonic() + 3
            with contextlib.suppress(OSError):
                while time.monotonic() < end:
                    connection.sendall(b"a")
                    time.sleep(0.1)
        assert is_closed(connection, 10)
        assert httpx.get(f"http://127.0.0.1:{port}/").text == "0"


def test_a_connection_that_asks_again_and_again_is_kept() -> None:
    with (
        serving(Connections(64, 0.5, 30.0), Limits()) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        for _ in range(8):
            answer = client.post("/", content=b"x" * 100_000)
            assert answer.text == "100000"
            time.sleep(0.2)
        assert answer.extensions["network_stream"].get_extra_info("socket").fileno() > 0


def test_connections_are_bounded_and_the_oldest_without_a_request_make_room() -> None:
    bounds = Connections(20, 30.0, 30.0)
    with serving(bounds, Limits()) as port:
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
        assert httpx.get(f"http://127.0.0.1:{port}/").text == "0"
        closed = [is_closed(each, 0.05) for each in idle]
        assert bounds.open <= 20 and sum(not one for one in closed) <= 10, "one address has half of them"
        assert closed == sorted(closed, reverse=True), "the oldest go first"
        for each in idle:
            each.close()


def body(*pieces: bytes, pause: float) -> Iterator[bytes]:
    for piece in pieces:
        yield piece
        time.sleep(pause)


def test_a_body_may_neither_pause_nor_drip() -> None:
    limits = Limits(pause_seconds=1.0, least_rate=1000)
    with serving(Connections(64, 30.0, 30.0), limits) as port:
        url = f"http://127.0.0.1:{port}/"
        assert httpx.post(url, content=body(b"x" * 900, b"y" * 900, b"z", pause=0.4)).text == "1801"
        assert httpx.post(url, content=body(b"x", b"y", pause=1.6)).status_code == 408
        with contextlib.suppress(httpx.TransportError):  # it may still be sending
            assert httpx.post(url, content=body(*[b"x"] * 30, pause=0.1)).status_code == 408


def test_who_takes_nothing_of_a_stream_is_left() -> None:
    bounds = Connections(64, 30.0, 1.0)
    with serving(bounds, Limits()) as port:
        stalled = socket.create_connection(("127.0.0.1", port))
        stalled.sendall(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        assert bounds.left.wait(20) and bounds.open == 0  # type: ignore[attr-defined]
        stalled.close()
        slow = socket.create_connection(("127.0.0.1", port))
        slow.sendall(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        end = time.monotonic() + 4
        while time.monotonic() < end:
            assert slow.recv(65536), "it reads, if slowly"
            time.sleep(0.05)
        slow.close()


@pytest.fixture(scope="module")
def keyed() -> Iterator[Served]:
    with stand_in() as one, gateway("--upstream", one.url, "--recognise", "never", "--api-key", "k1") as served:
        yield served


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/convert/file", "/v1/parse", "/v1/drafts"])
@pytest.mark.parametrize("size", [b"Content-Length: 67108864", b"Transfer-Encoding: chunked"])
def test_bodies_that_are_announced_and_not_sent_hold_up_nobody(keyed: Served, path: str, size: bytes) -> None:
    host, port = keyed.url.removeprefix("http://").split(":")
    slow = [socket.create_connection((host, int(port))) for _ in range(20)]
    for each in slow:
        each.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: k1\r\n".encode() + size + b"\r\n\r\n")
    time.sleep(0.3)
    chat = {"model": "one", "messages": [{"role": "user", "content": "hi"}]}
    answer = httpx.post(
        f"{keyed.url}/v1/chat/completions", json=chat, headers={"Authorization": "Bearer k1"}, timeout=5
    )
    assert answer.status_code == 200
    for each in slow:
        each.close()
