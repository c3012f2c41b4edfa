"""Tiny checkpoints in the files of published families through a real vLLM: the tokens of docspec's own engine, in
float32, with drafts and without. Heads are as wide as vLLM's kernels for processors take them; the image processor's
file names its mean and deviation, as published ones do: vLLM 0.32 normalises pictures by that file alone, and neither
rescales nor normalises them where it leaves that to transformers' defaults.

``DOCSPEC_VLLM_PYTHON`` names the Python of an environment that has vLLM; without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from transformers.image_utils import OPENAI_CLIP_MEAN, OPENAI_CLIP_STD

from benchmarks.serving.images import data_url
from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets.families.dots_ocr import FAMILY as DOTS_OCR
from docspec.targets.registry import load_target
from tests.exactness.checkpoints import NEW_TOKENS, printed
from tests.targets.dots_checkpoint import write_tiny_dots_ocr
from tests.targets.families.checkpoint import Case, write

PYTHON = os.environ.get("DOCSPEC_VLLM_PYTHON")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_VLLM_PYTHON names no Python that has vLLM")
ROOT = Path(__file__).parents[2]
OWN = "dots_ocr"
"""docspec's own class has a checkpoint of its own, which vLLM reads without the code that its repository brings."""

FAMILIES = (
    *(OWN, "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "glm_ocr", "paddleocr_vl"),
    *("internvl", "idefics3", "mistral3", "lighton_ocr"),
)
"""Of the others HunyuanOCR runs through transformers there, and its tower does not fit vLLM's kernels for processors;
DeepSeek-OCR and its kin, GOT-OCR2, Qianfan-OCR and Qwen3.5 do not load from tiny checkpoints."""

HEAD = 32
"""Numbers of a head of the text part."""


SIZES = ((160, 96), (96, 32), (48, 64))
DOTS_SIZES = ((168, 84), (84, 56), (56, 84))
"""Of pictures that no processor resizes: where torchvision is installed, as beside vLLM, it resizes otherwise than
Pillow, by a grey level here and there."""

NORMALISED = {"image_mean": OPENAI_CLIP_MEAN, "image_std": OPENAI_CLIP_STD}


def wider(config: Mapping[str, Any]) -> dict[str, Any]:
    """``config`` with heads of :data:`HEAD` numbers in its text part, whose settings may stand at its top."""
    text = config.get("text_config", config)
    if "head_dim" in text:
        narrow, tower = text["head_dim"], {}
        wide = {"head_dim": HEAD}
    else:  # heads are as wide as their part of the hidden size, which the tower's last layer has, too
        narrow, wide = text["hidden_size"] // text["num_attention_heads"], {}
        wide["hidden_size"] = text["num_attention_heads"] * HEAD
        last = "out_hidden_size" if "out_hidden_size" in config["vision_config"] else "hidden_size"
        tower = {"vision_config": {**config["vision_config"], last: wide["hidden_size"]}}
    for name in {"rope_scaling", "rope_parameters"} & text.keys():
        wide[name] = text[name] | {"mrope_section": [part * HEAD // narrow for part in text[name]["mrope_section"]]}
    inner = {"text_config": {**text, **wide}} if "text_config" in config else wide
    return {**config, **tower, **inner}


def written(name: str, folder: Path) -> Path:
    """A tiny checkpoint of a family in ``folder``."""
    if name == OWN:
        return write_tiny_dots_ocr(folder, hidden=4 * HEAD)
    case: Case = import_module(f"tests.targets.families.{name}").CASE
    named = {"architectures": [case.family.architecture]}
    whole = replace(case, config=lambda ids: {**wider(case.config(ids)), **named}, images={**NORMALISED, **case.images})
    return write(whole, folder)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """For each family the tokens of docspec's own engine (``own``) and vLLM's, without drafts and with them."""
    folder = tmp_path_factory.mktemp("families")
    made: dict[str, dict[str, Any]] = {}
    for name in FAMILIES:
        directory = written(name, folder / name)
        pictures = [printed(*size) for size in (DOTS_SIZES if name == OWN else SIZES)]
        target = load_target(ParseOptions(model=str(directory), dtype="float32", device="cpu")).target
        requests = [Request(target.encode(picture, "Read."), (), NEW_TOKENS) for picture in pictures]
        own = [list(output.tokens) for output in make_decoder(target, ParseOptions()).speculate(requests)[0]]
        assert len(set(map(tuple, own))) == len(own), "they look at their pictures"
        shown = [data_url(picture) for picture in pictures]
        made[name] = {"folder": str(directory), "pictures": shown, "own": own, "ends": sorted(target.eos_ids)}
    tasks = {
        name: {
            "folder": one["folder"],
            "prompt": DOTS_OCR.image_marks + "Read." if name == OWN else "Read.",
            "pictures": one["pictures"],
            "drafts": one["own"],
            "budget": NEW_TOKENS,
        }
        for name, one in made.items()
    }
    file = folder / "tasks.json"
    file.write_text(json.dumps(tasks))
    ran = subprocess.run(
        [str(PYTHON), str(Path(__file__).with_name("families.py")), str(file)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    for name, (plain, drafted) in json.loads(ran.stdout).items():
        made[name] |= {"plain": plain, "drafted": drafted}
    return made


@pytest.mark.parametrize("how", ["plain", "drafted"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_writes_through_vllm_what_docspecs_engine_writes(
    found: dict[str, dict[str, Any]], family: str, how: str
) -> None:
    one = found[family]
    assert [[token for token in answer if token not in one["ends"]] for answer in one[how]] == one["own"]
