"""DeepSeek-OCR: transformers' decoder of DeepSeek-OCR 2, a mixture of experts, with the encoder's features in the place
of image tokens.

The published code needs an older transformers and runs from the hub. This class takes the same weights, under names
that are turned while they are loaded, as transformers does it for DeepSeek-OCR 2.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from transformers.cache_utils import Cache
from transformers.conversion_mapping import register_checkpoint_conversion_mapping
from transformers.core_model_loading import Concatenate, MergeModulelist, WeightConverter, WeightRenaming
from transformers.generation import GenerationMixin
from transformers.modeling_outputs import CausalLMOutputWithPast
from transformers.modeling_utils import slice_logits_to_keep
from transformers.models.deepseek_ocr2.modeling_deepseek_ocr2 import (
    DeepseekOcr2TextModel,
    DeepseekOcr2TextPreTrainedModel,
)
from transformers.utils.generic import can_return_tuple

from docspec.targets.deepseek_ocr.configuration import DeepseekOcrConfig
from docspec.targets.deepseek_ocr.vision import DeepEncoder


class DeepseekOcrForCausalLM(DeepseekOcr2TextPreTrainedModel, GenerationMixin):
    """``model`` (the decoder), ``lm_head`` and ``encoder``. Positions are plain ones; an image token is a token like
    any other."""

    config_class = DeepseekOcrConfig
    input_modalities = ("image", "text")
    _no_split_modules = ("DeepseekOcr2TextDecoderLayer", "DeepseekOcr2SamVisionLayer", "ClipLayer")
    _supports_flash_attn = False
    _tied_weights_keys = {"lm_head.weight": "model.embed_tokens.weight"}  # noqa: RUF012 (read by transformers)

    def __init__(self, config: DeepseekOcrConfig) -> None:
        super().__init__(config)
        self.model = DeepseekOcr2TextModel(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.encoder = DeepEncoder(config.vision_config, config.hidden_size)
        self.post_init()

    @classmethod
    def _can_set_experts_implementation(cls) -> bool:
        """transformers looks for its decorator in the file of this class, where it is not: the decoder's has it.
        Without this it takes the loop over experts, which waits for the device at each of them."""
        return True

    @can_return_tuple
    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        past_key_values: Cache | None = None,
        inputs_embeds: Tensor | None = None,
        pixel_values: Tensor | None = None,
        pixel_values_local: Tensor | None = None,
        tile_grid: Tensor | None = None,
        use_cache: bool | None = None,
        logits_to_keep: int | Tensor = 0,
        **kwargs: Any,
    ) -> CausalLMOutputWithPast:
        """Logits ``(rows, kept, vocab)``; pixels and grids as :class:`DeepEncoder` takes them.

        Raises ``ValueError`` where image tokens and features differ in number.
        """
        if inputs_embeds is None:
            inputs_embeds = self.get_input_embeddings()(input_ids)
        if pixel_values is not None:
            features = self.encoder(pixel_values, pixel_values_local, tile_grid).to(inputs_embeds.dtype)
            indices = input_ids == self.config.image_token_id
            if (tokens := int(indices.sum())) != len(features):
                raise ValueError(f"the prompt holds {tokens} image tokens, the images give {len(features)} features")
            inputs_embeds = inputs_embeds.masked_scatter(indices[..., None], features)
        outputs = self.model(
            inputs_embeds=inputs_embeds,
            attention_mask=attention_mask,
            position_ids=position_ids,
            past_key_values=past_key_values,
            use_cache=use_cache,
            **kwargs,
        )
        return CausalLMOutputWithPast(
            logits=self.lm_head(slice_logits_to_keep(outputs.last_hidden_state, logits_to_keep)),
            past_key_values=outputs.past_key_values,
        )


_TOWERS = {
    r"sam_model\.blocks\.(\d+)\.norm1\.": r"sam_model.layers.\1.layer_norm1.",
    r"sam_model\.blocks\.(\d+)\.norm2\.": r"sam_model.layers.\1.layer_norm2.",
    r"sam_model\.blocks\.(\d+)\.attn\.": r"sam_model.layers.\1.attn.",
    r"sam_model\.blocks\.(\d+)\.mlp\.": r"sam_model.layers.\1.mlp.",
    r"sam_model\.patch_embed\.proj\.": "sam_model.patch_embed.projection.",
    r"sam_model\.pos_embed": "sam_model.pos_embed",
    r"sam_model\.neck\.0\.": "sam_model.neck.conv1.",
    r"sam_model\.neck\.1\.": "sam_model.neck.layer_norm1.",
    r"sam_model\.neck\.2\.": "sam_model.neck.conv2.",
    r"sam_model\.neck\.3\.": "sam_model.neck.layer_norm2.",
    r"sam_model\.net_2\.": "sam_model.proj.conv1.",
    r"sam_model\.net_3\.": "sam_model.proj.conv2.",
    r"vision_model\.": "vision_model.",
    r"projector\.": "projector.",
    "image_newline": "image_newline",
    "view_seperator": "view_seperator",
}
"""From the published names, within the decoder, to those within :class:`DeepEncoder`: SAM's as transformers has it."""


def _from_published_names() -> list[WeightRenaming | WeightConverter]:
    """Both towers stand within the published decoder; experts stand one by one."""
    towers = [WeightRenaming(rf"model\.{theirs}", f"encoder.{ours}") for theirs, ours in _TOWERS.items()]
    halves = ["mlp.experts.*.gate_proj.weight", "mlp.experts.*.up_proj.weight"]
    both = [MergeModulelist(dim=0), Concatenate(dim=1)]
    return [
        *towers,
        WeightConverter(halves, "mlp.experts.gate_up_proj", operations=both),
        WeightConverter("mlp.experts.*.down_proj.weight", "mlp.experts.down_proj", operations=[MergeModulelist(dim=0)]),
    ]


# By the class's name: the type in published files is that of other models, too.
register_checkpoint_conversion_mapping(DeepseekOcrForCausalLM.__name__, _from_published_names(), overwrite=True)
