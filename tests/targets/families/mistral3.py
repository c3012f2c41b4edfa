"""Mistral 3: Pixtral's tower, rows of image tokens with a mark behind each."""

from pathlib import Path
from typing import Any

import torch
from PIL.Image import Image
from tokenizers import Tokenizer
from transformers import AutoImageProcessor

from .checkpoint import CHAT, TEXT, Case


def own_inputs(path: Path, picture: Image) -> dict[str, Any]:
    """Six rows of ten tokens of 16 pixels: transformers' processor needs torchvision, its image processor does not."""
    pixels = AutoImageProcessor.from_pretrained(path)(images=[picture], patch_size=16, return_tensors="pt")
    shown = "[IMG_BREAK]".join(["[IMG]" * 10] * 6) + "[IMG_END]"
    text = f"<|im_start|>user\n{shown}Read.<|im_end|>\n<|im_start|>assistant\n"
    ids = Tokenizer.from_file(str(path / "tokenizer.json")).encode(text).ids
    return {**pixels, "input_ids": torch.tensor([ids])}


CASE = Case(
    "mistral3",
    marks=("[IMG]", "[IMG_BREAK]", "[IMG_END]"),
    config=lambda ids: {
        "architectures": ["Mistral3ForConditionalGeneration"],
        "text_config": {**TEXT, "model_type": "mistral", "head_dim": 8, "sliding_window": None},
        "vision_config": {
            "model_type": "pixtral", "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
            "num_attention_heads": 2, "head_dim": 16, "image_size": 320, "patch_size": 8,
        },
        "image_token_index": ids["[IMG]"],
        "spatial_merge_size": 2,
        "multimodal_projector_bias": False,
        "projector_hidden_act": "gelu",
        "vision_feature_layer": -1,
        "tie_word_embeddings": False,
    },
    images={
        "image_processor_type": "PixtralImageProcessor", "patch_size": {"height": 8, "width": 8},
        "size": {"longest_edge": 320},
    },
    processor={"patch_size": 8, "spatial_merge_size": 2, "processor_class": "PixtralProcessor"},
    image_tokens=10 * 6,
    image_mark="[IMG]",
    template=CHAT.replace("IMAGE", "[IMG]"),
    own_inputs=own_inputs,
    inputs=frozenset({"pixel_values", "image_sizes"}),
)  # fmt: skip
