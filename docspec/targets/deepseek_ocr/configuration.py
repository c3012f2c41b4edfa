"""The configuration of DeepSeek-OCR, read from the published ``config.json``.

The decoder's settings stand at the top and once more in ``language_config``; those of both towers stand in
``vision_config``, by the names of the models that they come from. The published code has the towers' sizes written into
it; they are the defaults here.
"""

from __future__ import annotations

from typing import Any

from transformers.models.deepseek_ocr2.configuration_deepseek_ocr2 import (
    DeepseekOcr2SamVisionConfig,
    DeepseekOcr2TextConfig,
)

SAM, CLIP = "sam_vit_b", "clip-l-14-224"


class DeepseekOcrVisionConfig(DeepseekOcr2SamVisionConfig):
    """SAM's tower by the names of transformers; ``clip_...`` are those of the tower that looks at what SAM's found."""

    model_type = "deepseek_ocr_vision"
    base_config_key = "vision_config"

    clip_hidden_size: int = 1024
    clip_num_hidden_layers: int = 24
    clip_num_attention_heads: int = 16
    clip_image_size: int = 224
    clip_patch_size: int = 14

    def __post_init__(self, **kwargs: Any) -> None:
        published = kwargs.pop("width", None) or {}
        self.mlp_ratio = 4.0  # both towers' own; the 3.7362 in the published file is used nowhere
        sam, clip = published.get(SAM, {}), published.get(CLIP, {})
        for name, value in (
            ("hidden_size", sam.get("width")),
            ("num_hidden_layers", sam.get("layers")),
            ("num_attention_heads", sam.get("heads")),
            ("global_attn_indexes", sam.get("global_attn_indexes")),
            ("output_channels", sam.get("output_channels")),
            ("downsample_channels", sam.get("downsample_channels", self.downsample_channels or [512, 1024])),
            ("clip_hidden_size", clip.get("width")),
            ("clip_num_hidden_layers", clip.get("layers")),
            ("clip_num_attention_heads", clip.get("heads")),
            ("clip_image_size", clip.get("image_size")),
            ("clip_patch_size", clip.get("patch_size")),
        ):
            if value is not None:
                setattr(self, name, value)
        super().__post_init__(**kwargs)


class DeepseekOcrConfig(DeepseekOcr2TextConfig):
    """The decoder's settings, ``image_token_id`` and ``vision_config``.

    Raises ``ValueError`` for what the published code can do and this cannot: latent attention, experts in other layers
    than all behind the first dense ones, other scores than softmax.
    """

    model_type = "deepseek_ocr"
    sub_configs_defaults = {"vision_config": DeepseekOcrVisionConfig}  # noqa: RUF012 (transformers' own spelling)

    vocab_size: int = 129_280
    hidden_size: int = 1280
    intermediate_size: int = 6848
    num_hidden_layers: int = 12
    num_attention_heads: int = 10
    max_position_embeddings: int = 8192
    moe_intermediate_size: int = 896
    num_experts_per_tok: int | None = 6
    bos_token_id: int | None = 0
    eos_token_id: int | list[int] | None = 1
    mlp_layer_types: list[str] | None = None
    image_token_id: int = 128_815
    vision_config: Any = None
    """A mapping or None (the published towers) going in, a :class:`DeepseekOcrVisionConfig` once built."""

    def __post_init__(self, **kwargs: Any) -> None:
        for name in ("auto_map", "language_config", "projector_config"):
            kwargs.pop(name, None)
        usual = {"use_mla": False, "moe_layer_freq": 1, "scoring_func": "softmax", "norm_topk_prob": False}
        for name, value in usual.items():
            if (said := kwargs.pop(name, value)) != value:
                raise ValueError(f"{name} is {said}; DeepSeek-OCR with {value} alone is supported")
        dense = kwargs.pop("first_k_dense_replace", 1)
        if self.mlp_layer_types is None:
            self.mlp_layer_types = ["dense" if i < dense else "sparse" for i in range(self.num_hidden_layers)]
        super().__post_init__(**kwargs)
