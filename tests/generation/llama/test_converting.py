"""What the converter is told, and pre-tokenizers that it does not know."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docspec.core import ModelError, OutputError
from docspec.generation.llama.convert import convert, notes
from docspec.generation.llama.converting import QWEN2, pre_tokenizer
from docspec.generation.llama.model_files import CARD, GENERATION, MODEL_TYPE, PIXELS
from docspec.targets.registry import BUNDLED


def test_pre_tokenizers_are_told_by_their_description() -> None:
    described = json.loads((BUNDLED / "tokenizer.json").read_text())["pre_tokenizer"]
    assert pre_tokenizer(described) == "starcoder"
    assert pre_tokenizer({"type": "ByteLevel", "use_regex": True}) == "gpt-2"
    split = {"type": "Split", "pattern": {"Regex": QWEN2}}
    assert pre_tokenizer({"type": "Sequence", "pretokenizers": [split, {"type": "ByteLevel"}]}) == "qwen2"
    assert pre_tokenizer({"type": "Metaspace"}) is None and pre_tokenizer(None) is None


def test_what_docspec_asks_of_a_model_goes_along() -> None:
    told = notes(BUNDLED)
    assert told[MODEL_TYPE] == "qwen3_vl" and told[PIXELS] == "4096,2500000"
    assert json.loads(told[CARD])["dialect"] == "markdown" and json.loads(told[GENERATION]) == {}


def test_without_a_converter_it_is_said_how_to_get_one(tmp_path: Path) -> None:
    for source in (None, tmp_path):
        with pytest.raises(ModelError, match="pip download"):
            convert(BUNDLED, tmp_path / "a.gguf", "f32", source)
    (tmp_path / "broken.tar.gz").write_bytes(b"no archive")
    with pytest.raises(ModelError, match="cannot be unpacked"):
        convert(BUNDLED, tmp_path / "a.gguf", "f32", tmp_path / "broken.tar.gz")
    with pytest.raises(OutputError):
        convert(BUNDLED, tmp_path / "none" / "a.gguf", "f32", tmp_path)
    assert not (tmp_path / "a.gguf").exists()
