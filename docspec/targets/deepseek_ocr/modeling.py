"""DeepSeek-OCR as transformers' class of Unlimited-OCR, which has the same towers, tiles and decoder.

The published code needs an older transformers and runs from the hub. This class loads the same weights and renames them
while they are loaded.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from transformers import UnlimitedOcrConfig, UnlimitedOcrForConditionalGeneration, UnlimitedOcrTextConfig
from transformers.conversion_mapping import get_checkpoint_conversion_mapping, register_checkpoint_conversion_mapping

SAM, CLIP = "sam_vit_b", "clip-l-14-224"
MLP_RATIO = 4  # both towers' own; the 3.7362 in the published file is used nowhere
NAMES = {"width": "hidden_size", "layers": "num_hidden_layers", "heads": "num_attention_heads"}
USUAL = {"use_mla": False, "moe_layer_freq": 1, "scoring_func": "softmax", "norm_topk_prob": False}


class DeepseekOcrConfig(UnlimitedOcrConfig):
    """The configuration of decoder and towers; every layer attends to all tokens before.

    Raises ``ValueError`` for settings of the published code that are not supported: latent attention, layers without
    experts other than the first dense ones, scores other than softmax.
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
    """A tower's settings under transformers' names; ``inner`` is the name of its inner width."""
    found = {NAMES.get(name, name): value for name, value in published.items()}
    return found | ({inner: MLP_RATIO * found["hidden_size"]} if "hidden_size" in found else {})


class DeepseekOcrForCausalLM(UnlimitedOcrForConditionalGeneration):
    """Unlimited-OCR's parts with the published configuration of DeepSeek-OCR."""

    config_class = DeepseekOcrConfig

    @classmethod
    def _can_set_experts_implementation(cls) -> bool:
        """transformers looks for its decorator in the file of this class, but the decorator is on the decoder's class.
        Without this override it takes the loop over experts, which waits for the device at each of them."""
        return True


# By the class's name: the type in published files is that of other models, too.
register_checkpoint_conversion_mapping(
    DeepseekOcrForCausalLM.__name__, get_checkpoint_conversion_mapping(DeepseekOcrConfig.model_type), overwrite=True
)
