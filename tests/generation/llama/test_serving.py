"""``docspec serve --engine llama`` with a real llama.cpp: what clients that start ``llama-server`` find there."""

from __future__ import annotations

import io
import json
import math
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks.serving.processes import Served, gateway
from tests.serve.processes import ROOT
from tests.serve.test_own_engine import LINES, body, content, line, post

CLIENTS = os.environ.get("DOCSPEC_CLIENTS_PYTHON")


@pytest.fixture(scope="module")
def served(reader_gguf: Path, python: Path) -> Iterator[Served]:
    words = ["--engine", "llama", "--model", str(reader_gguf), "--engine-python", str(python), "--slots", "3"]
    with gateway(*words, "--recognise", "never", patience=120.0) as found:
        yield found


def test_it_says_of_itself_what_llama_server_says(served: Served) -> None:
    assert served.get("/health").json() == {"status": "ok"} and served.get("/v1/health").is_success
    props = served.get("/props").json()
    assert props["total_slots"] == 3 and props["modalities"]["vision"] is True and props["chat_template"]
    slots = served.get("/slots").json()
    assert [slot["id"] for slot in slots] == [0, 1, 2] and not any(slot["is_processing"] for slot in slots)
    assert slots[0]["n_ctx"] == props["default_generation_settings"]["n_ctx"]
    assert [served.get(path).json()["data"][0]["id"] for path in ("/v1/models", "/models")] == ["reader", "reader"]


def test_a_prediction_changes_nothing_but_the_steps_whatever_model_is_named(served: Served) -> None:
    plain = post(served, body(line(LINES[0])))
    assert "ine of print" in content(plain) and plain.json()["choices"][0]["finish_reason"] == "stop"
    assert plain.json()["timings"]["predicted_n"] == plain.json()["usage"]["completion_tokens"]
    for prediction in (content(plain), "something else"):
        values = body(line(LINES[0]), model="anything", prediction={"type": "content", "content": prediction})
        assert content(post(served, values)) == content(plain)
    drafted = post(served, body(line(LINES[0]), prediction={"type": "content", "content": content(plain)}))
    assert drafted.json()["timings"]["draft_n_accepted"] >= drafted.json()["usage"]["completion_tokens"] - 2
    straight = httpx.post(f"{served.url}/chat/completions", json=body(line(LINES[0])), timeout=60)
    assert content(straight) == content(plain)


def test_more_requests_than_slots_are_answered_as_alone(served: Served) -> None:
    alone = [content(post(served, body(line(text)))) for text in LINES]
    with ThreadPoolExecutor(9) as pool:
        found = list(pool.map(lambda number: content(post(served, body(line(LINES[number % 3])))), range(9)))
    assert found == [alone[number % 3] for number in range(9)]


def test_a_stream_says_the_same_and_ends_before_a_stop_string(served: Served) -> None:
    whole = content(post(served, body(line(LINES[0]))))
    for stop, wanted in ((None, whole), (["of pr"], whole[: whole.index("of pr")])):
        text = post(served, body(line(LINES[0]), stream=True, stop=stop)).text
        events = [json.loads(one[6:]) for one in text.splitlines() if one.startswith("data: {")]
        assert "".join(event["choices"][0]["delta"].get("content", "") for event in events) == wanted
        assert events[-1]["choices"][0]["finish_reason"] == "stop" and events[-1]["timings"]["prompt_n"] > 0
        assert content(post(served, body(line(LINES[0]), stop=stop))) == wanted


def test_log_probabilities_are_those_of_the_tokens_written(served: Served) -> None:
    """Marker's reader asks for them of each answer."""
    answer = post(served, body(line(LINES[0]), logprobs=True, top_p=0.1))
    told = answer.json()["choices"][0]["logprobs"]["content"]
    assert "".join(one["token"] for one in told) == content(answer)
    assert len(told) == answer.json()["usage"]["completion_tokens"]
    assert all(one["logprob"] <= 1e-6 for one in told) and math.exp(sum(one["logprob"] for one in told)) > 0.1
    drafted = body(line(LINES[0]), logprobs=True, prediction={"type": "content", "content": content(answer)})
    others = post(served, drafted).json()["choices"][0]["logprobs"]["content"]
    assert [one["logprob"] for one in others] == pytest.approx([one["logprob"] for one in told], abs=1e-3)


PENALTIES: dict[str, Any] = {"presence_penalty": 1.5, "frequency_penalty": 0.5, "repeat_penalty": 1.3}


