"""``docspec serve`` without a server behind it: docspec's own engine answers, greedily and exactly, or says why not."""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from benchmarks.serving.images import data_url
from docspec import Engine
from docspec.serve.own.answers import PendingAnswer
from docspec.serve.own.asking import ChatRequest, Penalties, chat_request
from docspec.serve.picture import checked_picture
from docspec.serve.refusal import Refusal
from tests.serve.conftest import printed
from tests.serve.processes import Served, gateway

CHAT = "/v1/chat/completions"
LINES = ["A line of print", "Another one below", "And the last of them"]


def body(image: Image.Image | None = None, text: str = "", **more: Any) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    if image is not None:
        parts.append({"type": "image_url", "image_url": {"url": data_url(image)}})
    if text:
        parts.append({"type": "text", "text": text})
    return {"messages": [{"role": "user", "content": parts}], "temperature": 0, **more}


def line(text: str) -> Image.Image:
    return printed(text, size=(640, 64))


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with gateway("--model", "mini", "--recognise", "never") as found:
        yield found


def post(served: Served, values: dict[str, Any]) -> httpx.Response:
    return httpx.post(served.url + CHAT, json=values, timeout=60)


def content(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    return str(answer.json()["choices"][0]["message"]["content"])


def test_a_line_is_read_and_a_prediction_changes_nothing_but_the_steps(served: Served) -> None:
    plain = post(served, body(line(LINES[0])))
    assert "ine of print" in content(plain) and plain.json()["choices"][0]["finish_reason"] == "stop"
    for prediction in (content(plain), "something else", "A line of"):
        drafted = post(served, body(line(LINES[0]), prediction={"type": "content", "content": prediction}))
        assert content(drafted) == content(plain)
    right = post(served, body(line(LINES[0]), prediction={"type": "content", "content": content(plain)}))
    details = right.json()["usage"]["completion_tokens_details"]
    tokens = right.json()["usage"]["completion_tokens"]
    assert details["accepted_prediction_tokens"] >= tokens - 2 and details["rejected_prediction_tokens"] >= 0


def test_requests_at_once_are_answered_as_alone_and_together(served: Served) -> None:
    alone = [content(post(served, body(line(text)))) for text in LINES]
    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(lambda number: content(post(served, body(line(LINES[number % 3])))), range(12)))
    assert found == [alone[number % 3] for number in range(12)]


def test_a_stream_says_the_same_in_pieces_and_what_it_took(served: Served) -> None:
    values = body(line(LINES[1]), stream=True, stream_options={"include_usage": True})
    events = [json.loads(one[6:]) for one in post(served, values).text.splitlines() if one.startswith("data: {")]
    text = "".join(event["choices"][0]["delta"].get("content", "") for event in events if event["choices"])
    assert text == content(post(served, body(line(LINES[1]))))
    assert events[-2]["choices"][0]["finish_reason"] == "stop" and events[-1]["usage"]["completion_tokens"] > 0


def test_an_answer_ends_before_a_stop_string_and_at_its_limit(served: Served) -> None:
    whole = content(post(served, body(line(LINES[0]))))
    for values in (body(line(LINES[0]), stop="of"), body(line(LINES[0]), stop=["zz", "of pr"])):
        stopped = post(served, values)
        assert content(stopped) == whole[: whole.index("of")]
        assert stopped.json()["choices"][0]["finish_reason"] == "stop"
    streamed = post(served, body(line(LINES[0]), stop=["of"], stream=True)).text
    pieces = [json.loads(one[6:]) for one in streamed.splitlines() if one.startswith("data: {")]
    told = "".join(piece["choices"][0]["delta"].get("content", "") for piece in pieces)
    assert told == whole[: whole.index("of")]
    short = post(served, body(line(LINES[0]), max_completion_tokens=3))
    assert short.json()["choices"][0]["finish_reason"] == "length"
    assert short.json()["usage"]["completion_tokens"] == 3 and whole.startswith(content(short))


def test_text_alone_transparency_and_text_on_either_side_are_taken(served: Served) -> None:
    assert post(served, {"messages": [{"role": "user", "content": "hello"}]}).status_code == 200
    white = line(LINES[0])
    clear = white.convert("RGBA")
    clear.putdata([(*pixel[:3], 0 if pixel[:3] == (255, 255, 255) else 255) for pixel in clear.getdata()])
    assert content(post(served, body(clear))) == content(post(served, body(white)))
    parts = body(white, "x")["messages"][0]["content"]
    for order in (parts, parts[::-1]):
        assert post(served, {"messages": [{"role": "user", "content": order}]}).status_code == 200
    system = {"role": "system", "content": "You are a helpful assistant."}
    assert post(served, {"messages": [system, *body(white)["messages"]]}).status_code == 200


@pytest.mark.parametrize(
    "asks",
    [{"temperature": 0.3}, {"n": 2}, {"logprobs": True}, {"tools": [{}]}, {"guided_regex": "a"},
     {"response_format": {"type": "json_object"}}, {"repetition_penalty": 1.1, "presence_penalty": 1}, {"stop": 5},
     {"logit_bias": {"1": 5}}, {"ignore_eos": True}, {"max_tokens": "many"}, {"presence_penalty": "some"}],
)  # fmt: skip
def test_what_cannot_be_followed_is_refused_and_said(served: Served, asks: dict[str, Any]) -> None:
    answer = post(served, body(line(LINES[0]), **asks))
    assert answer.status_code == 400 and next(iter(asks)) in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "asks", [{"temperature": None}, {"temperature": 0.7, "top_k": 1}, {"temperature": 0, "top_p": 0.1}]
)
def test_greedy_in_other_words_is_greedy(served: Served, asks: dict[str, Any]) -> None:
    assert content(post(served, body(line(LINES[0]), **asks))) == content(post(served, body(line(LINES[0]))))


