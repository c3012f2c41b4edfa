"""llama.cpp's own server with docspec's patch (``server-drafts.patch``): drafts of a request change
how many steps an answer takes, and never the answer."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from docspec.generation.interface import GenerationRequest, answers
from docspec.generation.llama.model_files import find_files, fitting
from docspec.generation.server import ServerGenerator
from docspec.generation.server.wire import content_of
from tests.generation.llama.test_real_llama import PATIENCE, wanted  # noqa: F401 (a fixture)
from tests.serve.processes import gateway

CROPS = 12
FLOAT32 = ("--flash-attn", "off", "--cache-type-k", "f32", "--cache-type-v", "f32")


@pytest.fixture(scope="module")
def url(python: Path, reader_gguf: Path) -> Iterator[str]:
    program = python.parent / "llama-server"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [program, "--model", reader_gguf, "--mmproj", reader_gguf.with_name(f"mmproj-{reader_gguf.name}")]
    command += ["--image-min-tokens", "4", "--parallel", "4", "--ctx-size", "4096", "--kv-unified", "--threads", "1"]
    command += ["--host", "127.0.0.1", "--port", str(port), *FLOAT32]
    command += ["--spec-type", "given", "--spec-draft-n-max", "32"]
    with subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _await(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx.get(url).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError("llama-server does not answer")


@pytest.fixture(scope="module")
def crops(wanted: list[Any], reader_gguf: Path) -> list[tuple[GenerationRequest, str]]:  # noqa: F811
    """Requests with drafts, their pictures as large as the model sees them, and what docspec's engine writes."""
    fit = fitting(find_files(reader_gguf))
    return [(replace(request, image=fit(request.image)), text) for request, text, _ in wanted[:CROPS]]


def asked(url: str, request: GenerationRequest, **more: Any) -> tuple[str, dict[str, Any]]:
    """The text of an answer, and what the server says of its drafts."""
    message = {"role": "user", "content": content_of(request)}
    body = {"messages": [message], "temperature": 0, "max_tokens": request.max_tokens, "cache_prompt": False, **more}
    answer = httpx.post(f"{url}/v1/chat/completions", json=body, timeout=PATIENCE)
    assert answer.status_code == 200, answer.text
    return answer.json()["choices"][0]["message"]["content"], answer.json()["timings"]


def test_drafts_take_fewer_steps_and_change_nothing(url: str, crops: list[tuple[GenerationRequest, str]]) -> None:
    written = accepted = 0
    for request, text in crops:
        plain, counted = asked(url, request)
        assert plain == text and "draft_n" not in counted
        drafted, counted = asked(url, request, drafts=["no such text", *request.drafts])
        assert drafted == text
        written, accepted = written + counted["predicted_n"], accepted + counted.get("draft_n_accepted", 0)
    assert accepted > 0.6 * written


def test_a_prediction_is_a_draft(url: str, crops: list[tuple[GenerationRequest, str]]) -> None:
    request, text = crops[0]
    for content in (text, [{"type": "text", "text": text}]):
        found, counted = asked(url, request, prediction={"type": "content", "content": content})
        assert found == text and counted["draft_n_accepted"] > 5


def test_drafts_of_others_and_junk_change_nothing(url: str, crops: list[tuple[GenerationRequest, str]]) -> None:
    for index, (request, text) in enumerate(crops):
        for drafts in (crops[index - 1][0].drafts, [], ["", "\x00", "<|im_end|>" * 50]):
            assert asked(url, request, drafts=list(drafts))[0] == text


def test_what_are_no_drafts_is_refused_and_the_server_goes_on(
    url: str, crops: list[tuple[GenerationRequest, str]]
) -> None:
    request, text = crops[0]
    body = {"messages": [{"role": "user", "content": "Read."}], "max_tokens": 2}
    for drafts in (7, [7], [{"text": "a"}]):
        assert httpx.post(f"{url}/v1/chat/completions", json={**body, "drafts": drafts}).status_code in (400, 500)
    assert asked(url, request)[0] == text


def test_docspecs_client_and_its_gateway_send_drafts(url: str, crops: list[tuple[GenerationRequest, str]]) -> None:
    """Many at once: what one request brings is proposed to no other."""
    with gateway("--upstream", url, "--upstream-kind", "llama") as served:
        assert asked(served.url, crops[0][0], prediction={"type": "content", "content": crops[0][1]})[1]["draft_n"]
        for address in (url, served.url):
            engine = ServerGenerator((address,), None, None, PATIENCE)
            try:
                found = answers(engine, [request for request, _ in crops])
            finally:
                engine.close()
            assert [one.text for one in found] == [text for _, text in crops]
