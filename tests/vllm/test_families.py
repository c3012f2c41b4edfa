"""Families through a real vLLM: the message that docspec's client sends is the prompt that docspec's engine makes, and
what is written for it is the same, token for token, in float32.

The checkpoints are the tiny random ones of ``tests/targets/families``, in the files and names of published ones.
"""

from __future__ import annotations

import json
import os
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from PIL.Image import Image

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.contract import GenerationRequest
from docspec.generation.server import ServedModel
from docspec.generation.server.wire import Body
from docspec.hierarchy.decoding import make_engine
from docspec.targets.registry import load_target
from tests.targets.families.checkpoint import write
from tests.targets.families.test_families import printed

PYTHON = os.environ.get("DOCSPEC_VLLM_PYTHON")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_VLLM_PYTHON names no Python that has vLLM")
FAMILIES = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl")
TOKENS = 24


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What vLLM wrote for each family, or why it could not, and what docspec's engine wrote (``own``)."""
    folder = tmp_path_factory.mktemp("families")
    own = {name: prepared(folder / name, name) for name in FAMILIES}
    script = Path(__file__).with_name("chats.py")
    command = [str(PYTHON), str(script), str(folder), *FAMILIES]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=500, env={**os.environ, "PYTHONPATH": ""})
    assert ran.returncode == 0, ran.stderr[-4000:]
    made: dict[str, Any] = {"own": own}
    for line in ran.stdout.splitlines():
        made.update(json.loads(line))
    return made


def prepared(directory: Path, name: str) -> list[list[int]]:
    """Writes a checkpoint with what is asked of it beside it; what docspec's engine writes."""
    case = import_module(f"tests.targets.families.{name}").CASE
    write(case, directory)
    file = directory / "config.json"
    architecture = case.family.architecture.rpartition(":")[2]
    file.write_text(json.dumps({"architectures": [architecture], **json.loads(file.read_text())}))  # as published
    options = ParseOptions(model=str(directory), dtype="float32", device="cpu")
    target = load_target(options).target
    engine = make_engine(target, options)
    pictures = [printed(width * case.zoom, height * case.zoom) for width, height in ((160, 96), (96, 32))]
    (directory / "asked.json").write_text(json.dumps([body(picture) for picture in pictures]))
    return [list(engine.baseline(Request(target.encode(one, "Read."), (), TOKENS))[0].tokens) for one in pictures]


def body(picture: Image) -> dict[str, Any]:
    return Body.of(GenerationRequest(picture, "Read.", TOKENS)).for_model(ServedModel("tiny", owner="vllm"))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_writes_through_vllm_what_it_writes_here(found: dict[str, Any], name: str) -> None:
    assert not isinstance(found[name], str), found[name]
    own = found["own"][name]
    written = [one[: len(other)] for one, other in zip(found[name], own, strict=True)]  # without the end token
    assert written == own and all(len(set(one)) > 3 for one in own)
