"""GOT-OCR 2: SAM's tower, a square view of the page; the prompt's frame is the processor's, not a chat template."""

from .checkpoint import TEXT, Case

CASE = Case(
    "got_ocr2",
    marks=("<img>", "</img>", "<imgpad>"),
    config=lambda ids: {
        "text_config": {**TEXT, "model_type": "qwen2"},
        "vision_config": {
            "hidden_size": 32, "output_channels": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
            "image_size": 1024, "patch_size": 16, "window_size": 8, "global_attn_indexes": [], "mlp_dim": 32,
        },
        "image_token_index": ids["<imgpad>"],
        "image_seq_length": 256,
        "tie_word_embeddings": False,
    },
    images={"image_processor_type": "GotOcr2ImageProcessor", "size": {"height": 1024, "width": 1024}},
    processor={"processor_class": "GotOcr2Processor"},
    image_tokens=256,
    image_mark="<imgpad>",
    inputs=frozenset({"pixel_values"}),
)  # fmt: skip
