"""The configuration of dots.ocr, read from the published `config.json`.

The decoder's keys stand at the top level (a Qwen2 configuration), the vision tower's under `vision_config`.
The defaults are the values of `rednote-hilab/dots.ocr`; `auto_map`, which would fetch remote code, is
dropped.
"""

from __future__ import annotations

from typing import Any

from transformers.configuration_utils import PreTrainedConfig
from transformers.models.qwen2.configuration_qwen2 import Qwen2Config


class DotsVisionConfig(PreTrainedConfig):
    """The vision tower ("DotsViT"): published names and values of `vision_config`.

    `embed_dim` is the width of the tower, `hidden_size` the width that its merger writes for the decoder.
    Raises `ValueError` for a causal tower or one whose heads cannot hold a rotary embedding over two axes.
    """

    model_type = "dots_vit"
    base_config_key = "vision_config"

    embed_dim: int = 1536
    hidden_size: int = 1536
    intermediate_size: int = 4224
    num_hidden_layers: int = 42
    num_attention_heads: int = 12
    num_channels: int = 3
    patch_size: int = 14
    spatial_merge_size: int = 2
    temporal_patch_size: int = 1
    rms_norm_eps: float = 1e-5
    use_bias: bool = False
    post_norm: bool = True
    is_causal: bool = False
    initializer_range: float = 0.02

    def __post_init__(self, **kwargs: Any) -> None:
        # Published as "flash_attention_2", a word to the remote code; here the loader's argument decides.
        kwargs.pop("attn_implementation", None)
        if self.is_causal:
            raise ValueError("a causal dots.ocr vision tower (vision_config.is_causal) is not supported")
        if self.embed_dim % (4 * self.num_attention_heads):
            raise ValueError(
                f"vision_config: embed_dim {self.embed_dim} does not give {self.num_attention_heads} heads "
                "a width divisible by four"
            )
        super().__post_init__(**kwargs)


class DotsOCRConfig(Qwen2Config):
    """The whole model: Qwen2 keys plus `image_token_id`, `video_token_id` and `vision_config`.

    Raises `ValueError` when the merger's output width differs from the decoder's.
    """

    model_type = "dots_ocr"
    sub_configs_defaults = {"vision_config": DotsVisionConfig}  # noqa: RUF012 (transformers' own spelling)
    default_theta = 1_000_000.0

    vocab_size: int = 151_936
    hidden_size: int = 1536
    intermediate_size: int = 8960
    num_hidden_layers: int = 28
    num_attention_heads: int = 12
    num_key_value_heads: int | None = 2
    max_position_embeddings: int = 131_072
    max_window_layers: int = 28
    image_token_id: int = 151_665
    video_token_id: int = 151_656
    vision_config: Any = None
    """A mapping or None (the published tower) going in, a `DotsVisionConfig` once built."""

    def __post_init__(self, **kwargs: Any) -> None:
        kwargs.pop("auto_map", None)
        super().__post_init__(**kwargs)
        if self.vision_config.hidden_size != self.hidden_size:
            raise ValueError(
                f"vision_config.hidden_size {self.vision_config.hidden_size} is not the decoder's "
                f"hidden_size {self.hidden_size}"
            )
