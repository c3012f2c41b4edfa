"""Qianfan-OCR: square tiles as InternVL; its template shows an image by a word that the processor replaces."""

from .checkpoint import CHAT, TEXT, Case

CASE = Case(
    "qianfan_ocr",
    marks=("<img>", "</img>", "<IMG_CONTEXT>", "<image>"),
    config=lambda ids: {
        "text_config": {**TEXT, "model_type": "qwen3", "head_dim": 16},
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
    processor={"image_seq_length": 4, "processor_class": "QianfanOCRProcessor"},
    image_tokens=(3 * 2 + 1) * 4,
    image_mark="<IMG_CONTEXT>",
    names={"start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>"},
    template=CHAT.replace("IMAGE", "<image>\n"),
    inputs=frozenset({"pixel_values"}),
)  # fmt: skip
