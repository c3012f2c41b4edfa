"""Granite for Docling: logits, embeddings and residuals scaled as Granite does; images feed several layers."""

from .checkpoint import CHAT, TEXT, TILES, Case

CASE = Case(
    "granite_docling",
    marks=("<fake_token_around_image>", "<image>", "<global-img>", "<end_of_utterance>", *TILES),
    config=lambda ids: {
        "text_config": {
            **TEXT, "embedding_multiplier": 3.0, "logits_scaling": 4.0, "residual_multiplier": 0.5,
            "attention_multiplier": 0.3, "tie_word_embeddings": False, "pad_token_id": 0,
            "bos_token_id": 1, "eos_token_id": 0,
        },
        "vision_config": {
            "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2,
            "image_size": 32, "patch_size": 4, "out_hidden_size": 32, "scale_factor": 4,
            "deepstack_visual_indexes": [0],
        },
        "image_token_id": ids["<image>"],
        "pad_token_id": 0,
        "tie_word_embeddings": False,
    },
    images={
        "image_processor_type": "GraniteDoclingImageProcessor", "size": {"height": 32, "width": 32}, "max_patches": 4,
    },
    processor={"image_seq_len": 4, "processor_class": "GraniteDoclingProcessor"},
    image_tokens=(2 * 1 + 1) * 4,
    image_mark="<image>",
    template=CHAT.replace("IMAGE", "<image>"),
    inputs=frozenset({"pixel_values", "pixel_attention_mask"}),
)  # fmt: skip