def test_penalties_are_followed_with_drafts_as_without(served: Served) -> None:
    """MinerU asks for them of each answer."""
    free, held = (post(served, body(line("aa bb aa bb aa bb"), max_tokens=40, **more)) for more in ({}, PENALTIES))
    for text in (content(free), content(held)):
        values = body(line("aa bb aa bb aa bb"), max_tokens=40, prediction={"type": "content", "content": text})
        assert content(post(served, {**values, **PENALTIES})) == content(held) != content(free)


def test_a_json_schema_is_followed_with_drafts_as_without(served: Served) -> None:
    """Marker's reader asks for its layouts so."""
    schema = {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"], "additionalProperties": False}
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    answer = content(post(served, body(line(LINES[0]), response_format=wanted)))
    assert json.loads(answer)["n"] in (1, 2)
    for text in (answer, '{"n": 3}', LINES[0]):
        values = body(line(LINES[0]), response_format=wanted, prediction={"type": "content", "content": text})
        assert content(post(served, values)) == answer
    strange = post(served, body(line("x"), response_format={"type": "json_schema", "json_schema": {"schema": 5}}))
    assert strange.status_code == 400 and "response_format" in strange.json()["error"]["message"]


@pytest.mark.parametrize(
    "asks",
    [{"temperature": 0.3}, {"n": 2}, {"tools": [{}]}, {"grammar": "root ::= .*"}, {"mirostat": 2},
     {"repetition_penalty": 1.1}, {"dry_multiplier": 1}],
)  # fmt: skip
def test_what_cannot_be_followed_is_refused_and_said(served: Served, asks: dict[str, Any]) -> None:
    answer = post(served, body(line(LINES[0]), **asks))
    assert answer.status_code == 400 and next(iter(asks)) in answer.json()["error"]["message"]


def test_a_prompt_beyond_its_slot_and_two_pictures_are_refused_alone(served: Served) -> None:
    long = post(served, {"messages": [{"role": "user", "content": "word " * 20_000}]})
    assert long.status_code == 400 and "a slot takes" in long.json()["error"]["message"]
    two = body(line("x"))
    two["messages"][0]["content"] *= 2
    assert post(served, two).status_code == 400
    assert "ine of print" in content(post(served, body(line(LINES[0]))))


def test_documents_are_read_with_it(served: Served) -> None:
    buffer = io.BytesIO()
    line(LINES[0]).save(buffer, "PNG")
    files = {"files": ("a.png", buffer.getvalue())}
    answer = httpx.post(f"{served.url}/v1/convert/file", files=files, timeout=120).json()
    assert answer["status"] == "success" and answer["document"]["md_content"].strip()


def test_pictures_without_words_are_drafted_by_recognition(reader_gguf: Path, python: Path) -> None:
    words = ["--engine", "llama", "--model", str(reader_gguf), "--engine-python", str(python)]
    with gateway(*words, "--recognise", "always", patience=120.0) as found:
        answer = post(found, body(line(LINES[0])))
        assert "ine of print" in content(answer) and answer.headers["x-docspec-drafts"] == "recognition"
        assert answer.json()["timings"]["draft_n_accepted"] > 0
        assert "prefills_total" not in found.get("/metrics").text, "it keeps no prompt for the next request"


READ = [{"mineru-reader": ["A line of print"] * 14}, {"surya": [["A line of print", False, True]] * 2}]


@pytest.mark.parametrize("wanted", READ, ids=lambda wanted: next(iter(wanted)))
def test_clients_that_start_llama_server_read_with_it(
    reader_gguf: Path, python: Path, tmp_path: Path, wanted: dict[str, Any]
) -> None:
    """Unmodified, with their own settings. Surya stands in the environment of the clients only where somebody has put
    it there, with torch."""
    [name] = wanted
    if CLIENTS is None:
        pytest.skip("DOCSPEC_CLIENTS_PYTHON names no Python that has the clients")
    if name == "surya" and subprocess.run([CLIENTS, "-c", "import surya.settings"], capture_output=True).returncode:
        pytest.skip("the clients' Python has no Surya")
    line(LINES[0]).save(tmp_path / "line.png")
    words = ["--engine", "llama", "--model", str(reader_gguf), "--engine-python", str(python), "--greedy"]
    script = [str(ROOT / "tests/serve/other_clients.py"), "URL", str(tmp_path / "line.png"), "", name]
    with gateway(*words, "--recognise", "never", patience=120.0) as found:
        script[1] = found.url
        ran = subprocess.run([CLIENTS, *script], capture_output=True, text=True, timeout=240)
    assert ran.returncode == 0, ran.stderr[-3000:]
    answers = json.loads(ran.stdout)[name]
    if name == "surya":
        layout, is_error, _ = answers.pop()
        assert json.loads(layout)["n"] in (1, 2) and not is_error
    assert {name: answers} == wanted
