"""How sure a server's model was of its tokens is told by the log probabilities of its answers, whole or streamed."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from docspec.generation.server.answers import Stream, generation_of
from docspec.generation.server.wire import ServedModel

MODEL = ServedModel("mini")


def token(text: str, own: float, *others: float, spelled: bytes | None = None) -> dict[str, Any]:
    """A token as vLLM and llama.cpp tell it, with the log probabilities of the likeliest ones."""
    likely = [{"token": "?", "logprob": one, "bytes": None} for one in others]
    return {"token": text, "logprob": own, "bytes": None if spelled is None else list(spelled), "top_logprobs": likely}


def whole(*content: dict[str, Any]) -> tuple[tuple[str, float], ...]:
    message = {"role": "assistant", "content": "a text"}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": {"content": list(content)}}
    return generation_of({"choices": [choice]}, MODEL).margins


def test_the_margin_is_the_distance_of_the_two_likeliest_tokens() -> None:
    [(text, margin)] = whole(token("pier", -0.1, -0.1, -2.6))
    assert text == "pier" and margin == pytest.approx(2.5)
    sure = whole(token("pier", -1e-6, -1e-6, -9999.0))
    assert sure == (("pier", 50.0),), "servers clip what is unlikely"


def test_a_tokens_own_probability_tells_the_least_margin_where_there_is_no_second() -> None:
    [(_, margin)] = whole(token("pier", math.log(0.8)))
    assert margin == pytest.approx(math.log(0.8 / 0.2))
    assert whole(token("pier", 0.0)) == (("pier", 50.0),)


def test_a_character_of_several_tokens_is_one_with_the_last_of_them() -> None:
    first, second = "é".encode()[:1], "é".encode()[1:]
    told = whole(token("\ufffd", -0.1, -0.1, -1.1, spelled=first), token("\ufffd", -0.1, -0.1, -3.1, spelled=second))
    assert [text for text, _ in told] == ["", "é"]


def test_streamed_pieces_tell_the_same() -> None:
    stream = Stream(MODEL, 0.0)
    for text, second in (("The", -1.5), (" pier", -4.5)):
        piece = {"index": 0, "delta": {"content": text}, "logprobs": {"content": [token(text, -0.5, -0.5, second)]}}
        stream.take(json.dumps({"choices": [piece]}))
    stream.take(json.dumps({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
    assert stream.generation().margins == (("The", pytest.approx(1.0)), (" pier", pytest.approx(4.0)))


@pytest.mark.parametrize(
    "strange",
    [None, [], {}, {"content": None}, {"content": [None, {}, {"token": 3}]}, {"tokens": ["a"], "token_logprobs": [-1]}],
)
def test_what_is_in_no_known_form_is_left(strange: Any) -> None:
    message = {"role": "assistant", "content": "a text"}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": strange}
    assert generation_of({"choices": [choice]}, MODEL).margins == ()


def test_a_probability_that_is_none_is_not_told() -> None:
    [(_, margin)] = whole({"token": "pier", "logprob": "NaN", "top_logprobs": "x"})
    assert math.isnan(margin)
