"""Servers as an engine: what is sent, and what becomes of requests when servers fail in all the ways that they do."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError

import pytest
from PIL import Image, ImageChops

from docspec.core import Failure, ModelError, PageError, UsageError
from docspec.generation.interface import GenerationRequest, Generator, answers
from docspec.generation.server import ServerGenerator, fleet
from docspec.generation.server.addresses import base_of
from docspec.generation.server.connections import retry_after
from docspec.generation.server.wire import counts_in
from tests.generation.stand_in import StandIn, hangs_up, picture_in, says, stream, whole

METRICS = """# HELP vllm:spec_decode_num_drafts_total Number of spec decoding drafts.
vllm:spec_decode_num_drafts_total{{engine="0",model_name="mini"}} {0}.0
vllm:spec_decode_num_draft_tokens_total{{engine="0",model_name="mini"}} {1}.0
vllm:spec_decode_num_accepted_tokens_total{{engine="0",model_name="mini"}} {2}
vllm:generation_tokens_total{{engine="0",model_name="mini"}} 9.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{{engine="0",position="1"}} 5.0
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "FIRST_REST", 0.04)


def request(prompt: str = "Read.", **more: object) -> GenerationRequest:
    return GenerationRequest(None, prompt, 64, **more)  # type: ignore[arg-type]


def echo(body: dict) -> str:
    return " ".join(part["text"] for part in body["messages"][0]["content"] if part["type"] == "text")


def test_a_request_is_sent_as_the_model_is_asked() -> None:
    picture = Image.effect_noise((40, 24), 90).convert("RGB")
    with StandIn() as server, generator(server, key="secret") as engine:
        asked = GenerationRequest(picture, "Before.{image}After.", 77, ("one", "two"), "table", special_tokens=True)
        found = engine.submit(asked).result()
        assert isinstance(engine, Generator)
    [body] = server.asked
    assert found.text == "read" and found.finish == "stop" and found.counts.tokens == 4
    assert [part["type"] for part in body["messages"][0]["content"]] == ["text", "image_url", "text"]
    assert ImageChops.difference(picture_in(body).convert("RGB"), picture).getbbox() is None
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("mini", 77, 0)
    assert body["vllm_xargs"] == {"docspec_drafts": ["one", "two"], "docspec_kind": "table"}
    assert body["skip_special_tokens"] is False and "stream" not in body
    assert server.keys == ["Bearer secret"]


def test_a_prompt_without_words_is_a_picture_alone_and_strangers_are_sent_no_extras() -> None:
    with StandIn(owner="somebody") as server, generator(server) as engine:
        asked = GenerationRequest(Image.new("RGB", (8, 8)), "", 9, ("one",), special_tokens=True)
        assert engine.submit(asked).result().counts.tokens == 5, "only vLLM is known to count the end token"
    [body] = server.asked
    assert [part["type"] for part in body["messages"][0]["content"]] == ["image_url"]
    assert body.keys() == {"model", "messages", "temperature", "max_tokens"}


def test_answers_come_in_pieces_where_they_are_listened_to() -> None:
    pieces: list[str] = []
    with StandIn(lambda body: "a longer answer") as server, generator(server) as engine:
        found = engine.submit(request(), pieces.append).result()
    assert found.text == "a longer answer" == "".join(pieces) and len(pieces) > 1
    assert found.counts.tokens == 15 and found.counts.prefill_seconds is not None


@pytest.mark.parametrize(
    "fault",
    [
        says(429, {"error": {"message": "busy"}}),
        says(500, b"Internal Server Error"),
        says(503),
        hangs_up,
        says(200, b"{"),
        says(200, {"choices": []}),
        says(200, {"choices": [{"message": {"content": 7}, "finish_reason": "stop"}]}),
        says(200, {"error": {"message": "the engine died"}}),
        lambda handler, body: whole(handler, "cut", "abort") or True,
    ],
    ids=["429", "500", "503", "hangs up", "half a JSON", "no choices", "no text", "an error", "broken off"],
)
def test_what_fails_is_asked_again(fault: Callable) -> None:
    with StandIn(echo) as server, generator(server) as engine:
        server.faults.append(fault)
        assert engine.submit(request("one")).result(30).text == "one"
        [report] = engine.report()
    assert len(server.asked) == 2 and (report.answered, report.failed) == (1, 1)


def test_an_answer_that_breaks_off_in_the_middle_is_asked_again_and_told_once() -> None:
    pieces: list[str] = []
    with StandIn(lambda body: "all of the answer") as server, generator(server) as engine:
        server.faults.append(lambda handler, body: stream(handler, "all of the answer", upto=8) or True)
        assert engine.submit(request(), pieces.append).result(30).text == "all of the answer"
    assert "".join(pieces) == "all of the answer" and len(server.asked) == 2


