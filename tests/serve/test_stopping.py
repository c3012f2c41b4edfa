"""Ends: a gateway that is told to stop, model servers that are silent, streams whose pages do not come."""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.generation.stand_in import StandIn
from tests.serve.processes import Served, gateway, stand_in
from tests.serve.test_documents import pdf_of

BAR = 10.0
"""Seconds in which a gateway ends whose model server is silent."""


@pytest.fixture
def silent() -> Iterator[StandIn]:
    ended = threading.Event()
    with StandIn(lambda body: "late" if ended.wait(60) else "", model="rednote-hilab/dots.ocr") as server:
        yield server
        ended.set()


def reading(served: Served, path: str, **given: Any) -> tuple[threading.Thread, list[Any]]:
    """A client that has a document read, or asks what is ``given``."""
    found: list[Any] = []

    def read() -> None:
        try:
            found.append(httpx.post(served.url + path, **(given or {"content": pdf_of("A word")}), timeout=60))
        except httpx.HTTPError as error:
            found.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    return thread, found


def until(condition: Any, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    assert condition()


@pytest.mark.parametrize("path", ["/v1/parse", "/v1/convert/file", "/v1/convert/file/async"])
def test_a_gateway_ends_soon_though_its_model_server_is_silent(silent: StandIn, path: str) -> None:
    words = ("--upstream", silent.url, "--recognise", "never", "--model", "rednote-hilab/dots.ocr")
    with gateway(*words) as served:
        client, found = reading(served, path)
        until(lambda: silent.asked)
        began = time.monotonic()
        assert served.stop(signal.SIGTERM) == 0
        assert time.monotonic() - began < BAR
        client.join(10)
        assert found and (isinstance(found[0], httpx.HTTPError) or "word" not in found[0].text)


def chat(stream: bool) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "x"}], "stream": stream}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_chat_is_not_waited_for_whose_server_answers_nothing(stream: bool) -> None:
    """A server that hangs takes connections and nothing else: the grace time would be waited for nothing."""
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        address = f"http://127.0.0.1:{hanging.getsockname()[1]}"
        with gateway("--upstream", address, "--recognise", "never") as served:
            client, found = reading(served, "/v1/chat/completions", json=chat(stream))
            until(lambda: "docspec_requests_here 1" in served.get("/metrics").text)
            began = time.monotonic()
            assert served.stop(signal.SIGTERM) == 0
            assert time.monotonic() - began < BAR
            client.join(10)
    assert found[0].status_code == 503 and "stopped" in found[0].text and found[0].headers["retry-after"]


def test_a_chat_has_the_grace_time_and_no_more(silent: StandIn) -> None:
    with gateway("--upstream", silent.url, "--recognise", "never", "--grace", "4") as served:
        client, found = reading(served, "/v1/chat/completions", json=chat(False))
        until(lambda: silent.asked)
        began = time.monotonic()
        assert served.stop(signal.SIGTERM) == 0
        assert 2 < time.monotonic() - began < BAR
        client.join(10)
    assert found[0].status_code == 503 and "stopped" in found[0].text


def test_a_chat_that_is_answered_within_the_grace_time_is_whole() -> None:
    late = threading.Event()
    with StandIn(lambda body: "late" if late.wait(60) else "", model="x") as server:
        with gateway("--upstream", server.url, "--recognise", "never") as served:
            client, found = reading(served, "/v1/chat/completions", json=chat(False))
            until(lambda: server.asked)
            threading.Timer(4.0, late.set).start()
            assert served.stop(signal.SIGTERM) == 0
            client.join(10)
        assert found[0].json()["choices"][0]["message"]["content"] == "late"


def test_a_stream_of_pages_ends_at_the_time_limit(silent: StandIn) -> None:
    words = ("--upstream", silent.url, "--recognise", "never", "--model", "rednote-hilab/dots.ocr", "--timeout", "1")
    with gateway(*words) as served:
        began = time.monotonic()
        client, found = reading(served, "/v1/parse")
        client.join(60)
        assert time.monotonic() - began < 40
        assert "failed" in found[0].text or "event: error" in found[0].text


def test_a_model_is_told_of_by_its_name() -> None:
    with stand_in() as one, gateway("--upstream", one.url, "--recognise", "never", "--host", "127.0.0.2") as served:
        assert "127.0.0.2" in served.url
        [card] = served.get("/v1/models").json()["data"]
        assert served.get(f"/v1/models/{card['id']}").json() == card
        assert served.get("/v1/models/none/such").status_code == 404


def test_nobody_says_for_others_who_they_are(served: Served) -> None:
    """Without keys a client is its address: a header from loopback would make it any other one."""
    mine = httpx.post(f"{served.url}/v1/convert/file/async", content=pdf_of("A word"), timeout=60).json()["task_id"]
    other = served.get(f"/v1/status/poll/{mine}", headers={"X-Forwarded-For": "203.0.113.9"})
    assert other.status_code == 200, "it is still the same client"
