"""What a gateway owes to programs around it: errors in JSON, one end to each request, a phase in which it is not ready,
latencies, spans, and requests that only pass."""

from __future__ import annotations

import json
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from docspec.serve import running
from docspec.serve.metrics import BOUNDS, Metrics, span
from tests.serve.processes import Served, gateway, stand_in


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    words = ("--recognise", "never", "--api-key", "one", "--upstream-key", "theirs")
    with stand_in() as upstream, gateway("--upstream", upstream.url, *words) as found:
        yield found


ONE = {"Authorization": "Bearer one"}


def raw(served: Served, request: bytes) -> bytes:
    """What comes until the connection is closed."""
    parts = urlsplit(served.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=20) as connection:
        connection.sendall(request)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return answer


@pytest.mark.parametrize("request_", [b"NONSENSE\r\n\r\n", b"GET /\x00 HTTP/1.1\r\n\r\n"])
def test_what_is_no_http_gets_an_error_in_json(served: Served, request_: bytes) -> None:
    head, _, body = raw(served, request_).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400") and b"application/json" in head
    assert json.loads(body)["error"]["code"] == 400


def test_a_form_that_is_none_gets_an_error_in_json(served: Served) -> None:
    head = {**ONE, "Content-Type": "multipart/form-data"}
    answer = httpx.post(f"{served.url}/v1/convert/file", content=b"x", headers=head)
    assert answer.status_code == 400 and answer.json()["error"]["code"] == 400


def test_a_request_with_two_ends_is_refused_and_its_connection_closed(served: Served) -> None:
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer one\r\n"
    both = head + b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    answer = raw(served, both + b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert answer.count(b"HTTP/1.1 ") == 1 and answer.startswith(b"HTTP/1.1 400")


def test_packed_bodies_are_refused_as_such(served: Served) -> None:
    answer = httpx.post(f"{served.url}/v1/completions", content=b"x", headers={**ONE, "Content-Encoding": "gzip"})
    assert answer.status_code == 415 and "Content-Encoding" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/responses", "/tokenize"])
def test_requests_pass_to_a_server_as_they_are(served: Served, path: str) -> None:
    body = {"model": "stand-in", "prompt": "http://is.only/a/word", "input": [{"type": "input_text", "text": "x://y"}]}
    answer = httpx.post(served.url + path, json=body, headers=ONE)
    assert answer.status_code == 200
    assert answer.json() == {"path": path, "body": body, "headers": {"authorization": "Bearer theirs"}}
    assert httpx.post(served.url + path, json=body).status_code == 401
    for url in ("http://127.0.0.1/secret", "file:/etc/passwd"):
        fetched = {"input": [{"type": "input_image", "image_url": url}]}
        assert httpx.post(served.url + path, json=fetched, headers=ONE).status_code == 400


def test_latencies_are_in_the_metrics(served: Served) -> None:
    body = {"messages": [{"role": "user", "content": "words"}]}
    assert httpx.post(f"{served.url}/v1/chat/completions", json=body, headers=ONE).status_code == 200
    text = served.get("/metrics", headers=ONE).text
    counts = re.findall(r'docspec_request_seconds_bucket\{route="/v1/chat/completions",le="([^"]+)"\} (\d+)', text)
    assert len(counts) == len(BOUNDS) + 1 and counts[-1][0] == "+Inf"
    numbers = [int(count) for _, count in counts]
    assert numbers == sorted(numbers) and numbers[-1] >= 1
    assert "# TYPE docspec_request_seconds histogram" in text


def test_a_histogram_counts_what_is_at_most_its_bound() -> None:
    metrics = Metrics()
    for seconds in (0.01, 0.011, 1000.0):
        metrics.observe("x_seconds", seconds, route="/a")
    lines = metrics.text().splitlines()
    assert 'docspec_x_seconds_bucket{route="/a",le="0.01"} 1' in lines
    assert 'docspec_x_seconds_bucket{route="/a",le="0.025"} 2' in lines
    assert 'docspec_x_seconds_bucket{route="/a",le="+Inf"} 3' in lines
    assert 'docspec_x_seconds_count{route="/a"} 3' in lines


def test_it_says_that_it_is_not_ready_before_it_ends() -> None:
    with stand_in() as upstream, gateway("--upstream", upstream.url, "--recognise", "never") as found:
        with httpx.Client(base_url=found.url) as client:
            assert client.get("/readyz").status_code == 200
            found.process.send_signal(signal.SIGTERM)
            statuses = []
            try:
                while found.process.poll() is None:
                    statuses.append(client.get("/readyz").status_code)
            except httpx.TransportError:
                pass
        assert found.process.wait(30) == 0
    assert 503 in statuses and statuses == sorted(statuses), "ready, then not, then gone"
    assert running.LEAVING_SECONDS > 0


def test_spans_are_recorded_where_a_tracer_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = pytest.importorskip("opentelemetry.trace")
    ended: list[tuple[str, Any]] = []

    class Span(trace.NonRecordingSpan):  # type: ignore[name-defined,misc]
        def is_recording(self) -> bool:
            return True

    class Tracer(trace.NoOpTracer):  # type: ignore[name-defined,misc]
        @contextmanager
        def start_as_current_span(self, name: str, context: Any = None, *rest: Any, **more: Any) -> Iterator[Any]:
            parent = trace.get_current_span(context).get_span_context()
            yield Span(parent)
            ended.append((name, parent.trace_id))

    with span("GET", "/x", {}) as told:
        assert told is None, "nobody listens"
    monkeypatch.setattr(trace, "get_tracer", lambda name: Tracer())
    with span("GET", "/x", {"traceparent": f"00-{'1' * 32}-{'2' * 16}-01"}) as told:
        assert told is not None
    assert ended == [("GET /x", int("1" * 32, 16))]
