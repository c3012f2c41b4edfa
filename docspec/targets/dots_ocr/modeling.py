"""dots.ocr: transformers' Qwen2 decoder with the features of the vision tower in the place of image tokens.

The published remote code stops working with transformers 5 (`generate` no longer passes `cache_position`,
on which it decides when to send the pixels). This class takes the same weights under the same names and
leaves positions, masks and caches to the library's decoder, which other code may also call directly as
`model.model`.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers.cache_utils import Cache
from transformers.generation import GenerationMixin
from transformers.modeling_outputs import BaseModelOutputWithPast, CausalLMOutputWithPast
from transformers.modeling_utils import slice_logits_to_keep
from transformers.models.qwen2.modeling_qwen2 import Qwen2Model, Qwen2PreTrainedModel
from transformers.utils.generic import can_return_tuple

from docspec.targets.dots_ocr.configuration import DotsOCRConfig
from docspec.targets.dots_ocr.vision import DotsVisionTower


class DotsOCRForCausalLM(Qwen2PreTrainedModel, GenerationMixin):
    """`model` (Qwen2Model), `lm_head` and `vision_tower`, named as in the published checkpoint.

    Text positions are plain one-dimensional rope positions; an image token is a token like any other.
    """

    config_class = DotsOCRConfig
    input_modalities = ("image", "text")
    _no_split_modules = ("Qwen2DecoderLayer", "VisionBlock")
    _tied_weights_keys = {"lm_head.weight": "model.embed_tokens.weight"}  # noqa: RUF012 (read by transformers)

    def __init__(self, config: DotsOCRConfig) -> None:
        super().__init__(config)
        self.model = Qwen2Model(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.vision_tower = DotsVisionTower(config.vision_config)
        self.post_init()

    def get_image_features(self, pixel_values: Tensor, image_grid_thw: Tensor) -> Tensor:
        """Features `(image tokens, hidden_size)` of all images in order; see `DotsVisionTower.forward`."""
        return self.vision_tower(pixel_values, image_grid_thw)

    def embed(self, input_ids: Tensor, pixel_values: Tensor | None, image_grid_thw: Tensor | None) -> Tensor:
        """Input embeddings `(rows, length, hidden_size)`, image tokens replaced by the images' features.

        Raises `ValueError` when pixels come without a grid, or when the number of image tokens is not that of
        the features: a silent truncation would put later images in the wrong place.
        """
        embeds = self.get_input_embeddings()(input_ids)
        if pixel_values is None:
            return embeds
        if image_grid_thw is None:
            raise ValueError("pixel_values need image_grid_thw")
        features = self.get_image_features(pixel_values, image_grid_thw).to(embeds.device, embeds.dtype)
        indices = input_ids == self.config.image_token_id
        if (tokens := int(indices.sum())) != features.shape[0]:
            raise ValueError(f"the prompt holds {tokens} image tokens, the images give {features.shape[0]} features")
        return embeds.masked_scatter(indices[..., None].expand_as(embeds), features)

    @can_return_tuple
    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        past_key_values: Cache | None = None,
        inputs_embeds: Tensor | None = None,
        pixel_values: Tensor | None = None,
        image_grid_thw: Tensor | None = None,
        use_cache: bool | None = None,
        logits_to_keep: int | Tensor = 0,
        **kwargs: Any,
    ) -> CausalLMOutputWithPast:
        """Logits `(rows, kept, vocab)` for `input_ids` `(rows, length)` or `inputs_embeds`.

        The mask is handed to the decoder as it is: None is plain causal attention, `(rows, length)` marks
        padding, four dimensions are used untouched. `logits_to_keep` = n projects the last n positions only
        (0: all). Raises `ValueError` for inputs that contradict each other; see `embed`.
        """
        if (input_ids is None) == (inputs_embeds is None):
            raise ValueError("give either input_ids or inputs_embeds")
        if inputs_embeds is None:
            inputs_embeds = self.embed(input_ids, pixel_values, image_grid_thw)
        elif pixel_values is not None:
            raise ValueError("pixel_values need input_ids: only those tell where the image tokens are")
        outputs: BaseModelOutputWithPast = self.model(
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
            hidden_states=outputs.hidden_states,
            attentions=outputs.attentions,
        )

    def _expand_inputs_for_generation(
        self, expand_size: int = 1, input_ids: Tensor | None = None, **kwargs: Any
    ) -> tuple[Tensor, dict[str, Any]]:
        # The library would repeat single patches, and the pictures would be scrambled without a word.
        if expand_size > 1 and isinstance(kwargs.get("pixel_values"), torch.Tensor):
            raise ValueError("dots.ocr with an image generates one sequence per row (no beams, no return sequences)")
        return super()._expand_inputs_for_generation(expand_size=expand_size, input_ids=input_ids, **kwargs)
