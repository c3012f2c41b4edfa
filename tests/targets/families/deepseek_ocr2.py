"""DeepSeek-OCR 2: two encoders one behind the other, a mixture of experts; the queries' numbers are the class's."""

from .checkpoint import TEXT, Case

CASE = Case(
    "deepseek_ocr2",
    marks=("<image>", "<|grounding|>", "<|ref|>", "<|/ref|>", "<|det|>", "<|/det|>"),
    config=lambda ids: {
        "text_config": {
            **TEXT, "num_key_value_heads": 4, "n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2,
            "moe_intermediate_size": 24,
            "mlp_layer_types": ["dense", "sparse"],
        },
        "vision_config": {
            "sam_config": {
                "hidden_size": 16, "output_channels": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
                "window_size": 8, "global_attn_indexes": [], "mlp_dim": 16, "downsample_channels": [8, 16],
            },
            "encoder_config": {
                "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2,
                "num_key_value_heads": 2,
            },
        },
        "image_token_id": ids["<image>"],
        "tie_word_embeddings": False,
    },
    images={"image_processor_type": "DeepseekOcr2ImageProcessor", "tile_size": 768},
    processor={"processor_class": "DeepseekOcr2Processor"},
    image_tokens=256 + 2 * 144 + 1,
    image_mark="<image>",
    zoom=6,
    shape=(160, 80),
    inputs=frozenset({"pixel_values", "pixel_values_local", "num_local_patches"}),
)  # fmt: skip
