"""Idefics3 (Granite-Docling 258M, SmolDocling): tiles of the page and a small view of the whole."""

from .checkpoint import CHAT, TEXT, TILES, Case

CASE = Case(
    "idefics3",
    marks=("<fake_token_around_image>", "<image>", "<global-img>", "<end_of_utterance>", *TILES),
    config=lambda ids: {
        "text_config": {**TEXT, "model_type": "llama", "pad_token_id": 2, "use_cache": False},
        "vision_config": {
            "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2,
            "image_size": 32, "patch_size": 4,
        },
        "scale_factor": 4,
        "image_token_id": ids["<image>"],
        "pad_token_id": 2,
        "tie_word_embeddings": False,
    },
    images={
        "image_processor_type": "Idefics3ImageProcessor", "size": {"longest_edge": 64},
        "max_image_size": {"longest_edge": 32}, "do_image_splitting": True,
    },
    processor={"image_seq_len": 4, "processor_class": "Idefics3Processor"},
    image_tokens=(2 * 2 + 1) * 4,
    image_mark="<image>",
    template=CHAT.replace("IMAGE", "<image>"),
    inputs=frozenset({"pixel_values", "pixel_attention_mask"}),
)  # fmt: skip
