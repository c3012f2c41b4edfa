"""Configurations of the bundled reader and how one is built.

The class is transformers' own `Qwen3VLForConditionalGeneration`, only small: what runs this checkpoint runs
the published Qwen3-VL models. `mini` is the one that is trained and shipped, `mini-draft` drafts for it (1.9 million
parameters), `tiny` is for tests.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from training.reader import tokenizer as tok

PATCH = 16
MERGE = 2
CELL = PATCH * MERGE  # pixels of one visual token
MIN_PIXELS = 64 * 64
MAX_PIXELS = 2_500_000


@dataclass(frozen=True)
class ReaderSize:
    """Widths and depths of one configuration."""

    vision_width: int
    vision_depth: int
    vision_heads: int
    vision_mlp: int
    width: int
    depth: int
    heads: int
    kv_heads: int
    mlp: int
    positions: int  # vision position embeddings, a square number

    @property
    def head_dim(self) -> int:
        return self.width // self.heads


SIZES = {
    "tiny": ReaderSize(64, 2, 2, 128, 64, 4, 4, 2, 128, 256),
    "mini-draft": ReaderSize(128, 3, 4, 384, 128, 4, 4, 2, 320, 1024),
    "mini": ReaderSize(192, 4, 4, 640, 256, 6, 4, 2, 640, 1024),
}


def config(name: str = "mini", vocab_size: int = tok.VOCAB_SIZE) -> Qwen3VLConfig:
    """The transformers configuration called `name`, one of `SIZES`; KeyError for another name."""
    size = SIZES[name]
    pairs = size.head_dim // 2
    spatial = pairs // 3
    return Qwen3VLConfig(
        text_config={
            "vocab_size": vocab_size,
            "hidden_size": size.width,
            "intermediate_size": size.mlp,
            "num_hidden_layers": size.depth,
            "num_attention_heads": size.heads,
            "num_key_value_heads": size.kv_heads,
            "head_dim": size.head_dim,
            "max_position_embeddings": 8192,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10000.0,
                "mrope_section": [pairs - 2 * spatial, spatial, spatial],
                "mrope_interleaved": True,
            },
            "tie_word_embeddings": True,
            "pad_token_id": tok.ENDOFTEXT,
        },
        vision_config={
            "depth": size.vision_depth,
            "hidden_size": size.vision_width,
            "intermediate_size": size.vision_mlp,
            "num_heads": size.vision_heads,
            "patch_size": PATCH,
            "spatial_merge_size": MERGE,
            "temporal_patch_size": 2,
            "out_hidden_size": size.width,
            "num_position_embeddings": size.positions,
            "deepstack_visual_indexes": [],
        },
        tie_word_embeddings=True,
        image_token_id=tok.IMAGE_PAD,
        video_token_id=tok.VIDEO_PAD,
        vision_start_token_id=tok.VISION_START,
        vision_end_token_id=tok.VISION_END,
        eos_token_id=tok.IM_END,
        pad_token_id=tok.ENDOFTEXT,
    )


def build(
    config_name: str = "mini", *, seed: int = 0, vocab_size: int = tok.VOCAB_SIZE
) -> Qwen3VLForConditionalGeneration:
    """A reader with random weights in float32; the same seed gives the same weights, global RNG state is
    untouched."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Qwen3VLForConditionalGeneration(config(config_name, vocab_size))
    model.generation_config.eos_token_id = tok.IM_END
    model.generation_config.pad_token_id = tok.ENDOFTEXT
    model.generation_config.bos_token_id = None
    model.generation_config.do_sample = False
    return model.float().eval()


def image_processor() -> Qwen2VLImageProcessorPil:
    """The PIL image processor of the checkpoint. White is 0 after normalisation, black is -2."""
    return Qwen2VLImageProcessorPil(
        patch_size=PATCH,
        merge_size=MERGE,
        temporal_patch_size=2,
        size={"shortest_edge": MIN_PIXELS, "longest_edge": MAX_PIXELS},
        image_mean=[1.0, 1.0, 1.0],
        image_std=[0.5, 0.5, 0.5],
    )
