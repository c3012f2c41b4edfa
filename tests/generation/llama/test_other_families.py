"""Tiny checkpoints in the files of other families, through llama.cpp's converter and back: what transformers writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from transformers.image_utils import OPENAI_CLIP_MEAN, OPENAI_CLIP_STD

from docspec.core import ParseOptions
from docspec.generation.interface import GenerationRequest, answers
from docspec.generation.llama.convert import convert
from docspec.generation.llama.model_files import find_files
from docspec.generation.llama.opening import open_llama
from docspec.targets.registry import load_target
from tests.exactness.checkpoints import NEW_TOKENS, generated, printed
from tests.targets.families.checkpoint import Case, write

LAYERS = 4
"""Of the tower: the converter knows no names of the merger's matrices in smaller ones."""


WINDOW = 112
"""Pixels of a window of attention: that of the published towers, which llama.cpp takes for granted."""


@pytest.mark.parametrize("family", ["qwen2_vl", "qwen2_5_vl"])
def test_a_family_writes_what_transformers_writes(family: str, python: Path, source: Path, tmp_path: Path) -> None:
    case: Case = import_module(f"tests.targets.families.{family}").CASE
    images = {**case.images, "image_mean": OPENAI_CLIP_MEAN, "image_std": OPENAI_CLIP_STD}
    whole = replace(case, config=lambda ids: deeper(case.config(ids)), images=images)
    directory = write(whole, tmp_path / family)
    add_merge(directory / "tokenizer.json")
    target = load_target(ParseOptions(model=str(directory), dtype="float32", device="cpu")).target
    pictures = [printed(*size) for size in ((160, 96), (96, 32), (48, 64), (150, 90))]
    wanted = [generated(target, target.encode(picture, "Read.")) for picture in pictures]
    assert len(set(wanted)) == len(wanted)
    name = case.family.architecture
    config = json.loads((directory / "config.json").read_text())
    (directory / "config.json").write_text(json.dumps({**config, "architectures": [name]}))
    file, _ = convert(directory, tmp_path / "model.gguf", "f32", source)
    with open_llama(find_files(file), python=python, answer=NEW_TOKENS) as engine:
        for drafted in (False, True):
            drafts = [(target.detokenize(list(tokens)),) if drafted else () for tokens in wanted]
            requests = [
                GenerationRequest(picture, "Read.", NEW_TOKENS, draft)
                for picture, draft in zip(pictures, drafts, strict=True)
            ]
            assert [one.token_ids for one in answers(engine, requests)] == wanted
            assert [one.token_ids for one in answers(engine, requests[:1])] == wanted[:1]


def add_merge(file: Path) -> None:
    """Two spaces become one token: llama.cpp reads no tokenizer without any merge."""
    described = json.loads(file.read_text())
    vocabulary = described["model"]["vocab"]
    vocabulary |= {added["content"]: added["id"] for added in described["added_tokens"]}  # they keep their ids
    vocabulary["ĠĠ"] = len(vocabulary)
    described["model"]["merges"] = [["Ġ", "Ġ"]]
    file.write_text(json.dumps(described))


def deeper(config: Mapping[str, Any]) -> dict[str, Any]:
    tower = {**config["vision_config"], "depth": LAYERS}
    if "window_size" in tower:
        tower |= {"window_size": WINDOW, "fullatt_block_indexes": [1, 3]}  # every second layer sees the whole
    return {**config, "vision_config": tower}
