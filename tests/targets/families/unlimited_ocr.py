"""Unlimited-OCR: all of the prompt and a window of the answer in sight; pages as DeepSeek-OCR looks at them."""

from pathlib import Path
from typing import Any

from PIL import Image

from . import deepseek_ocr
from .checkpoint import TEXT, Case


def own_inputs(path: Path, picture: Image.Image) -> dict[str, Any]:
    return deepseek_ocr.own_inputs(path, picture, 2, 1)


CASE = Case(
    "unlimited_ocr",
    marks=("<image>", "<|det|>", "<|/det|>"),
    config=lambda ids: {
        "language_config": {  # as published: so named, and the window beside it
            **TEXT, "num_key_value_heads": 4, "n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2,
            "moe_intermediate_size": 24,
            "first_k_dense_replace": 1,
        },
        "sliding_window": 9,
        "vision_config": {
            "sam_config": {
                "hidden_size": 16, "output_channels": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
                "window_size": 8, "global_attn_indexes": [], "mlp_dim": 16, "downsample_channels": [8, 16],
            },
            "encoder_config": {
                "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2,
            },
        },
        "image_token_id": ids["<image>"],
        "tie_word_embeddings": False,
    },
    images={},
    names={"bos_token": "<|im_start|>"},
    image_tokens=16 * 17 + 1 + 10 * 21,
    image_mark="<image>",
    zoom=6,
    shape=(160, 80),
    own_inputs=own_inputs,
    seed=1,
    inputs=frozenset({"pixel_values", "pixel_values_local", "patches_grid", "num_local_patches"}),
)  # fmt: skip
