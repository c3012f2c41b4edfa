"""Answers with status 200 that are none, or not in the form that was asked for: each is said as what it is, and no word
of a sound one is lost, written twice, or mixed with others."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from docspec.core import DocspecError, PageError
from docspec.generation.interface import Generation, GenerationRequest
from docspec.generation.server import ServerGenerator, client, fleet, reading
from tests.generation.stand_in import StandIn, says

Fault = Callable[[Any, dict[str, Any]], bool]
TEXT = "Words of the page."


class Clock:
    """The generator's clock, which may run ahead."""

    ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(fleet, "FIRST_REST", 0.01)
    for module in (client, fleet):
        monkeypatch.setattr(module, "time", found)
    return found


def event(delta: dict[str, Any] | None = None, name: str = "1", index: int = 0, finish: str | None = None) -> bytes:
    choice = {"index": index, "delta": delta or {}, "finish_reason": finish}
    return b"data: " + json.dumps({"id": name, "choices": [choice]}).encode() + b"\n\n"


def words(text: str, **more: Any) -> bytes:
    return event({"content": text}, **more)


END = event(finish="stop")
DONE = b"data: [DONE]\n\n"
WHOLE = json.dumps({"choices": [{"index": 0, "message": {"content": TEXT}, "finish_reason": "stop"}]}).encode()


def sends(*pieces: bytes, pause: float = 0.0, kind: str = "text/event-stream", **headers: str) -> Fault:
    """A fault: these bytes, with a pause behind each, and then the end of the connection."""

    def fault(handler: Any, body: dict[str, Any]) -> bool:
        handler.send_response(200)
        for name, value in {"Content-Type": kind, "Connection": "close", **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        for piece in pieces:
            handler.wfile.write(piece)
            handler.wfile.flush()
            time.sleep(pause)
        handler.close_connection = True
        return True

    return fault


@contextmanager
def asked(fault: Fault, patience: float, times: int) -> Iterator[tuple[StandIn, ServerGenerator]]:
    with StandIn(lambda body: "sound") as server:
        generator = ServerGenerator([server.url], patience=patience)
        try:
            assert generator.submit(request()).result(30).text == "sound"
            server.asked.clear()
            server.faults.extend([fault] * times)
            yield server, generator
        finally:
            generator.close()


def request(tokens: int = 512) -> GenerationRequest:
    return GenerationRequest(None, "Read.", tokens)


def answer(fault: Fault, streamed: bool = True, patience: float = 30.0) -> tuple[Generation, str]:
    """The answer to a request, which is asked once, and the pieces of it that a listener was told."""
    told: list[str] = []
    with asked(fault, patience, 1) as (server, generator):
        found = generator.submit(request(), told.append if streamed else None).result(60)
        assert len(server.asked) == 1, "nothing is asked again"
    return found, "".join(told)


def failure(clock: Clock, fault: Fault, streamed: bool = True, patience: float = 30.0) -> str:
    """What is said of a server that answers so for its whole patience, which is over with its third answer."""

    def slow(handler: Any, body: dict[str, Any]) -> bool:
        clock.ahead += 0.6 * patience
        return fault(handler, body)

    with asked(slow, patience, 99) as (_, generator), pytest.raises(DocspecError) as caught:
        generator.submit(request(), (lambda piece: None) if streamed else None).result(60)
    return str(caught.value)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (b"<html>\n<title>Log in to Wi-Fi</title></html>", "text/html", "a page of HTML or XML.*Log in to Wi-Fi"),
        (b"<?xml version='1.0'?><Error>denied</Error>", "application/xml", "a page of HTML or XML.*denied"),
        (b'{"error": {"message": "out of memory"}}', "application/json", "answers with an error: out of memory"),
        (b'{"object": "error", "message": "no memory"}', "application/json", "answers with an error: no memory"),
        (b'{"detail": "engine is dead"}', "application/json", "answers with an error: engine is dead"),
        (b"upstream connect error", "text/plain", "upstream connect error"),
        (b"", "text/event-stream", "its answer is empty"),
        (b"[" * 100_000, "application/json", "nested too deeply"),
        (WHOLE.replace(b'"content"', b'"content": "Other words", "content"'), "application/json", "stands twice"),
        (WHOLE.replace(b'"Words of the page."', b'{"a": 1}'), "application/json", "has no text"),
        (b"null", "application/json", "null"),
    ],
    ids=["web page", "xml", "error", "error object", "detail", "text", "empty", "deep", "twice", "no text", "null"],
)
def test_what_is_no_answer_is_said_as_what_it_is(
    body: bytes, kind: str, said: str, streamed: bool, clock: Clock
) -> None:
    assert re.search(said, failure(clock, sends(body, kind=kind), streamed))


def test_an_answer_that_ends_without_a_reason_may_be_cut_and_is_not_asked_again() -> None:
    found, told = answer(sends(words("Words of "), words("the page."), DONE))
    assert (found.text, found.finish, told) == ("Words of the page.", "length", "Words of the page.")


