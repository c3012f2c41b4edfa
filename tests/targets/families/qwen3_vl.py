"""Qwen3-VL and Chandra: image features for several layers of the decoder."""

from .checkpoint import CHAT, TEXT, TURNED, Case

CASE = Case(
    "qwen3_vl",
    marks=("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"),
    config=lambda ids: {
        "text_config": {
            **TEXT, "head_dim": 8,
            "rope_parameters": {**TURNED, "mrope_section": [2, 1, 1], "mrope_interleaved": True},
        },
        "vision_config": {
            "depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "patch_size": 8,
            "out_hidden_size": 32, "num_position_embeddings": 64, "deepstack_visual_indexes": [0], "in_channels": 3,
        },
        "image_token_id": ids["<|image_pad|>"],
        "video_token_id": ids["<|video_pad|>"],
        "vision_start_token_id": ids["<|vision_start|>"],
        "vision_end_token_id": ids["<|vision_end|>"],
        "tie_word_embeddings": False,
    },
    images={
        "image_processor_type": "Qwen2VLImageProcessorFast", "patch_size": 8, "merge_size": 2,
        "temporal_patch_size": 2, "size": {"shortest_edge": 1024, "longest_edge": 65536},
    },
    image_tokens=10 * 6,
    image_mark="<|image_pad|>",
    template=CHAT.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>"),
)  # fmt: skip
