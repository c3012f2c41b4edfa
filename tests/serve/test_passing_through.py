"""What clients send arrives upstream, what upstreams answer arrives at clients, and whose fault is whose."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from benchmarks.serving.images import data_url
from tests.serve.conftest import printed
from tests.serve.processes import Served, gateway, stand_in

CHAT = "/v1/chat/completions"


def asked(text: str = "hello", **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}], **more}


def post(served: Served, values: Any, **settings: Any) -> httpx.Response:
    body = values if isinstance(values, bytes) else json.dumps(values).encode()
    return httpx.post(served.url + CHAT, content=body, timeout=30, **settings)


def until(true: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_is_the_upstreams_byte_for_byte(upstream: Served, served: Served, stream: bool) -> None:
    straight, through = post(upstream, asked(stream=stream)), post(served, asked(stream=stream))
    assert through.content == straight.content and through.status_code == 200
    assert through.headers["content-type"] == straight.headers["content-type"]


def test_a_stream_comes_as_it_is_written(served: Served) -> None:
    arrived = []
    with httpx.stream("POST", served.url + CHAT, json=asked(stream=True, pause=0.05), timeout=30) as answer:
        for _ in answer.iter_raw():
            arrived.append(time.monotonic())
    assert len(arrived) > 12 and arrived[-1] - arrived[0] > 0.5


@pytest.mark.parametrize("status", [400, 404, 422, 429, 500, 503])
def test_errors_and_their_status_come_as_they_are(upstream: Served, served: Served, status: int) -> None:
    answer = post(served, asked(status=status))
    assert answer.status_code == status and answer.json() == post(upstream, asked(status=status)).json()


def test_models_are_the_upstreams(upstream: Served, served: Served) -> None:
    assert served.get("/v1/models").json() == upstream.get("/v1/models").json()


def test_a_body_without_drafts_arrives_untouched(upstream: Served, served: Served) -> None:
    upstream.told()
    body = b' {"messages" : [{"role": "user", "content": "\\u00e9"}], "odd": 1.50, "x":[1,2 ]}  '
    assert post(served, body).status_code == 200
    sent = upstream.told()["seen"][0]
    assert sent["headers"]["content-length"] == str(len(body))
    assert sent["body"] == {"odd": 1.5, "x": [1, 2]}


@pytest.mark.parametrize(
    ("content", "drafts"),
    [("one text", ["one text"]), ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], ["a", "b"])],
)
def test_a_prediction_becomes_drafts(upstream: Served, served: Served, content: Any, drafts: list[str]) -> None:
    upstream.told()
    answer = post(served, asked(prediction={"type": "content", "content": content}))
    assert answer.headers["x-docspec-drafts"] == "prediction"
    assert upstream.told()["seen"][0]["body"]["vllm_xargs"] == {"docspec_drafts": drafts, "docspec_kind": "page"}


@pytest.mark.parametrize("wrong", [None, 5, "text", {"content": 5}, {"content": [5, {"text": 5}]}, {"content": ""}])
def test_what_is_no_prediction_costs_nothing(served: Served, wrong: Any) -> None:
    answer = post(served, asked(prediction=wrong))
    assert answer.status_code == 200 and answer.headers["x-docspec-drafts"] == "none"


def test_a_clients_own_arguments_stay_beside_the_drafts(upstream: Served, served: Served) -> None:
    """As MinerU's client has them."""
    upstream.told()
    given = {"no_repeat_ngram_size": 100, "debug": False}
    post(served, asked(vllm_xargs=given, prediction={"type": "content", "content": "x"}))
    sent = upstream.told()["seen"][0]["body"]["vllm_xargs"]
    assert sent == {**given, "docspec_drafts": ["x"], "docspec_kind": "page"}


def test_drafts_of_a_client_that_knows_docspec_are_its_own(upstream: Served, served: Served) -> None:
    upstream.told()
    given = {"docspec_drafts": ["mine"], "docspec_kind": "table"}
    post(served, asked(vllm_xargs=given, prediction={"type": "content", "content": "x"}))
    assert upstream.told()["seen"][0]["body"]["vllm_xargs"] == given


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"nul", b'"text"', b"\xff\xfe\xfa", b"[" * 100_000, b'{"a":' * 100_000, b"1" * 10_000]
)
def test_a_malformed_body_is_refused_here(upstream: Served, served: Served, body: bytes) -> None:
    upstream.told()
    answer = post(served, body)
    assert answer.status_code == 400 and answer.json()["error"]["type"] == "invalid_request_error"
    assert upstream.told()["seen"] == []


@pytest.mark.parametrize("messages", [None, 5, [5], [{"content": 5}], [{"role": "user", "content": [5, None, []]}]])
def test_odd_messages_are_the_upstreams_to_judge(served: Served, messages: Any) -> None:
    assert post(served, {"messages": messages, "status": 400}).status_code in (400, 500)


def test_a_client_that_leaves_cancels_its_request(upstream: Served, served: Served) -> None:
    before = upstream.told()["counts"].get("left", 0)
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(served.url + CHAT, json=asked(hold=30), timeout=0.5)
    until(lambda: upstream.told()["counts"].get("left", 0) == before + 1)
    until(lambda: "docspec_requests_here 0" in served.get("/metrics").text)