@pytest.mark.parametrize("status", [201, 204, 206])
def test_another_success_is_no_answer(status: int) -> None:
    with asked(says(status, WHOLE if status == 206 else b""), 30.0, 1) as (server, generator):
        assert generator.submit(request()).result(30).text == "sound" and len(server.asked) == 2


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([words("Words"), b'event: error\ndata: {"message": "engine died"}\n\n'], "with an error: engine died"),
        ([words("Words"), b'data: {"error": "engine died"}\n\n'], "with an error: engine died"),
        ([b'data: {"choices": [{"delta": {"content": "Words", "content": ""}}]}\n\n', END], "stands twice"),
        ([event({"role": "assistant", "content": ""}), words("Words of"), words(" the"),
          event({"role": "assistant", "content": ""}, name="2"), words(TEXT, name="2"), END], "began anew"),
        ([gzip.compress(words("Words of ") + words("the page.") + END)[:-20]], "no JSON|stopped before the end"),
        ([words("Words"), b"data: [1, 2]\n\n"], "no choices"),
    ],
    ids=["error event", "error", "twice", "restart", "half of gzip", "list"],
)  # fmt: skip
def test_a_stream_that_is_none_is_said_as_what_it_is(pieces: list[bytes], said: str, clock: Clock) -> None:
    packed = {"Content_Encoding": "gzip"} if pieces[0][:2] == b"\x1f\x8b" else {}
    assert re.search(said, failure(clock, sends(*pieces, **packed)))


@pytest.mark.parametrize(
    "pieces",
    [
        [b"\xef\xbb\xbf" + words("Words of "), words("the page."), END, DONE],
        [b"\xef", b"\xbb", b"\xbf" + words("Words of "), words("the page."), END],
        [words("Words of "), words("Other words", index=1), words("the page."), END],
        [event({"content": [{"type": "text", "text": "Words of "}]}), words("the page."), END],
        [b'data: {"choices": [{"message": {"content": "Words of the page."}, "finish_reason": "stop"}]}\n\n'],
        [b'id: 7\nretry: 9\nevent: message\ndata:{"choices":[{"delta":{"content":"Words of the page."}}]}\n\n', END],
        [b": alive\n\n", words("Words of ", finish=""), words("the page.", finish="null"), END],
        [*(event({"role": "assistant", "content": one}, name=one) for one in ("Words ", "of ", "the ", "page.")), END],
        [b'data: {"id": "1", "choices": [], "error": null}\n\n', words(TEXT), END],
    ],
    ids=["mark", "mark in parts", "two answers", "parts", "messages", "fields", "ends", "named anew", "no error"],
)  # fmt: skip
def test_no_word_of_a_sound_stream_is_lost_or_doubled(pieces: list[bytes]) -> None:
    found, told = answer(sends(*pieces, pause=0.01))
    assert (found.text, told, found.finish) == (TEXT, TEXT, "stop")


@pytest.mark.parametrize("head", [b"", b"\n", b"\xef\xbb\xbf"])
def test_one_whole_answer_in_the_place_of_a_stream_is_taken(head: bytes) -> None:
    found, _ = answer(sends(head + json.dumps(json.loads(WHOLE), indent=2).encode(), kind="application/json"))
    assert (found.text, found.finish) == (TEXT, "stop")


def test_halves_of_a_character_become_one_again() -> None:
    found, _ = answer(sends(words("a\ud83d"), words("\ude00b \ud800 c"), END))
    assert found.text == "a\U0001f600b \ufffd c"


def test_an_answer_that_has_ended_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that keeps the connection open, or breaks it, behind the end of its answer."""
    monkeypatch.setattr(reading, "LAST_SECONDS", 0.2)

    def keeps(handler: Any, body: dict[str, Any]) -> bool:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for piece in (words(TEXT), END):
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        time.sleep(2)
        return True

    began = time.monotonic()
    assert answer(keeps)[0].text == TEXT and time.monotonic() - began < 20
    assert answer(sends(words(TEXT), END, Content_Length="9999"))[0].text == TEXT


@pytest.mark.parametrize("nothing", [b": alive\n\n", words(""), event({"role": "assistant"}, finish=None)])
def test_signs_of_life_are_no_answer(nothing: bytes, clock: Clock) -> None:
    if b"role" in nothing:
        nothing = nothing.replace(b'"assistant"', b'""')
    assert "nothing new" in failure(clock, sends(*[nothing] * 40, pause=0.05), patience=0.3)


def test_an_answer_that_is_dripped_is_not_waited_for(clock: Clock) -> None:
    assert "not whole after" in failure(clock, sends(*[b" "] * 40, pause=0.05), streamed=False, patience=0.3)


def test_an_answer_far_beyond_its_limit_is_cut_off() -> None:
    pieces = [words(" ".join(str(number * 7919 + at) for at in range(999))) for number in range(300)]
    with asked(sends(*pieces, END), 30.0, 1) as (_, generator), pytest.raises(PageError, match="does not end"):
        generator.submit(request(), lambda piece: None).result(60)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("packed", [False, True], ids=["long", "packed"])
def test_an_answer_has_a_largest_size(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, packed: bool, streamed: bool
) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1_000_000)
    body = b"data: " + b"x" * 20_000_000
    fault = sends(gzip.compress(body), Content_Encoding="gzip") if packed else sends(body)
    assert "larger than" in failure(clock, fault, streamed)


def test_a_long_line_in_small_pieces_takes_no_time() -> None:
    """It was searched anew with every piece."""
    text = "word " * 400_000
    data = words(text)
    pieces = [data[start : start + 1000] for start in range(0, len(data), 1000)]
    with asked(sends(*pieces, END), 60.0, 1) as (_, generator):
        asking = GenerationRequest(None, "Read.", 32_000)
        began = time.process_time()
        assert generator.submit(asking, lambda piece: None).result(60).text == text
        assert time.process_time() - began < 5
