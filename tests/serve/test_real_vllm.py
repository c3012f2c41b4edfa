"""A gateway in front of a real vLLM: the same answers. ``python -m tests.serve.speed`` measures how soon they come.

``DOCSPEC_VLLM_PYTHON`` names the Python of an environment that has vLLM; without it these tests are skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import pytest

from tests.serve.processes import gateway
from tests.serve.speed import CHAT, crops, speculated, timed, vllm

PYTHON = os.environ.get("DOCSPEC_VLLM_PYTHON")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_VLLM_PYTHON names no Python that has vLLM")


def test_answers_are_vllms_own_and_drafts_are_accepted(tmp_path: Path) -> None:
    asked = crops(30)
    plain = [crop.values for crop in asked]
    drafted = [{**crop.values, "prediction": {"type": "content", "content": crop.words}} for crop in asked]
    with (
        vllm(str(PYTHON), True, tmp_path / "vllm.log") as url,
        gateway("--upstream", url, "--recognise", "never") as served,
    ):
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
