"""The configuration of DeepSeek-OCR, read from the published ``config.json``, in the names of Unlimited-OCR's class.

The decoder's settings stand at the top and once more in ``language_config``; those of both towers stand in
``vision_config``, by the names of the models that they come from. The published code has the towers' sizes written into
it; they are the defaults of transformers' class, too.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from transformers import UnlimitedOcrConfig, UnlimitedOcrTextConfig

SAM, CLIP = "sam_vit_b", "clip-l-14-224"
MLP_RATIO = 4  # both towers' own; the 3.7362 in the published file is used nowhere
NAMES = {"width": "hidden_size", "layers": "num_hidden_layers", "heads": "num_attention_heads"}
USUAL = {"use_mla": False, "moe_layer_freq": 1, "scoring_func": "softmax", "norm_topk_prob": False}


class DeepseekOcrConfig(UnlimitedOcrConfig):
    """The settings of decoder and towers; every layer sees all tokens before it.

    Raises ``ValueError`` for what the published code can do and this cannot: latent attention, experts in other layers
    than all behind the first dense ones, other scores than softmax.
    """

    text_config: Any = None
    vision_config: Any = None
    """Mappings or None (as published) going in, configurations once built."""

    def __post_init__(self, **kwargs: Any) -> None:
        for name, value in USUAL.items():
            if (said := kwargs.pop(name, value)) != value:
                raise ValueError(f"{name} is {said}; DeepSeek-OCR with {value} alone is supported")
        if self.text_config is None:
            known = {each.name for each in fields(UnlimitedOcrTextConfig)} | {"first_k_dense_replace"}
            said = {"max_position_embeddings": 8192, **kwargs.pop("language_config", {}), **kwargs}
            self.text_config = {name: value for name, value in said.items() if name in known}
            self.text_config["layer_types"] = ["full_attention"] * said.get("num_hidden_layers", 12)
            kwargs = {name: value for name, value in kwargs.items() if name not in known}
        if isinstance(self.vision_config, dict) and "width" in self.vision_config:
            towers = self.vision_config["width"]
            self.vision_config = {
                "sam_config": _tower(towers.get(SAM, {}), "mlp_dim"),
                "encoder_config": _tower(towers.get(CLIP, {}), "intermediate_size"),
            }
        super().__post_init__(**kwargs)


def _tower(published: dict[str, Any], inner: str) -> dict[str, Any]:
    """A tower's settings in transformers' names; ``inner`` is that of its inner width."""
    found = {NAMES.get(name, name): value for name, value in published.items()}
    return found | ({inner: MLP_RATIO * found["hidden_size"]} if "hidden_size" in found else {})
