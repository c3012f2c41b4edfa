"""Qwen3.5: recurrent layers around one that attends; value heads share key heads."""

from .checkpoint import CHAT, TEXT, Case

DECODER = {
    **TEXT, "num_hidden_layers": 4, "head_dim": 16,
    "layer_types": ["linear_attention", "linear_attention", "full_attention", "linear_attention"],
    "rope_parameters": {
        "rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2], "mrope_interleaved": True,
        "partial_rotary_factor": 0.5,
    },
    "linear_key_head_dim": 8, "linear_value_head_dim": 12,
    "linear_num_key_heads": 2, "linear_num_value_heads": 4,
}  # fmt: skip
"""Of Qwen3.5 in small."""

CASE = Case(
    "qwen3_5",
    marks=("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"),
    config=lambda ids: {
        "text_config": DECODER,
        "vision_config": {
            "depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "patch_size": 8,
            "out_hidden_size": 32, "num_position_embeddings": 64, "in_channels": 3,
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
    seed=3,
)  # fmt: skip
