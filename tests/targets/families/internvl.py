"""InternVL: square tiles of the page and a small view of the whole, a Qwen decoder."""

from .checkpoint import CHAT, TEXT, Case

CASE = Case(
    "internvl",
    marks=("<img>", "</img>", "<IMG_CONTEXT>", "<video>"),
    config=lambda ids: {
        "text_config": {**TEXT, "model_type": "qwen2"},
        "vision_config": {
            "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2,
            "image_size": [32, 32], "patch_size": [8, 8],
        },
        "image_token_id": ids["<IMG_CONTEXT>"],
        "image_seq_length": 4,
        "tie_word_embeddings": False,
    },
    images={
        "image_processor_type": "GotOcr2ImageProcessor", "size": {"height": 32, "width": 32},
        "crop_to_patches": True, "min_patches": 1, "max_patches": 6,
    },
    processor={"image_seq_length": 4, "processor_class": "InternVLProcessor"},
    image_tokens=(3 * 2 + 1) * 4,
    image_mark="<IMG_CONTEXT>",
    names={
        "start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    },
    template=CHAT.replace("IMAGE", "<IMG_CONTEXT>\n"),
    frame=("<img>", "</img>"),
    inputs=frozenset({"pixel_values"}),
)  # fmt: skip