def test_a_client_that_leaves_in_a_stream_cancels_it(upstream: Served, served: Served) -> None:
    before = upstream.told()["counts"].get("left", 0)
    with httpx.stream("POST", served.url + CHAT, json=asked(stream=True, pause=0.1), timeout=30) as answer:
        next(answer.iter_raw())
    until(lambda: upstream.told()["counts"].get("left", 0) == before + 1)


def test_the_least_busy_upstream_is_asked() -> None:
    with (
        stand_in("a") as one,
        stand_in("b") as two,
        gateway("--upstream", one.url, "--upstream", two.url) as served,
        ThreadPoolExecutor(4) as pool,
    ):
        held = [pool.submit(post, served, asked(hold=60)) for _ in range(4)]
        until(lambda: sum(each.told()["counts"].get("held", 0) for each in (one, two)) == 4)
        assert [each.told()["counts"]["held"] for each in (one, two)] == [2, 2]
        for each in (one, two):
            each.get("/release")
        assert {each.result().status_code for each in held} == {200}


def test_a_dead_upstream_is_left_out_and_asked_again_when_it_is_back() -> None:
    with stand_in("a") as one, stand_in("b") as two:
        port = int(one.url.rpartition(":")[2])
        with gateway("--upstream", one.url, "--upstream", two.url) as served, ThreadPoolExecutor(6) as pool:
            held = [pool.submit(post, served, asked(f"{number}", hold=60)) for number in range(6)]
            until(lambda: one.told()["counts"].get("held", 0) == 3)
            one.stop()
            two.get("/release")
            answers = [each.result() for each in held]
            assert [each.status_code for each in answers] == [200] * 6, "requests without an answer go to another"
            assert {each.headers["x-served-by"] for each in answers} == {"b"}
            assert "docspec_upstreams_there 1" in served.get("/metrics").text
            with stand_in("a", port) as again:
                until(lambda: "docspec_upstreams_there 2" in served.get("/metrics").text)
                for _ in range(4):
                    post(served, asked())
                assert again.told()["counts"]["asked"] > 0


def test_a_request_that_kills_servers_ends_as_an_error() -> None:
    with stand_in("a") as one, stand_in("b") as two, gateway("--upstream", one.url, "--upstream", two.url) as served:
        answer = post(served, asked(die=True))
        assert answer.status_code in (502, 503) and answer.json()["error"]["type"] == "server_error"
        assert "Retry-After" in answer.headers


def test_a_stream_that_breaks_off_ends_without_its_end() -> None:
    with stand_in() as one, gateway("--upstream", one.url) as served:
        with pytest.raises(httpx.RemoteProtocolError):
            post(served, asked(stream=True, break_after=5))
        assert served.get("/health").status_code == 200


def test_with_no_upstream_there_a_client_is_told_to_come_again() -> None:
    with stand_in() as one, gateway("--upstream", one.url) as served:
        one.stop()
        assert served.get("/ready").status_code == 200, "nothing is known of it yet"
        began = time.monotonic()
        answer = post(served, asked())
        assert answer.status_code == 503 and answer.headers["Retry-After"] and time.monotonic() - began < 25
        assert served.get("/ready").status_code == 503 and served.get("/health").status_code == 200


def test_beyond_the_queue_a_client_is_told_when_to_come_again() -> None:
    with (
        stand_in() as one,
        gateway("--upstream", one.url, "--in-flight", "1", "--max-waiting", "2") as served,
        ThreadPoolExecutor(3) as pool,
    ):
        held = [pool.submit(post, served, asked(hold=60)) for _ in range(3)]
        until(lambda: "docspec_requests_here 3" in served.get("/metrics").text)
        image = {"type": "image_url", "image_url": {"url": data_url(printed("x", size=(900, 900)))}}
        refused = post(served, {"messages": [{"role": "user", "content": [image]}]})
        assert refused.status_code == 429 and int(refused.headers["Retry-After"]) > 0
        one.get("/release")
        assert [each.result().status_code for each in held] == [200] * 3


def test_an_upstream_that_says_nothing_is_given_up() -> None:
    with stand_in() as one, gateway("--upstream", one.url, "--timeout", "0.5") as served:
        assert post(served, asked(hold=10)).status_code == 504


def test_sigterm_lets_answers_end_and_takes_no_more() -> None:
    with stand_in() as one, gateway("--upstream", one.url) as served, ThreadPoolExecutor(1) as pool:
        streaming = pool.submit(post, served, asked(stream=True, pause=0.05))
        until(lambda: one.told()["counts"].get("asked", 0) == 1)
        served.process.send_signal(signal.SIGTERM)
        assert streaming.result().content.endswith(b"[DONE]\n\n")
        assert served.process.wait(20) == 0
        with pytest.raises(httpx.ConnectError):
            post(served, asked())


def test_hundreds_of_requests_by_thirty_clients_are_each_answered_with_their_own() -> None:
    from benchmarks.serving.standin import answer_of

    wrong: list[int] = []
    with stand_in("a") as one, stand_in("b") as two, gateway("--upstream", one.url, "--upstream", two.url) as served:

        def client(first: int) -> None:
            with httpx.Client(timeout=60) as own:
                for number in range(first, 300, 30):
                    values = asked(f"number {number}")
                    answer = own.post(served.url + CHAT, json=values)
                    if answer.json()["choices"][0]["message"]["content"] != answer_of(values):
                        wrong.append(number)

        threads = [threading.Thread(target=client, args=(first,)) for first in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong
        assert one.told()["counts"]["asked"] + two.told()["counts"]["asked"] == 300
