"""Qwen2.5-VL (olmOCR 2, Nanonets-OCR2): a tower with windows, told by its own names."""

from .checkpoint import CHAT, TEXT, Case

CASE = Case(
    "qwen2_5_vl",
    marks=("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"),
    config=lambda ids: {
        **TEXT,  # as published: the text's settings stand at the top
        "rope_theta": 10000.0,
        "rope_scaling": {"type": "mrope", "mrope_section": [1, 1, 2]},
        "use_sliding_window": False,
        "sliding_window": 32768,
        "max_window_layers": 2,
        "vision_config": {
            "depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "patch_size": 8,
            "out_hidden_size": 32, "window_size": 32, "fullatt_block_indexes": [1], "in_channels": 3,
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