@pytest.mark.parametrize("text", ["word " * 40_000, "x"])
def test_what_is_surely_too_long_is_refused_before_its_pictures_are_decoded(served: Served, text: str) -> None:
    large = Image.new("RGB", (2448, 2448), "white")
    values = body(line("x"), text)
    if text == "x":
        picture = {"type": "image_url", "image_url": {"url": data_url(large)}}
        values["messages"][0]["content"] = [picture] * 8
    began = time.monotonic()
    answer = post(served, values)
    assert answer.status_code == 400 and "tokens or more" in answer.json()["error"]["message"]
    assert time.monotonic() - began < 5


def test_sampling_is_answered_greedily_where_that_was_allowed() -> None:
    assert chat_request(body(line("x"), temperature=0.8), greedy=True).not_greedy == "temperature 0.8"
    with pytest.raises(Refusal, match=r"temperature 0\.8"):
        chat_request(body(line("x"), temperature=0.8), greedy=False)


def test_a_client_that_leaves_makes_room_for_others(served: Served) -> None:
    for stream in (False, True):
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(
                served.url + CHAT, json=body(line(LINES[0]), stream=stream), timeout=httpx.Timeout(30, read=0.001)
            )
    assert "ine of print" in content(post(served, body(line(LINES[0]))))


def test_the_engine_is_started_again_where_it_dies(served: Served) -> None:
    children = Path(f"/proc/{served.process.pid}/task/{served.process.pid}/children").read_text().split()
    own = [pid for pid in children if "docspec.serve.own" in Path(f"/proc/{pid}/cmdline").read_text()]
    assert len(own) == 1, "the gateway itself has no model"
    import os
    import signal

    os.kill(int(own[0]), signal.SIGKILL)
    end = time.monotonic() + 60
    while (answer := post(served, body(line(LINES[0])))).status_code != 200:
        assert answer.status_code in (502, 503) and time.monotonic() < end
    assert "ine of print" in content(answer)


@pytest.fixture(scope="module")
def engine(lively_qwen: Path) -> Iterator[Engine]:
    """An engine whose model writes long and irregular answers, in this process."""
    with Engine(str(lively_qwen), device="cpu", dtype="float32") as found:
        yield found


def written(engine: Engine, *asks: ChatRequest) -> list[PendingAnswer]:
    """The answers to ``asks``, sent together."""
    ends: queue.SimpleQueue[str | Exception | None] = queue.SimpleQueue()
    answers = [PendingAnswer(engine, ask, ends.put) for ask in asks]
    for _ in answers:
        if isinstance(error := ends.get(timeout=60), Exception):
            raise error
    return answers


def ask_of(penalties: Penalties, drafts: tuple[str, ...] = (), most: int = 60) -> ChatRequest:
    messages = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "Read."}]}]
    return ChatRequest(
        messages,
        [checked_picture(data_url(printed("some print", size=(128, 64))), 10**6)],
        most,
        penalties=penalties,
        drafts=drafts,
    )


@pytest.mark.parametrize(
    "penalties",
    [Penalties(presence=1.0, frequency=0.05), Penalties(frequency=1.5), Penalties(presence=-1.0),
     Penalties(repetition=1.3), Penalties(no_repeat_ngram=2), Penalties(least_tokens=30),
     Penalties(no_repeat_ngram=3, presence=0.5)],
)  # fmt: skip
def test_penalties_are_followed_along_every_branch(engine: Engine, penalties: Penalties) -> None:
    """With drafts of what it writes with and without them, beside others, an answer is what it is without drafts."""
    [free] = written(engine, ask_of(Penalties()))
    [alone] = written(engine, ask_of(penalties))
    drafts = (alone.text, free.text, alone.text[: len(alone.text) // 2] + free.text)
    beside = written(engine, ask_of(penalties, drafts), ask_of(Penalties(), drafts), ask_of(penalties, drafts[1:]))
    assert [one.text for one in beside] == [alone.text, free.text, alone.text]
    assert beside[0].accepted > 0
    if penalties.no_repeat_ngram or penalties.frequency > 1 or penalties.repetition > 1.2:
        assert alone.text != free.text, "they change what is written"


def test_discounts_are_those_of_vllm() -> None:
    """Its arithmetic: the logits of what was written less frequency times count, and less presence once."""
    import torch

    from docspec.targets.rules import GenerationRules

    written = [3, 5, 3]
    rules = GenerationRules(presence_penalty=0.75, frequency_penalty=0.25, eos=(0,), vocab=8).begin([5, 6], written, 20)
    tree, parents = [3, 5, 7, 5], [0, 0, 1, 0]  # the pending token; 5 and 7 behind it; 5 beside them
    found = rules(torch.zeros(4, 8), tree, parents)
    for node, path in enumerate(([], [5], [5, 7], [5])):
        counts = torch.bincount(torch.tensor(written + path), minlength=8)
        assert torch.equal(found[node], -0.25 * counts - 0.75 * (counts > 0))
