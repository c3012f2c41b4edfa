"""DeepSeek-OCR: a configuration of docspec's own; two towers, a mixture of experts, tiles in lines."""

from pathlib import Path
from typing import Any

import torch
from PIL import Image
from tokenizers import Tokenizer

from .checkpoint import TEXT, Case


def levels(picture: Image.Image) -> torch.Tensor:
    return torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8)


def own_inputs(path: Path, picture: Image.Image, columns: int = 3, rows: int = 2) -> dict[str, Any]:
    """A picture of 960 x 576 or 960 x 480: tiles beside each other in rows, and the whole of it between grey bars."""
    grey, white = 127, 255
    page = Image.new("RGB", (1024, 1024), (grey,) * 3)
    height = 1024 * picture.height // picture.width
    page.paste(picture.resize((1024, height), Image.Resampling.BICUBIC), (0, (1024 - height) // 2))
    wide = levels(picture.resize((640 * columns, 640 * rows), Image.Resampling.BICUBIC))
    whole = levels(page).view(1, 1024, 1024, 3).permute(0, 3, 1, 2)
    tiles = wide.view(rows, 640, columns, 640, 3).permute(0, 2, 4, 1, 3).reshape(-1, 3, 640, 640)
    tokenizer = Tokenizer.from_file(str(path / "tokenizer.json"))
    image = tokenizer.token_to_id("<image>")
    tokens = 16 * (16 + 1) + 1 + 10 * rows * (10 * columns + 1)
    ids = [tokenizer.token_to_id("<|im_start|>"), *[image] * tokens, *tokenizer.encode("\nRead.").ids]
    return {
        "input_ids": torch.tensor([ids]),
        "pixel_values": (whole / white - 0.5) / 0.5,
        "pixel_values_local": (tiles / white - 0.5) / 0.5,
        "patches_grid": torch.tensor([[columns, rows]]),
        "num_local_patches": torch.tensor([columns * rows]),
    }


CASE = Case(
    "deepseek_ocr",
    marks=("<image>", "<|grounding|>", "<|ref|>", "<|/ref|>", "<|det|>", "<|/det|>"),
    config=lambda ids: {  # as published: the decoder's settings at the top, and the type of another model
        **TEXT, "num_key_value_heads": 4,  # one for each head, as published: its eager attention repeats none
        "model_type": "deepseek_vl_v2",
        "architectures": ["DeepseekOCRForCausalLM"],
        "n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2, "moe_intermediate_size": 24,
        "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1, "topk_method": "greedy", "use_mla": False,
        "kv_lora_rank": None, "q_lora_rank": None, "qk_nope_head_dim": 0, "qk_rope_head_dim": 0, "v_head_dim": 0,
        "lm_head": True, "rm_head": False, "bos_token_id": ids["<|im_start|>"], "eos_token_id": ids["<|endoftext|>"],
        "image_token_id": ids["<image>"],
        "vision_config": {
            "image_size": 1024, "mlp_ratio": 3.7362, "model_name": "deeplip_b_l", "model_type": "vision",
            "width": {
                "clip-l-14-224": {"heads": 2, "image_size": 224, "layers": 2, "patch_size": 14, "width": 16},
                "sam_vit_b": {
                    "downsample_channels": [8, 16], "global_attn_indexes": [1], "heads": 2, "layers": 1, "width": 16,
                    "output_channels": 8,
                },
            },
        },
        "projector_config": {
            "input_dim": 32, "model_type": "mlp_projector", "n_embed": 32, "projector_type": "linear",
        },
        "tie_word_embeddings": False,
    },
    images={},
    names={"bos_token": "<|im_start|>"},
    image_tokens=16 * 17 + 1 + 20 * 31,
    image_mark="<image>",
    zoom=6,
    own_inputs=own_inputs,
    seed=4,
    inputs=frozenset({"pixel_values", "pixel_values_local", "patches_grid", "num_local_patches"}),
)  # fmt: skip
