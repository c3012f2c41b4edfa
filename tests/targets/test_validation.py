"""Malformed files of a checkpoint: one line when the model is loaded, naming the file and, where there is one, the
field."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from docspec.core import ModelError, ParseOptions
from docspec.targets.registry import load_target
from tests.targets.dots_checkpoint import write_tiny_dots_ocr

NOT_JSON = ("", "{", "[]", "null", '"text"', "\x00\x01", "[" * 100_000, '{"a": 1}}')

QWEN: list[tuple[str, str, Any]] = [
    ("config.json", "model_type", 7),
    ("config.json", "image_token_id", "one"),
    ("config.json", "image_token_id", -1),
    ("config.json", "image_token_id", 10**6),
    ("config.json", "text_config", []),
    ("config.json", "vision_config", "small"),
    ("config.json", "tie_word_embeddings", "yes"),
    ("config.json", "text_config.num_hidden_layers", "4"),
    ("config.json", "text_config.num_hidden_layers", 0),
    ("config.json", "text_config.num_hidden_layers", 10**9),
    ("config.json", "text_config.num_key_value_heads", 3),
    ("config.json", "text_config.num_attention_heads", None),
    ("config.json", "text_config.hidden_size", 64.5),
    ("config.json", "text_config.head_dim", True),
    ("config.json", "text_config.rms_norm_eps", float("nan")),
    ("config.json", "text_config.vocab_size", {}),
    ("config.json", "vision_config.patch_size", 0),
    ("config.json", "vision_config.depth", float("inf")),
    ("config.json", "vision_config.spatial_merge_size", -2),
    ("generation_config.json", "eos_token_id", "</s>"),
    ("generation_config.json", "eos_token_id", [1, None]),
    ("preprocessor_config.json", "image_processor_type", "CLIPImageProcessor"),
    ("preprocessor_config.json", "patch_size", 14),
    ("preprocessor_config.json", "patch_size", "16"),
    ("preprocessor_config.json", "merge_size", 0),
    ("preprocessor_config.json", "temporal_patch_size", 1),
    ("preprocessor_config.json", "size", 5),
    ("preprocessor_config.json", "size.shortest_edge", -1),
    ("preprocessor_config.json", "size.longest_edge", "many"),
    ("preprocessor_config.json", "min_pixels", 10**9),
    ("preprocessor_config.json", "image_mean", [0.5, 0.5]),
    ("preprocessor_config.json", "image_std", [0.5, 0.0, 0.5]),
    ("preprocessor_config.json", "rescale_factor", float("inf")),
    ("preprocessor_config.json", "resample", 9),
    ("preprocessor_config.json", "do_resize", 1),
    ("chat_template.json", "chat_template", 5),
    ("docspec.json", "dialect", "latex"),
    ("docspec.json", "prompt", 3),
    ("docspec.json", "crop_prompt", ["Read."]),
    ("docspec.json", "region_prompts", "Text:"),
    ("docspec.json", "region_prompts", {"table": "Table:"}),
    ("docspec.json", "region_prompts", {"text": "Text:", "seal": "Seal:"}),
    ("docspec.json", "table_style", "csv"),
    ("docspec.json", "max_new_tokens", 0),
    ("docspec.json", "max_new_tokens", 1e400),
    ("docspec.json", "max_new_token", 100),
    ("docspec.json", "line_pitch_px", -4),
    ("docspec.json", "note", None),
    ("docspec.json", "random", "false"),
]
"""File, field and a value that it must not have."""


def failure(directory: Path) -> str:
    with pytest.raises(ModelError) as caught:
        load_target(ParseOptions(model=str(directory), device="cpu"))
    message = str(caught.value)
    assert "\n" not in message and len(message) < 600
    return message


def set_field(file: Path, field: str, value: Any) -> None:
    values = json.loads(file.read_text()) if file.exists() else {}
    *parents, name = field.split(".")
    part = values
    for parent in parents:
        part = part[parent]
    part[name] = value
    file.write_text(json.dumps(values))


@pytest.fixture(scope="module")
def qwen(lively_qwen: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(lively_qwen, tmp_path_factory.mktemp("checkpoint") / "qwen"))


@pytest.fixture
def restored(qwen: Path, request: pytest.FixtureRequest) -> Path:
    """The checkpoint as it was before the test, weights excepted."""
    before = {file: file.read_bytes() for file in qwen.iterdir() if file.suffix != ".safetensors"}

    def restore() -> None:
        for file in qwen.iterdir():
            if file.suffix != ".safetensors" and file not in before:
                file.unlink()
        for file, content in before.items():
            file.write_bytes(content)

    request.addfinalizer(restore)
    return qwen


@pytest.mark.parametrize(("name", "field", "value"), QWEN, ids=lambda value: str(value)[:30])
def test_a_wrong_field_is_named(restored: Path, name: str, field: str, value: Any) -> None:
    set_field(restored / name, field, value)
    message = failure(restored)
    assert field.rpartition(".")[2] in message or (field == "model_type" and "'7'" in message)
    assert name in message or field == "model_type"


@pytest.mark.parametrize(
    "name",
    [
        "config.json",
        "generation_config.json",
        "preprocessor_config.json",
        "processor_config.json",
        "tokenizer_config.json",
        "tokenizer.json",
        "chat_template.json",
        "docspec.json",
    ],
)
def test_a_file_that_is_no_json_object_is_named(restored: Path, name: str) -> None:
    for content in NOT_JSON:
        (restored / name).write_text(content)
        assert name in failure(restored)


def test_a_window_and_layers_that_are_not_supported_are_refused(tmp_path: Path) -> None:
    directory = write_tiny_dots_ocr(tmp_path)
    original = (directory / "config.json").read_text()
    for fields, says in (
        ({"layer_types": ["full_attention", "chunked_attention"]}, "layer_types"),
        ({"layer_types": ["full_attention", "sliding_attention"]}, "sliding_window"),
        ({"use_sliding_window": "no"}, "use_sliding_window"),
        ({"vision_config": {"embed_dim": 50}}, "embed_dim"),
    ):
        (directory / "config.json").write_text(json.dumps(json.loads(original) | fields))
        assert says in failure(directory)


def test_an_adapter_beside_the_weights_is_not_ignored(restored: Path) -> None:
    (restored / "adapter_config.json").write_text('{"peft_type": "LORA", "r": 8}')
    assert "adapter_config.json" in (said := failure(restored)) and "merge_and_unload" in said


@pytest.mark.parametrize(
    "name", ["tokenizer.json", "config.json", "chat_template.jinja", "vocab.json", "model.safetensors"]
)
def test_a_pointer_of_git_lfs_is_named(restored: Path, tmp_path: Path, name: str) -> None:
    model = tmp_path / "model"
    shutil.copytree(restored, model)
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 7031645\n"
    (model / name).write_text(pointer)
    assert name in (said := failure(model)) and "git lfs pull" in said
