"""GLM-OCR: GLM's decoder with three rope axes, its image processor that of GLM-4.6V."""

from .checkpoint import CHAT, TEXT, TURNED, Case

CASE = Case(
    "glm_ocr",
    marks=(
        "<|begin_of_image|>", "<|end_of_image|>", "<|image|>", "<|begin_of_video|>", "<|end_of_video|>", "<|video|>",
    ),
    config=lambda ids: {
        "text_config": {
            **TEXT, "head_dim": 16, "num_nextn_predict_layers": 1,  # heads are wider than their part of the hidden size
            "intermediate_size": 96,  # as wide as the tower's merger, as published: vLLM takes it for that
            "rope_parameters": {**TURNED, "mrope_section": [2, 2, 4], "partial_rotary_factor": 1.0},
        },
        "vision_config": {
            "depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "patch_size": 8,
            "out_hidden_size": 32, "image_size": 64, "in_channels": 3,
        },
        "image_token_id": ids["<|image|>"],
        "video_token_id": ids["<|video|>"],
        "image_start_token_id": ids["<|begin_of_image|>"],
        "image_end_token_id": ids["<|end_of_image|>"],
        "video_start_token_id": ids["<|begin_of_video|>"],
        "video_end_token_id": ids["<|end_of_video|>"],
        "tie_word_embeddings": False,
    },
    images={
        "image_processor_type": "Glm46VImageProcessor", "patch_size": 8, "merge_size": 2, "temporal_patch_size": 2,
        "size": {"shortest_edge": 1024, "longest_edge": 65536},
    },
    processor={"processor_class": "Glm46VProcessor"},
    image_tokens=10 * 6,
    image_mark="<|image|>",
    template=CHAT.replace("IMAGE", "<|begin_of_image|><|image|><|end_of_image|>"),
)  # fmt: skip