def test_a_server_that_asks_for_rest_gets_it() -> None:
    with StandIn() as server, generator(server) as engine:
        server.faults.append(says(429, b"", Retry_After="1"))
        began = time.monotonic()
        engine.submit(request()).result(30)
        assert time.monotonic() - began >= 1.0


@pytest.mark.parametrize("first", [True, False], ids=["at once", "later"])
def test_a_server_that_asks_for_more_rest_than_may_be_waited_ends_the_run(first: bool) -> None:
    told: list[str] = []
    with (
        StandIn() as server,
        contextlib.closing(ServerGenerator([server.url], longest_rest=60.0, tell=told.append)) as engine,
    ):
        if not first:
            server.faults.append(says(429, b"", Retry_After="0.1"))
            assert engine.submit(request()).result(30).text == "read" and not told
        server.faults.append(says(429, {"error": {"message": "daily quota reached"}}, Retry_After="3600"))
        with pytest.raises(ModelError, match=r"429 \(daily quota reached\), and asks .* until \d\d:\d\d .*max-wait"):
            engine.submit(request()).result(30)


def test_a_long_rest_is_said_once_and_with_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "LONGEST_REST", 0.2)
    told: list[str] = []
    with StandIn() as server, contextlib.closing(ServerGenerator([server.url], tell=told.append)) as engine:
        server.faults.append(says(429, b"", Retry_After="0.5"))
        assert engine.submit(request()).result(60).text == "read"
    assert len(told) == 1 and re.search(r"429; asked again at \d\d:\d\d:\d\d \(Retry-After\)", told[0])


@pytest.mark.parametrize("status", [403, 404])
def test_a_server_that_lists_no_models_is_asked_for_the_one_that_is_named(status: int) -> None:
    with StandIn() as server, contextlib.closing(ServerGenerator([server.url], "named")) as engine:
        server.list_status = status
        assert engine.model.name == "named" and engine.submit(request()).result(30).text == "read"
        assert server.asked[-1]["model"] == "named"
    with StandIn() as server, contextlib.closing(ServerGenerator([server.url])) as engine:
        server.list_status = status
        with pytest.raises(ModelError, match=f"{status}"):
            _ = engine.model


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("3", 3), ("0.5", 0.5), ("-1", 0), ("nan", 0), ("soon", 0), (None, 0), ("", 0), ("1e9", 1e9),
     ("Wed, 21 Oct 2015 07:28:00 GMT", 0)],
)  # fmt: skip
def test_how_long_a_server_wants_to_rest(said: str | None, seconds: float) -> None:
    assert retry_after(said) == seconds


def test_a_request_that_is_at_fault_fails_alone() -> None:
    with StandIn(echo) as server, generator(server) as engine:
        too_long = {"error": {"message": "This model's maximum context length is 4096 tokens"}}
        server.faults.append(says(400, too_long))
        with pytest.raises(PageError, match="maximum context length") as caught:
            engine.submit(request("long")).result(30)
        assert caught.value.failure is Failure.TOO_LARGE
        assert engine.submit(request("short")).result(30).text == "short"


def test_a_request_that_fails_again_and_again_is_given_up_while_others_are_answered() -> None:
    def poisoned(body: dict) -> str:
        if echo(body) == "poison":
            raise OSError
        return echo(body)

    with StandIn(poisoned) as server, generator(server, patience=0.8) as engine:
        poison = engine.submit(request("poison"))
        others = 0
        while not poison.done():
            assert engine.submit(request("other")).result(30).text == "other"
            others += 1
        with pytest.raises(PageError, match="page-timeout") as caught:
            poison.result()
        assert caught.value.failure is Failure.TIMED_OUT and others > 1


def test_a_silent_server_is_given_up_and_its_requests_are_the_others() -> None:
    ended = threading.Event()
    with (
        StandIn(lambda body: "late" if ended.wait(20) else "") as silent,
        StandIn(echo) as sound,
        generator(silent, sound, patience=0.6) as engine,
    ):
        found = answers(engine, [request(str(number)) for number in range(8)])
        ended.set()
    assert [one.text for one in found] == [str(number) for number in range(8)]


def test_where_no_server_answers_any_more_the_run_ends() -> None:
    gone = StandIn()
    with generator(gone, patience=0.6) as engine:
        assert engine.submit(request()).result(30).text == "read"
        gone.close()
        began = time.monotonic()
        with pytest.raises(ModelError, match=r"for 0\.6 s \(--page-timeout\)"):
            answers(engine, [request() for _ in range(20)])
        assert time.monotonic() - began < 10


def test_a_server_that_comes_back_goes_on() -> None:
    first = StandIn(echo)
    with generator(first, patience=20) as engine:
        assert engine.submit(request("before")).result(30).text == "before"
        first.close()
        waiting = [engine.submit(request(str(number))) for number in range(40)]
        time.sleep(0.3)
        assert not any(one.done() for one in waiting)
        with StandIn(echo, port=first.port):
            assert [one.result(30).text for one in waiting] == [str(number) for number in range(40)]


