"""LightOnOCR: Pixtral's tower, told the size of each image, and a Qwen decoder."""

from .checkpoint import CHAT, TEXT, Case

CASE = Case(
    "lighton_ocr",
    marks=("<|image_pad|>", "<|vision_pad|>", "<|vision_end|>"),
    config=lambda ids: {
        "text_config": {**TEXT, "model_type": "qwen3", "head_dim": 8},
        "vision_config": {
            "model_type": "pixtral", "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
            "num_attention_heads": 2, "head_dim": 16, "image_size": 320, "patch_size": 8,
        },
        "image_token_id": ids["<|image_pad|>"],
        "spatial_merge_size": 2,
        "tie_word_embeddings": False,
    },
    images={
        "image_processor_type": "PixtralImageProcessor", "patch_size": {"height": 16, "width": 16},
        "size": {"longest_edge": 320},
    },
    processor={"patch_size": 8, "spatial_merge_size": 2, "processor_class": "LightOnOcrProcessor"},
    image_tokens=10 * 6,
    image_mark="<|image_pad|>",
    names={
        "image_token": "<|image_pad|>", "image_break_token": "<|vision_pad|>", "image_end_token": "<|vision_end|>",
    },
    template=CHAT.replace("IMAGE", "<|image_pad|>"),
    inputs=frozenset({"pixel_values", "image_sizes"}),
)  # fmt: skip
