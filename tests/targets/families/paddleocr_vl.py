"""PaddleOCR-VL: an ERNIE decoder with three rope axes behind a SigLIP tower that takes any size."""

from .checkpoint import CHAT, TEXT, Case

CASE = Case(
    "paddleocr_vl",
    marks=("<|IMAGE_START|>", "<|IMAGE_END|>", "<|IMAGE_PLACEHOLDER|>", "<|video_pad|>"),
    config=lambda ids: {
        **TEXT,  # as published: the text's settings stand at the top
        "head_dim": 8,
        "rope_theta": 10000.0,
        "rope_scaling": {"mrope_section": [1, 1, 2], "rope_type": "default", "type": "default"},
        "sliding_window": None,
        "vision_config": {
            "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2,
            "image_size": 64, "patch_size": 8, "spatial_merge_size": 2,
        },
        "image_token_id": ids["<|IMAGE_PLACEHOLDER|>"],
        "video_token_id": ids["<|video_pad|>"],
        "vision_start_token_id": ids["<|IMAGE_START|>"],
        "vision_end_token_id": ids["<|IMAGE_END|>"],
        "tie_word_embeddings": False,
    },
    images={
        "image_processor_type": "PaddleOCRVLImageProcessor", "patch_size": 8, "merge_size": 2,
        "temporal_patch_size": 1, "size": {"shortest_edge": 1024, "longest_edge": 65536},
    },
    image_tokens=10 * 6,
    image_mark="<|IMAGE_PLACEHOLDER|>",
    names={"image_token": "<|IMAGE_PLACEHOLDER|>"},
    template=CHAT.replace("IMAGE", "<|IMAGE_START|><|IMAGE_PLACEHOLDER|><|IMAGE_END|>"),
)  # fmt: skip
