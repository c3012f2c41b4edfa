"""Clients of other projects, from their packages and unmodified: pointed at the gateway they get what the server behind
it would have told them.

PaddleX and the openai SDK stand in the tests' own environment. mineru-vl-utils, docling and olmocr ask for versions
that exclude ours: ``DOCSPEC_CLIENTS_PYTHON`` names the Python of an environment that has them. GLM-OCR's SDK and
dots.ocr's tools are on no index; what they send (their sources say it) is sent here by hand.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks.serving.images import data_url
from benchmarks.serving.standin import MODEL
from tests.serve.conftest import printed
from tests.serve.processes import ROOT, Served

PYTHON = os.environ.get("DOCSPEC_CLIENTS_PYTHON")
OTHERS = ["mineru", "docling", "olmocr"]


def openai_of(served: Served) -> Any:
    openai = pytest.importorskip("openai")
    return openai.OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0)


def messages(text: str = "Read it.") -> list[dict[str, Any]]:
    image = {"type": "image_url", "image_url": {"url": data_url(printed("some print"))}}
    return [{"role": "user", "content": [image, {"type": "text", "text": text}]}]


def test_the_openai_sdk_whole_and_streaming(upstream: Served, served: Served) -> None:
    found = []
    for each in (upstream, served):
        client = openai_of(each)
        assert [model.id for model in client.models.list()] == [MODEL]
        whole = client.chat.completions.create(model=MODEL, messages=messages(), temperature=0)
        stream = client.chat.completions.create(model=MODEL, messages=messages(), temperature=0, stream=True)
        pieces = [chunk.choices[0].delta.content or "" for chunk in stream]
        assert "".join(pieces) == whole.choices[0].message.content and len(pieces) > 10
        found.append(whole.model_dump())
    assert found[0] == found[1]


def test_the_openai_sdks_prediction_becomes_a_draft(upstream: Served, served: Served) -> None:
    upstream.told()
    openai_of(served).chat.completions.create(
        model=MODEL, messages=messages(), prediction={"type": "content", "content": "what it will say"}
    )
    assert upstream.told()["seen"][0]["body"]["vllm_xargs"]["docspec_drafts"] == ["what it will say"]


def test_the_openai_sdk_understands_errors(served: Served) -> None:
    import openai

    client = openai_of(served)
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(
            model=MODEL,
            messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "file:///x"}}]}],
        )
    with pytest.raises(openai.UnprocessableEntityError):
        client.chat.completions.create(model=MODEL, messages=messages(), extra_body={"status": 422})


def test_paddlexs_genai_client(upstream: Served, served: Served) -> None:
    pytest.importorskip("openai")
    from paddlex.inference.models.common.genai import GenAIClient

    found = []
    for each in (upstream, served):
        client = GenAIClient("vllm-server", f"{each.url}/v1")
        futures = [
            client.create_chat_completion(
                messages(text), return_future=True, temperature=0, max_completion_tokens=512,
                extra_body={"skip_special_tokens": False, "mm_processor_kwargs": {"min_pixels": 1}},
            )
            for text in ("OCR:", "Table Recognition:", "Formula Recognition:")
        ]  # fmt: skip
        found.append([future.result(60).choices[0].message.content for future in futures])
        client.close()
    assert found[0] == found[1] and all(found[0])


@pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_CLIENTS_PYTHON names no Python that has the clients")
@pytest.mark.parametrize("name", OTHERS)
def test_a_client_gets_what_the_server_would_have_told_it(
    upstream: Served, served: Served, tmp_path: Path, name: str
) -> None:
    image = tmp_path / "image.png"
    printed("some print").save(image)
    pdf = ROOT / "samples" / "journal-article.pdf"
    found = []
    for each in (upstream, served):
        ran = subprocess.run(
            [str(PYTHON), str(Path(__file__).with_name("other_clients.py")), each.url, str(image), str(pdf), name],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert ran.returncode == 0, ran.stderr[-3000:]
        found.append(json.loads(ran.stdout)[name])
    assert found[0] == found[1] and found[0]


RECORDED = {
    "GLM-OCR says hello": {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 10},
    "GLM-OCR": {
        "messages": messages("Text Recognition:"),
        "temperature": 0,
        "top_p": 1e-5,
        "top_k": 1,
        "repetition_penalty": 1.1,
        "max_tokens": 8192,
    },
    "dots.ocr": {
        "messages": messages("<|img|><|imgpad|><|endofimg|>Extract the text content from this image."),
        "temperature": 0.1,
        "top_p": 0.9,
        "max_completion_tokens": 16384,
        "model": "rednote-hilab/dots.ocr",
    },
    "markitdown-ocr": {"messages": [{"role": "user", "content": messages()[0]["content"][::-1]}], "model": "gpt-4o"},
}


@pytest.mark.parametrize("name", RECORDED)
def test_what_other_clients_send_is_answered(upstream: Served, served: Served, name: str) -> None:
    values = RECORDED[name]
    straight, through = (
        httpx.post(f"{each.url}/v1/chat/completions", json=values, timeout=30) for each in (upstream, served)
    )
    assert through.status_code == 200 and through.content == straight.content
    upstream.told()
    httpx.post(f"{served.url}/v1/chat/completions", json=values, timeout=30)
    rest = {key: value for key, value in values.items() if key != "messages"}
    assert upstream.told()["seen"][0]["body"] == rest, "nothing was added or taken away"
