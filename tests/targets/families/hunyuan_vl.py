"""HunyuanOCR: four rope axes; each row of patches ends with a mark and the image begins and ends with one."""

from .checkpoint import CHAT, TEXT, Case

CASE = Case(
    "hunyuan_vl",
    marks=("<im_start>", "<im_end>", "<im_patch>", "<im_newline>"),
    config=lambda ids: {  # as published: the text's settings stand at the top
        **TEXT,
        "rope_scaling": {"type": "xdrope", "alpha": 1000.0, "factor": 1.0, "xdrope_section": [1, 1, 1, 1]},
        "rope_theta": 10000.0,
        "attention_head_dim": 8,
        "head_dim": 8,
        "eod_token_id": 1,
        "vision_config": {
            "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2,
            "patch_size": 8, "spatial_merge_size": 2, "max_image_size": 128, "out_hidden_size": 32,
        },
        "image_token_id": ids["<im_patch>"],
        "im_start_id": ids["<im_start>"],
        "im_end_id": ids["<im_end>"],
        "im_newline_id": ids["<im_newline>"],
        "tie_word_embeddings": False,
    },
    images={
        "image_processor_type": "HunYuanVLImageProcessor", "patch_size": 8, "merge_size": 2,
        "temporal_patch_size": 1, "size": {"shortest_edge": 1024, "longest_edge": 65536},
    },
    image_tokens=(10 + 1) * 6 + 2,
    image_mark="<im_patch>",
    names={"image_token": "<im_patch>", "image_start_token": "<im_start>", "image_end_token": "<im_end>"},
    template=CHAT.replace("IMAGE", "<im_start><im_patch><im_end>"),
)  # fmt: skip
