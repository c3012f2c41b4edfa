"""dots.ocr loads under its published names, all of them, and refuses what is not its checkpoint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from docspec.targets.dots_ocr.configuration import DotsOCRConfig, DotsVisionConfig
from docspec.targets.dots_ocr.modeling import DotsOCRForCausalLM
from tests.targets.dots_checkpoint import write_tiny_dots_ocr

from .tiny_dots_ocr import load

pytestmark = pytest.mark.usefixtures("one_thread")

PUBLISHED_PARAMETERS = 3_039_179_264
"""Of rednote-hilab/dots.ocr: 6.08 GB of bfloat16 in two shards, 643 tensors."""

DECODER_LAYER = (
    "input_layernorm.weight",
    "post_attention_layernorm.weight",
    "mlp.down_proj.weight",
    "mlp.gate_proj.weight",
    "mlp.up_proj.weight",
    "self_attn.k_proj.bias",
    "self_attn.k_proj.weight",
    "self_attn.o_proj.weight",
    "self_attn.q_proj.bias",
    "self_attn.q_proj.weight",
    "self_attn.v_proj.bias",
    "self_attn.v_proj.weight",
)
VISION_BLOCK = (
    "attn.proj.weight",
    "attn.qkv.weight",
    "mlp.fc1.weight",
    "mlp.fc2.weight",
    "mlp.fc3.weight",
    "norm1.weight",
    "norm2.weight",
)
SINGLE = (
    "lm_head.weight",
    "model.embed_tokens.weight",
    "model.norm.weight",
    "vision_tower.merger.ln_q.bias",
    "vision_tower.merger.ln_q.weight",
    "vision_tower.merger.mlp.0.bias",
    "vision_tower.merger.mlp.0.weight",
    "vision_tower.merger.mlp.2.bias",
    "vision_tower.merger.mlp.2.weight",
    "vision_tower.patch_embed.patchifier.norm.weight",
    "vision_tower.patch_embed.patchifier.proj.bias",
    "vision_tower.patch_embed.patchifier.proj.weight",
    "vision_tower.post_trunk_norm.weight",
)


def published_names(decoder_layers: int, vision_blocks: int) -> set[str]:
    return {
        *SINGLE,
        *(f"model.layers.{n}.{name}" for n in range(decoder_layers) for name in DECODER_LAYER),
        *(f"vision_tower.blocks.{n}.{name}" for n in range(vision_blocks) for name in VISION_BLOCK),
    }


def test_published_size_has_the_published_names_and_parameter_count() -> None:
    with torch.device("meta"):
        model = DotsOCRForCausalLM(DotsOCRConfig())
    shapes = {name: tuple(value.shape) for name, value in model.state_dict().items()}
    assert set(shapes) == published_names(decoder_layers=28, vision_blocks=42)
    assert len(shapes) == 643
    assert sum(value.numel() for value in model.parameters()) == PUBLISHED_PARAMETERS
    assert shapes["vision_tower.patch_embed.patchifier.proj.weight"] == (1536, 3, 14, 14)
    assert shapes["vision_tower.merger.mlp.0.weight"] == (6144, 6144)
    assert shapes["model.layers.0.self_attn.k_proj.weight"] == (256, 1536)


@pytest.mark.parametrize("shards", [1, 2])
def test_a_checkpoint_in_the_published_layout_loads_with_nothing_missing_or_left_over(
    tmp_path: Path, shards: int
) -> None:
    directory = write_tiny_dots_ocr(tmp_path, seed=3, shards=shards)
    model, info = DotsOCRForCausalLM.from_pretrained(directory, output_loading_info=True)
    assert not any(info.values()), info
    assert set(model.state_dict()) == published_names(decoder_layers=2, vision_blocks=2)
    assert model.dtype == torch.bfloat16
    assert len(list(tmp_path.glob("*.safetensors"))) == shards


def test_a_parameter_under_another_name_is_reported_as_missing(tmp_path: Path) -> None:
    directory = write_tiny_dots_ocr(tmp_path)
    file = directory / "model.safetensors"
    weights = load_file(file)
    weights["vision_tower.post_norm.weight"] = weights.pop("vision_tower.post_trunk_norm.weight")
    save_file(weights, file, metadata={"format": "pt"})
    _, info = DotsOCRForCausalLM.from_pretrained(directory, output_loading_info=True)
    assert set(info["missing_keys"]) == {"vision_tower.post_trunk_norm.weight"}
    assert set(info["unexpected_keys"]) == {"vision_tower.post_norm.weight"}


def test_the_published_configuration_is_read_without_its_remote_code_keys(checkpoint: Path) -> None:
    written = json.loads((checkpoint / "config.json").read_text())
    assert "auto_map" in written and written["vision_config"]["attn_implementation"] == "flash_attention_2"
    config = DotsOCRConfig.from_pretrained(checkpoint)
    assert not hasattr(config, "auto_map")
    assert config.rope_parameters["rope_theta"] == 1_000_000
    assert isinstance(config.vision_config, DotsVisionConfig)
    assert config.vision_config.embed_dim == written["vision_config"]["embed_dim"]
    model = load(checkpoint, "eager")
    assert model.vision_tower.config._attn_implementation == "eager"
    assert model.model.config._attn_implementation == "eager"


def test_configurations_that_cannot_work_are_refused() -> None:
    with pytest.raises(ValueError, match="causal"):
        DotsVisionConfig(is_causal=True)
    with pytest.raises(ValueError, match="divisible by four"):
        DotsVisionConfig(embed_dim=36, num_attention_heads=2)
    with pytest.raises(ValueError, match="decoder's"):
        DotsOCRConfig(vision_config={"hidden_size": 1024})


def test_a_seed_names_one_checkpoint(tmp_path: Path) -> None:
    directories = [write_tiny_dots_ocr(tmp_path / str(n), seed) for n, seed in enumerate((0, 0, 1))]
    first, same, other = ((directory / "model.safetensors").read_bytes() for directory in directories)
    assert first == same != other
