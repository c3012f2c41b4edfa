"""A gateway in front of a real vLLM: the same answers. ``python -m benchmarks.serving.speed`` measures their
speed.

``DOCSPEC_VLLM_PYTHON`` names the Python of an environment that has vLLM; without it these tests are skipped.
"""

from __future__ import annotations

import os
import signal
from typing import Any

import httpx
import psutil
import pytest

from benchmarks.serving.images import data_url
from benchmarks.serving.speed import CHAT, crops, speculated, timed, vllm
from docspec import ParseOptions, Parser
from docspec.serve.exports import exported
from docspec.targets.registry import BUNDLED
from tests.serve.conftest import printed
from tests.serve.processes import ROOT, gateway

PYTHON = os.environ.get("DOCSPEC_VLLM_PYTHON")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_VLLM_PYTHON names no Python that has vLLM")


def test_answers_are_vllms_own_and_drafts_are_accepted() -> None:
    asked = crops(30)
    plain = [crop.values for crop in asked]
    drafted = [{**crop.values, "prediction": {"type": "content", "content": crop.words}} for crop in asked]
    with vllm(str(PYTHON), True) as upstream, gateway("--upstream", upstream.url, "--recognise", "never") as served:
        url = upstream.url
        straight, _ = timed(url, plain, 4)
        before = speculated(url)[1]
        assert timed(served.url, drafted, 4)[0] == straight
        accepted = speculated(url)[1] - before
        assert timed(served.url, plain, 1)[0] == straight
        streamed = httpx.post(served.url + CHAT, json={**drafted[5], "stream": True}, timeout=60)
        assert streamed.text.rstrip().endswith("data: [DONE]")
        wrong = {**plain[0], "temperature": "warm"}
        refusals = [httpx.post(each + CHAT, json=wrong, timeout=60) for each in (url, served.url)]
        assert refusals[0].status_code == refusals[1].status_code == 400
        assert refusals[0].json() == refusals[1].json()
    assert accepted > 0.5 * sum(len(text) for text in straight) / 4, "most of what is written was drafted"


@pytest.mark.words_missing("the bundled reader reads")
def test_documents_are_read_by_the_server_behind_the_gateway() -> None:
    """The words are those of docspec's own engine; the server has accepted drafts of them."""
    file = ROOT / "samples" / "notes.pdf"
    with Parser(ParseOptions(model=str(BUNDLED), dtype="float32")) as parser:
        pages = list(parser.pages(file))
    own = exported(pages, ("md",), "notes", None, {})["md_content"]
    with vllm(str(PYTHON), True) as upstream, gateway("--upstream", upstream.url, "--model", str(BUNDLED)) as served:
        with file.open("rb") as data:
            answer = httpx.post(served.url + "/v1/convert/file", files={"files": ("notes", data)}, timeout=300)
        accepted = speculated(upstream.url)[1]
    assert answer.json()["status"] == "success"
    assert answer.json()["document"]["md_content"] == own
    assert accepted > 0.5 * len(own) / 4, "most of what is written was drafted"


def larger(number: int) -> dict[str, Any]:
    """A request whose prompt fills several blocks of the KV cache."""
    url = data_url(printed(f"Page {number} of a picture with print", size=(900, 400)))
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "Text Recognition:"}]
    return {"messages": [{"role": "user", "content": parts}], "temperature": 0, "max_tokens": 40}


def test_without_an_upstream_the_gateway_starts_vllm_and_ends_it() -> None:
    """On the way: a prompt that is prefilled while its image is recognised is in vLLM's prefix cache afterwards."""
    arguments = "--dtype float32 --enforce-eager --max-model-len 2048 --max-num-seqs 8"
    arguments += " --enable-prompt-tokens-details --block-size 32"
    words = ("--model", "mini", "--engine-python", str(PYTHON), "--engine-args", arguments, "--recognise", "always")
    asked = crops(6)
    with gateway(*words, patience=400.0) as served:
        answers = [httpx.post(served.url + CHAT, json=larger(number), timeout=60) for number in range(4)]
        assert {answer.headers["x-docspec-drafts"] for answer in answers} == {"recognition"}
        cached = [answer.json()["usage"]["prompt_tokens_details"]["cached_tokens"] for answer in answers]
        assert any(cached), "each picture came once; where it was prefilled, its first blocks are cached"
        drafted = [{**crop.values, "prediction": {"type": "content", "content": crop.words}} for crop in asked]
        assert timed(served.url, drafted, 3)[0] == timed(served.url, [crop.values for crop in asked], 3)[0]
        [model] = served.get("/v1/models").json()["data"]
        assert model["id"] == "mini" and model["owned_by"] == "vllm"
        family = psutil.Process(served.process.pid).children(recursive=True)
        assert any("vllm.entrypoints" in " ".join(one.cmdline()) for one in family)
        assert served.resident() < 600 * 2**20
        served.stop(signal.SIGTERM)
        assert not psutil.wait_procs(family, timeout=60)[1], "vLLM ends with the gateway"
