"""docspec's drafts before the head that GLM-OCR brings, in a real vLLM with a scripted model: its transcripts, whoever
proposes, in fewer verifications than by the head alone.

``DOCSPEC_VLLM_PYTHON`` and ``DOCSPEC_OLDER_VLLM_PYTHON`` name Pythons of environments that have vLLM; without one
these tests are skipped. Never run on a GPU.
"""

from __future__ import annotations

import base64
import io
import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.engines.tasks import with_one_picture
from docspec.core import ParseOptions
from docspec.targets.registry import load_target
from tests.exactness.checkpoints import printed
from tests.vllm.test_families import SIZES, written

PYTHONS = {"0.32": os.environ.get("DOCSPEC_VLLM_PYTHON"), "0.25.1": os.environ.get("DOCSPEC_OLDER_VLLM_PYTHON")}
ROOT = Path(__file__).parents[2]
WAYS = ("plain", "mtp", "docspec, mtp")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path, list[list[int]]]:
    """A tiny GLM-OCR with a head, tasks, transcripts, and these. Every other request has no drafts."""
    folder = tmp_path_factory.mktemp("head")
    directory = written("glm_ocr", folder / "glm_ocr")
    target = load_target(ParseOptions(model=str(directory), dtype="float32", device="cpu")).target
    draw = random.Random(67)
    scripts = [[draw.randrange(20, 300) for _ in range(40 + 10 * index)] for index in range(3)]
    tasks = []
    for number, (script, size) in enumerate(zip(scripts * 2, SIZES * 2, strict=True)):
        picture, buffer = printed(*size), io.BytesIO()
        picture.save(buffer, format="PNG")
        prompt = with_one_picture(target.encode(picture, "Read.").inputs["input_ids"][0].tolist())
        extra = {"docspec_script": number % 3}
        if number % 2:
            extra["docspec_drafts"] = [script]
        png = base64.b64encode(buffer.getvalue()).decode()
        tasks.append({"png": png, "prompt": prompt, "budget": len(script), "extra": extra})
    (folder / "tasks.json").write_text(json.dumps(tasks))
    (folder / "scripts.json").write_text(json.dumps(scripts))
    return directory, folder / "tasks.json", folder / "scripts.json", scripts


@pytest.fixture(scope="module", params=PYTHONS)
def found(request: pytest.FixtureRequest, told: tuple[Path, Path, Path, list[list[int]]]) -> dict[str, Any]:
    python = PYTHONS[request.param]
    if python is None:
        pytest.skip("no Python is named that has this vLLM")
    ran = subprocess.run(
        [python, "-m", "tests.vllm.scripted", *map(str, told[:3]), *WAYS],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    made: dict[str, Any] = json.loads(ran.stdout)
    return made


@pytest.mark.parametrize("way", WAYS)
def test_answers_are_the_transcripts_whoever_proposes(
    found: dict[str, Any], told: tuple[Path, Path, Path, list[list[int]]], way: str
) -> None:
    assert found[way]["tokens"] == told[3] * 2


def test_drafts_before_the_head_take_fewer_verifications_than_the_head_alone(found: dict[str, Any]) -> None:
    head, both = found["mtp"]["counts"], found["docspec, mtp"]["counts"]
    assert head["accepted_tokens"] > 0.3 * sum(map(len, found["mtp"]["tokens"]))
    assert both["drafts"] < 0.75 * head["drafts"]


def test_rows_without_drafts_have_the_heads_guesses(found: dict[str, Any]) -> None:
    """Half of the requests have no drafts: more is accepted than the other half could account for."""
    tokens = sum(map(len, found["docspec, mtp"]["tokens"]))
    assert found["docspec, mtp"]["counts"]["accepted_tokens"] > 0.6 * tokens