def test_several_servers_share_the_work() -> None:
    with StandIn(echo, seconds=0.02) as one, StandIn(echo, seconds=0.02) as other, generator(one, other) as engine:
        found = answers(engine, [request(str(number)) for number in range(60)])
    assert [each.text for each in found] == [str(number) for number in range(60)]
    assert min(len(one.asked), len(other.asked)) > 15 and len(one.asked) + len(other.asked) == 60


@pytest.mark.parametrize(
    ("models", "served", "said"),
    [(["a", "b"], None, "serves a, b; choose one with --set served-model=NAME"), (["a", "b"], "c", "no c")],
)
def test_which_model_is_asked_has_to_be_clear(models: list[str], served: str | None, said: str) -> None:
    with StandIn() as server:
        server.models = [{**server.models[0], "id": name} for name in models]
        with generator(server, served_model=served) as engine, pytest.raises(ModelError, match=said):
            _ = engine.model
        with generator(server, served_model="b") as engine:
            assert engine.model.name == "b" and engine.model.max_length == 4096 and engine.model.version == "0.32.0"


def test_a_wrong_key_ends_the_run_at_once() -> None:
    with StandIn() as server, generator(server) as engine:
        server.faults.extend([says(401, {"error": "Unauthorized"})] * 2)  # the request, and whether any is answered
        with pytest.raises(ModelError, match=r"401 \(Unauthorized\); check the address, served-model and --server-key"):
            engine.submit(request()).result(30)


def test_cancelling_closes_the_connection() -> None:
    with StandIn() as server, generator(server) as engine:
        server.faults.append(lambda handler, body: stream(handler, "word " * 4000, pause=0.01) or True)
        came = threading.Event()
        future = engine.submit(request(), lambda piece: came.set())
        assert came.wait(30) and future.cancel()
        assert server.broken_off.wait(10), "the server could write on"
        assert engine.submit(request()).result(30).text == "read"


def test_a_listener_that_has_heard_enough_cancels_the_request() -> None:
    heard: list[str] = []

    def listen(piece: str) -> None:
        heard.append(piece)
        if len(heard) == 3:
            raise ValueError("enough")

    with StandIn() as server, generator(server) as engine:
        server.faults.append(lambda handler, body: stream(handler, "word " * 4000, pause=0.01) or True)
        with pytest.raises(CancelledError):
            engine.submit(request(), listen).result(30)
        assert server.broken_off.wait(10) and len(heard) == 3


def test_closing_cancels_what_waits_and_ends_the_thread() -> None:
    ended = threading.Event()
    with StandIn(lambda body: "late" if ended.wait(20) else "") as server:
        engine = generator(server).engine
        waiting = [engine.submit(request()) for _ in range(200)]
        engine.close()
        assert all(one.cancelled() for one in waiting)
        assert "docspec-servers" not in {thread.name for thread in threading.enumerate()}
        with pytest.raises(ModelError):
            engine.submit(request())
        ended.set()


def test_the_servers_own_counts_are_those_of_the_run() -> None:
    with StandIn() as server:
        server.metrics = METRICS.format(10, 100, 90)
        with generator(server) as engine:
            assert engine.model.name
            server.metrics = METRICS.format(15, 160, 140)
            [report] = engine.report()
            assert report.counted is not None
            assert (report.counted.drafts, report.counted.drafted, report.counted.accepted) == (5, 60, 50)
            server.metrics = METRICS.format(2, 6, 4)  # started again
            [report] = engine.report()
            assert report.counted is not None and report.counted.accepted == 4
    assert counts_in("python_gc_objects_collected_total 7\n") is None


def test_addresses_are_taken_in_the_ways_they_are_written() -> None:
    for written in ("http://gpu:8000", "http://gpu:8000/", "http://gpu:8000/v1", "gpu:8000", " http://gpu:8000/v1/ "):
        assert base_of(written) == "http://gpu:8000"
    assert base_of("https://host/models/ocr/v1") == "https://host/models/ocr"
    for wrong in ("", "ftp://gpu", "http://", "http://gpu:port", "http://[::1"):
        with pytest.raises(UsageError, match="--server"):
            base_of(wrong)


class generator:
    """A generator over stand-ins, closed at the end."""

    def __init__(self, *servers: StandIn, **more: object) -> None:
        self.engine = ServerGenerator([server.url for server in servers], **more)  # type: ignore[arg-type]

    def __enter__(self) -> ServerGenerator:
        return self.engine

    def __exit__(self, *_: object) -> None:
        self.engine.close()


def test_a_port_where_nobody_listens_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    engine = ServerGenerator([f"127.0.0.1:{port}"], patience=0.5)
    try:
        with pytest.raises(ModelError, match=f"http://127.0.0.1:{port}: ConnectError"):
            _ = engine.model
    finally:
        engine.close()
