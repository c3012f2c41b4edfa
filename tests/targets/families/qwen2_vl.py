"""Qwen2-VL (MinerU2.5): sizes of the tower are its own, everything else is Qwen's."""

from .checkpoint import CHAT, TEXT, Case

CASE = Case(
    "qwen2_vl",
    marks=("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"),
    config=lambda ids: {
        **TEXT,  # as published: the text's settings stand at the top
        "rope_theta": 10000.0,
        "rope_scaling": {"type": "mrope", "mrope_section": [1, 1, 2]},
        "use_sliding_window": False,
        "sliding_window": 32768,
        "max_window_layers": 2,
        "vision_config": {
            "depth": 2, "embed_dim": 32, "hidden_size": 32, "num_heads": 2, "patch_size": 8, "in_channels": 3,
        },
        "image_token_id": ids["<|image_pad|>"],
        "video_token_id": ids["<|video_pad|>"],
        "vision_start_token_id": ids["<|vision_start|>"],
        "vision_end_token_id": ids["<|vision_end|>"],
        "tie_word_embeddings": False,
    },
    images={
        "image_processor_type": "Qwen2VLImageProcessor", "patch_size": 8, "merge_size": 2, "temporal_patch_size": 2,
        "size": {"shortest_edge": 1024, "longest_edge": 65536},
    },
    image_tokens=10 * 6,
    image_mark="<|image_pad|>",
    template=CHAT.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>"),
)  # fmt: skip
