"""Answers that are none, requests that are refused, and which of both cost a page, and which a server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from PIL import Image

from docspec.core import Failure, ModelError, PageError
from docspec.generation.interface import GenerationRequest
from docspec.generation.server import ServerGenerator, fleet
from docspec.generation.server.fleet import MOST_AT_ONCE
from tests.generation.stand_in import WORDS, StandIn, ends, says


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "FIRST_REST", 0.04)


@contextmanager
def engine(*servers: StandIn, **more: Any) -> Iterator[ServerGenerator]:
    generator = ServerGenerator([server.url for server in servers], **more)
    try:
        yield generator
    finally:
        generator.close()


def request(prompt: str = "Read.", most: int = 512) -> GenerationRequest:
    return GenerationRequest(None, prompt, most)


def prompt_of(body: dict[str, Any]) -> str:
    return " ".join(part["text"] for part in body["messages"][0]["content"] if part["type"] == "text")


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ends("content_filter"), "withheld the answer.*content_filter"),
        (ends("SAFETY"), "withheld"),
        (ends("stop", None, refusal="I cannot help with that."), "the model refuses: I cannot help with that."),
        (ends("stop", "", reasoning_content=WORDS), "--reasoning-parser.*--reasoning-format none"),
        (ends("length", None, reasoning=WORDS), "--reasoning-parser"),
        (ends("tool_calls", None, tool_calls=[{"index": 0, "function": {"name": "read"}}]), "--tool-call-parser"),
    ],
    ids=["filter", "safety", "refusal", "thoughts", "thoughts cut", "tools"],
)
def test_an_answer_that_is_none_fails_its_request(answer: Callable, said: str, streamed: bool) -> None:
    with StandIn() as server, engine(server) as generator:
        server.faults.append(answer)
        with pytest.raises(PageError, match=said) as caught:
            generator.submit(request(), (lambda piece: None) if streamed else None).result(30)
        assert caught.value.failure is Failure.REFUSED
        assert generator.submit(request()).result(30).text == "read" and len(server.asked) == 2


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(("finish", "meant"), [("length", "length"), ("max_tokens", "length"), ("eos_token", "stop")])
def test_ends_are_told_in_the_ways_of_servers(finish: str, meant: str, streamed: bool) -> None:
    with StandIn() as server, engine(server) as generator:
        server.faults.append(ends(finish, reasoning_content="Let me see."))
        found = generator.submit(request(), (lambda piece: None) if streamed else None).result(30)
        assert (found.text, found.finish) == (WORDS, meant)


@pytest.mark.parametrize("finish", [None, "error", "cancelled"])
def test_an_end_that_is_none_is_asked_again(finish: str | None) -> None:
    with StandIn() as server, engine(server) as generator:
        server.faults.append(ends(finish))
        assert generator.submit(request()).result(30).text == "read" and len(server.asked) == 2


def test_only_line_ends_part_the_lines_of_a_stream() -> None:
    """Also where the CR and the LF of an end, or the bytes of a letter, come apart."""
    text = "a\u2028b\u2029c\u0085d\v\fe\u00e4\U0001f600"
    for end in ("\n", "\r\n", "\r"):
        event = {"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]}
        data = f"data: {json.dumps(event, ensure_ascii=False)}{end}{end}data: [DONE]{end}{end}".encode()

        def slowly(handler: Any, body: dict[str, Any], data: bytes = data) -> bool:
            handler.send_response(200)
            handler.send_header("Connection", "close")
            handler.end_headers()
            for at in range(len(data)):
                handler.wfile.write(data[at : at + 1])
                handler.wfile.flush()
            handler.close_connection = True
            return True

        with StandIn() as server, engine(server) as generator:
            server.faults.append(slowly)
            assert generator.submit(request(), lambda piece: None).result(30).text == text
            assert len(server.asked) == 1


def refusing(status: int, message: str = "blocked by the firewall") -> Callable[[dict[str, Any]], Any]:
    """A server that refuses each request with "poison" in it, and answers all others with their prompts."""

    def complete(handler: Any, body: dict[str, Any]) -> bool:
        if "poison" not in prompt_of(body):
            return False
        return says(status, {"error": {"message": message}})(handler, body)

    return complete


class Always(StandIn):
    """A stand-in of which every request is given to ``fault`` first."""

    def __init__(self, fault: Callable[[Any, dict[str, Any]], bool], **more: Any) -> None:
        self._always = fault
        super().__init__(prompt_of, **more)

    def complete(self, handler: Any, body: dict[str, Any]) -> None:
        self.faults.append(self._always)
        super().complete(handler, body)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 451, 500, 502])
@pytest.mark.parametrize("first", [False, True], ids=["after others", "before others"])
def test_one_request_that_is_always_refused_fails_alone(status: int, first: bool) -> None:
    with Always(refusing(status)) as server, engine(server, patience=0.5) as generator:
        if not first:
            assert generator.submit(request("one")).result(30).text == "one"
        with pytest.raises(PageError, match=str(status)):
            generator.submit(request("poison")).result(30)
        assert generator.submit(request("other")).result(30).text == "other"


def formats_of(body: dict[str, Any]) -> list[str]:
    pictures = [part["image_url"]["url"] for part in body["messages"][0]["content"] if part["type"] == "image_url"]
    return [url.partition(";")[0].rpartition("/")[2] for url in pictures]


def test_a_request_that_is_too_large_is_asked_again_with_a_smaller_picture_once() -> None:
    picture = Image.effect_noise((200, 160), 90).convert("RGB")
    told: list[str] = []
    with Always(refusing(413, "Request Entity Too Large")) as server, engine(server, tell=told.append) as generator:
        future = generator.submit(GenerationRequest(picture, "{image}poison", 16_384))
        assert "413" in str(future.exception(30))
    assert [formats_of(body) for body in server.asked] == [["png"], ["jpeg"]]
    assert "asked again with the picture as JPEG" in told[0]


def test_a_picture_that_is_smaller_is_read() -> None:
    def only_jpeg(handler: Any, body: dict[str, Any]) -> bool:
        return formats_of(body) == ["png"] and says(413)(handler, body)

    picture = Image.effect_noise((200, 160), 90).convert("RGB")
    with Always(only_jpeg) as server, engine(server) as generator:
        assert generator.submit(GenerationRequest(picture, "{image}Read.", 64)).result(30).text == "Read."


def test_words_that_are_too_many_are_not_asked_for_again() -> None:
    with Always(refusing(413, "Request Entity Too Large")) as server, engine(server) as generator:
        with pytest.raises(PageError, match="413"):
            generator.submit(request("poison", 16_384)).result(30)
        assert len(server.asked) == 1


def test_a_server_that_has_to_be_paid_ends_the_run() -> None:
    with Always(lambda handler, body: says(402, {"error": {"message": "out of credits"}})(handler, body)) as server:
        with engine(server) as generator, pytest.raises(ModelError, match=r"402 \(out of credits\).*goes on"):
            generator.submit(request()).result(30)
        assert len(server.asked) == 2


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_server_that_refuses_everything_is_given_up(status: int) -> None:
    with Always(lambda handler, body: says(status)(handler, body)) as server, engine(server) as generator:
        with pytest.raises(ModelError, match=f"{status}; check the address, served-model and --server-key$"):
            generator.submit(request()).result(30)
        assert len(server.asked) == 2, "the request, and the least that can be asked"


def test_what_one_server_refuses_another_is_asked() -> None:
    with Always(refusing(403)) as wary, StandIn(prompt_of) as sound, engine(wary, sound) as generator:
        found = [generator.submit(request(f"poison {number}")) for number in range(8)]
        assert [one.result(30).text for one in found] == [f"poison {number}" for number in range(8)]


def test_a_poisonous_request_does_not_slow_the_others() -> None:
    with Always(refusing(500)) as server, engine(server, patience=1.5) as generator:
        poison = generator.submit(request("poison"))
        answered = 0
        while not poison.done():
            generator.submit(request("other")).result(30)
            answered += 1
        assert isinstance(poison.exception(), PageError)
        assert sum(prompt_of(body) == "poison" for body in server.asked) > 3
        [asked] = generator._fleet.servers
        assert asked.limit >= min(answered // 2, MOST_AT_ONCE), "only the first failure is taken for the server's"


class Picky(Always):
    """A server that takes at most ``room`` tokens of an answer, and only the fields of ``known``."""

    def __init__(self, room: int, known: set[str], said: str) -> None:
        self.sizes: list[int] = []

        def judge(handler: Any, body: dict[str, Any]) -> bool:
            limit = body.get("max_tokens", body.get("max_completion_tokens"))
            unknown = sorted(set(body) - known - {"model", "messages", "temperature"})
            self.sizes.append(limit)
            if unknown:
                message = f"Extra inputs are not permitted: {unknown[0]}"
                if unknown[0] == "max_tokens":
                    message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
                return says(400, {"error": {"message": message}})(handler, body)
            if limit > room:
                return says(400, {"error": {"message": said}})(handler, body)
            return False

        super().__init__(judge)


def test_an_answer_that_does_not_fit_is_asked_for_with_fewer_tokens() -> None:
    fields = {"max_tokens", "return_token_ids", "stream"}
    numbers = (
        "This model's maximum context length is 4096 tokens. However, you requested 5096 tokens"
        " (996 in the messages, 4100 in the completion)."
    )
    other = (
        "'max_tokens' or 'max_completion_tokens' is too large: 4100. This model's maximum context length is 4096 tokens"
        " and your request has 996 input tokens (4100 > 4096 - 996)."
    )
    for said, expected in ((numbers, [4100, 3100]), (other, [4100, 3100]), ("context window exceeded", [4100, 2050])):
        with Picky(3100, fields, said) as server, engine(server) as generator:
            assert generator.submit(request("one", 4100)).result(30).text == "one"
            assert server.sizes == expected
    with Picky(0, fields, numbers.replace("996", "4090")) as server, engine(server) as generator:
        with pytest.raises(PageError, match="--max-tokens") as caught:
            generator.submit(request("one", 4100)).result(30)
        assert caught.value.failure is Failure.TOO_LARGE


def test_what_a_server_does_not_take_is_learnt_once() -> None:
    with Picky(9999, {"max_completion_tokens", "stream"}, "") as server, engine(server) as generator:
        for number in range(3):
            assert generator.submit(request(str(number)), lambda piece: None).result(30).text == str(number)
        assert len(server.asked) == 3 + 3, "max_tokens, stream_options and return_token_ids were refused once each"


def test_a_field_that_says_what_is_to_be_answered_is_never_left_out() -> None:
    with Picky(9999, {"max_tokens"}, "") as server, engine(server) as generator:
        asked = GenerationRequest(None, "Read.", 99, special_tokens=True)
        with pytest.raises(PageError, match="skip_special_tokens"):
            generator.submit(asked).result(30)
