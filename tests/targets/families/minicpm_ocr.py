"""MiniCPM-OCR: views of a picture in one row of patches; the decoder of Qwen3.5 with positions of one axis."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from PIL.Image import Image
from transformers import AutoTokenizer
from transformers.models.minicpmv4_6.image_processing_pil_minicpmv4_6 import MiniCPMV4_6ImageProcessorPil

from .checkpoint import CHAT, Case
from .qwen3_5 import DECODER

NAMES = {
    "image_token": "<|image_pad|>", "video_token": "<|video_pad|>",
    "image_start_token": "<image>", "image_end_token": "</image>",
    "slice_start_token": "<slice>", "slice_end_token": "</slice>",
    "image_id_start_token": "<image_id>", "image_id_end_token": "</image_id>",
}  # fmt: skip
TOKENS = (40, 35, 35)
"""Of the picture of 160 x 96 pixels whole, and of its two slices: (80 x 128) and (112 x 80) pixels."""


def own_inputs(directory: Path, picture: Image) -> dict[str, Any]:
    """Pixels by the image processor of MiniCPM-V 4.6, which cuts as this one does; the text by hand."""
    settings = json.loads((directory / "preprocessor_config.json").read_text())
    settings.pop("image_processor_type")
    pixels = MiniCPMV4_6ImageProcessorPil(**settings)(images=[picture], return_tensors="pt")
    tokenizer = AutoTokenizer.from_pretrained(directory)
    whole, *slices = ("<|image_pad|>" * count for count in TOKENS)
    shown = f"<image_id>0</image_id><image>{whole}</image>" + "".join(f"<slice>{each}</slice>" for each in slices)
    text = f"<|im_start|>user\n{shown}Read.<|im_end|>\n<|im_start|>assistant\n"
    ids = torch.tensor([tokenizer.encode(text)])
    return {"input_ids": ids, "pixel_values": pixels["pixel_values"], "target_sizes": pixels["target_sizes"]}


CASE = Case(
    "minicpm_ocr",
    marks=tuple(NAMES.values()),
    config=lambda ids: {
        "text_config": {"model_type": "qwen3_5_text", **DECODER},
        "vision_config": {
            "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2,
            "image_size": 64, "patch_size": 8,
        },
        "insert_layer_id": 0,
        "image_token_id": ids["<|image_pad|>"],
        "video_token_id": ids["<|video_pad|>"],
        "tie_word_embeddings": False,
    },
    images={
        "image_processor_type": "MiniCPMOcrImageProcessor", "patch_size": 8, "scale_resolution": 96,
        "max_slice_nums": 4, "downsample_mode": "4x",
    },
    image_tokens=sum(TOKENS),
    image_mark="<|image_pad|>",
    names=NAMES,
    template=CHAT.replace("IMAGE", "<|image_pad|>"),
    own_inputs=own_inputs,
    inputs=frozenset({"pixel_values", "target_sizes"}),
    seed=3,
)  # fmt: skip
