"""Sizes of published checkpoints, family by family: what differs from the defaults of transformers' classes.

The tests hold each parameter count against the published one. Where nothing is written the defaults are the published
sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class PublishedSize:
    """The sizes of the checkpoint called ``published`` in its family's file; ``model_type`` names the family. ``tied``:
    whether the head is the embedding table (``None``: as the class has it)."""

    model_type: str
    published: str
    text: Mapping[str, Any] = field(default_factory=dict)
    vision: Mapping[str, Any] = field(default_factory=dict)
    tied: bool | None = None


def decoder_sizes(hidden: int, inner: int, layers: int, heads: int, kv_heads: int, **more: Any) -> dict[str, Any]:
    """The sizes of a decoder as a configuration names them."""
    return {
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        **more,
    }


_INTERN_VIT = {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16}

SIZES: dict[str, PublishedSize] = {
    "qwen2-vl-2b": PublishedSize(
        "qwen2_vl",
        "Qwen/Qwen2-VL-2B-Instruct",
        decoder_sizes(1536, 8960, 28, 12, 2, vocab_size=151_936),
        {"hidden_size": 1536},
        tied=True,
    ),
    "mineru2.5": PublishedSize(
        "qwen2_vl",
        "opendatalab/MinerU2.5-2509-1.2B",
        decoder_sizes(
            896,
            4864,
            24,
            14,
            2,
            vocab_size=151_936,
            rope_parameters={"rope_type": "default", "rope_theta": 1e6, "mrope_section": [8, 12, 12]},
        ),
        {"hidden_size": 896},
        tied=True,
    ),
    "qwen2.5-vl-3b": PublishedSize(
        "qwen2_5_vl",
        "Qwen/Qwen2.5-VL-3B-Instruct",
        decoder_sizes(2048, 11_008, 36, 16, 2, vocab_size=151_936),
        {"hidden_size": 1280, "intermediate_size": 3420, "out_hidden_size": 2048},
        tied=True,
    ),
    "qwen2.5-vl-7b": PublishedSize(
        "qwen2_5_vl",
        "Qwen/Qwen2.5-VL-7B-Instruct",
        decoder_sizes(3584, 18_944, 28, 28, 4, vocab_size=152_064),
        {"hidden_size": 1280, "intermediate_size": 3420, "out_hidden_size": 3584},
        tied=False,
    ),
    "qwen3-vl-30b-a3b": PublishedSize(
        "qwen3_vl_moe",
        "Qwen/Qwen3-VL-30B-A3B-Instruct",
        decoder_sizes(
            2048, 6144, 48, 32, 4, head_dim=128, moe_intermediate_size=768, num_experts=128, num_experts_per_tok=8
        ),
        {"depth": 27, "hidden_size": 1152, "intermediate_size": 4304, "out_hidden_size": 2048},
        tied=False,
    ),
    "internvl3-2b": PublishedSize(
        "internvl",
        "OpenGVLab/InternVL3-2B-hf",
        {"model_type": "qwen2", **decoder_sizes(1536, 8960, 28, 12, 2, vocab_size=151_674)},
        _INTERN_VIT,
        tied=False,
    ),
    "granite-docling-258m": PublishedSize(
        "idefics3",
        "ibm-granite/granite-docling-258M",
        {"model_type": "llama", **decoder_sizes(576, 1536, 30, 9, 3, vocab_size=100_352)},
        {
            "hidden_size": 768,
            "intermediate_size": 3072,
            "num_hidden_layers": 12,
            "num_attention_heads": 12,
            "image_size": 512,
            "patch_size": 16,
        },
        tied=True,
    ),
    "ovisocr2": PublishedSize(
        "qwen3_5",
        "ATH-MaaS/OvisOCR2",
        decoder_sizes(
            1024,
            3584,
            24,
            8,
            2,
            head_dim=256,
            linear_num_key_heads=16,
            linear_num_value_heads=16,
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 10_000_000.0,
                "partial_rotary_factor": 0.25,
                "mrope_section": [11, 11, 10],
                "mrope_interleaved": True,
            },
        ),
        {"depth": 12, "hidden_size": 768, "intermediate_size": 3072, "num_heads": 12, "out_hidden_size": 1024},
        tied=True,
    ),
    "deepseek-ocr": PublishedSize("deepseek_ocr", "deepseek-ai/DeepSeek-OCR"),
    "deepseek-ocr-2": PublishedSize(
        "deepseek_ocr2",
        "deepseek-community/DeepSeek-OCR-2",
        decoder_sizes(
            1280,
            6848,
            12,
            10,
            10,
            vocab_size=129_280,
            mlp_layer_types=["dense", *["sparse"] * 11],
            n_routed_experts=64,
            n_shared_experts=2,
            num_experts_per_tok=6,
            moe_intermediate_size=896,
        ),
        {"encoder_config": decoder_sizes(896, 4864, 24, 14, 2)},
    ),
    "unlimited-ocr": PublishedSize("unlimited_ocr", "baidu/Unlimited-OCR"),
    "mistral-small-3.1": PublishedSize("mistral3", "mistralai/Mistral-Small-3.1-24B-Instruct-2503"),
    "qianfan-ocr": PublishedSize(
        "qianfan_ocr",
        "baidu/Qianfan-OCR",
        {"model_type": "qwen3", **decoder_sizes(2560, 9728, 36, 32, 8, head_dim=128, vocab_size=151_936)},
        tied=False,
    ),
    "granite-docling-500m": PublishedSize("granite_docling", "ibm-granite/granite-for-docling-500m"),
    "glm-ocr": PublishedSize(  # transformers' defaults are narrower
        "glm_ocr",
        "zai-org/GLM-OCR",
        decoder_sizes(
            1536,
            4608,
            16,
            16,
            8,
            head_dim=128,
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 10_000.0,
                "partial_rotary_factor": 1.0,
                "mrope_section": [16, 24, 24],
            },
        ),
        tied=False,
    ),
    "got-ocr2": PublishedSize("got_ocr2", "stepfun-ai/GOT-OCR-2.0-hf", tied=False),
    "lighton-ocr-1b": PublishedSize("lighton_ocr", "lightonai/LightOnOCR-2-1B"),
    "paddleocr-vl": PublishedSize("paddleocr_vl", "PaddlePaddle/PaddleOCR-VL", tied=False),
    "hunyuan-ocr": PublishedSize(
        "hunyuan_vl",
        "tencent/HunyuanOCR",
        decoder_sizes(
            1024,
            3584,
            24,
            16,
            8,
            head_dim=128,
            vocab_size=120_818,
            rope_parameters={"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [16] * 4},
        ),
        tied=True,
    ),
}
"""By the names that ``step --random`` knows."""
