"""DeepSeek-OCR's own configuration: as published it gives the published weights, and what it cannot be is refused.

Its trees, inputs, names of weights and pieces are tested with those of the other families.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
import torch
from PIL import Image

from docspec.core import ModelError, ParseOptions
from docspec.targets.deepseek_ocr import DeepseekOcrConfig, DeepseekOcrForCausalLM
from docspec.targets.registry import load_target
from tests.targets.families.checkpoint import write

CASE = import_module("tests.targets.families.deepseek_ocr").CASE
DECODER = {
    "first_k_dense_replace": 1, "hidden_size": 1280, "intermediate_size": 6848, "kv_lora_rank": None, "lm_head": True,
    "max_position_embeddings": 8192, "moe_intermediate_size": 896, "n_group": 1, "n_routed_experts": 64,
    "n_shared_experts": 2, "num_attention_heads": 10, "num_experts_per_tok": 6, "num_hidden_layers": 12,
    "num_key_value_heads": 10, "q_lora_rank": None, "qk_nope_head_dim": 0, "qk_rope_head_dim": 0, "rm_head": False,
    "topk_group": 1, "topk_method": "greedy", "use_mla": False, "v_head_dim": 0, "vocab_size": 129280,
}  # fmt: skip
VISION = {
    "image_size": 1024, "mlp_ratio": 3.7362, "model_name": "deeplip_b_l", "model_type": "vision",
    "width": {
        "clip-l-14-224": {"heads": 16, "image_size": 224, "layers": 24, "patch_size": 14, "width": 1024},
        "sam_vit_b": {
            "downsample_channels": [512, 1024], "global_attn_indexes": [2, 5, 8, 11], "heads": 12, "layers": 12,
            "width": 768,
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("said", [{**DECODER, "vision_config": VISION, "language_config": DECODER}, {}])
def test_the_published_configuration_makes_as_many_weights_as_are_published(said):
    """3,336,106,240 in 2,710 tensors, experts counted one by one; the configuration's defaults say the same. The
    embedding of CLIP's own patches is published and not used; its attention's weights are parted in three."""
    with torch.device("meta"):
        model = DeepseekOcrForCausalLM(DeepseekOcrConfig(**said))
    weights = dict(model.named_parameters())
    assert sum(weight.numel() for weight in weights.values()) == 3_336_106_240 - 3 * 14 * 14 * 1024
    experts = [weight for name, weight in weights.items() if ".experts." in name]
    assert len(weights) - len(experts) + 11 * 64 * 3 == 2710 - 1 + 24 * 4


@pytest.mark.parametrize("said", [{"use_mla": True}, {"moe_layer_freq": 2}, {"norm_topk_prob": True}])
def test_another_decoder_is_refused_in_a_line(tmp_path: Path, said: dict[str, object]):
    path = write(CASE, tmp_path)
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps(config | said))
    with pytest.raises(ModelError, match=f"{next(iter(said))} is"):
        load_target(ParseOptions(model=str(path), device="cpu"))


def test_the_prompt_is_framed_by_nothing(tmp_path: Path):
    target = load_target(ParseOptions(model=str(write(CASE, tmp_path)), device="cpu")).target
    ids = target.encode(Image.new("RGB", (64, 64), "white"), "Read. ").inputs["input_ids"][0].tolist()
    text = target.processing.tokenizer.decode(ids)
    assert text == "<|im_start|>" + "<image>" * (16 * 17 + 1) + "\nRead."
    assert target.card.no_repeat_ngrams == {"size": 30, "window": 90, "exceptions": [128_821, 128_822]}
