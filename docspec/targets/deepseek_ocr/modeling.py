"""DeepSeek-OCR as transformers' class of Unlimited-OCR, which has the same towers, tiles and decoder.

The published code needs an older transformers and runs from the hub. This class takes the same weights, under names
that are turned while they are loaded.
"""

from __future__ import annotations

from transformers import UnlimitedOcrForConditionalGeneration
from transformers.conversion_mapping import get_checkpoint_conversion_mapping, register_checkpoint_conversion_mapping

from docspec.targets.deepseek_ocr.configuration import DeepseekOcrConfig


class DeepseekOcrForCausalLM(UnlimitedOcrForConditionalGeneration):
    """Unlimited-OCR's parts with the published configuration of DeepSeek-OCR."""

    config_class = DeepseekOcrConfig

    @classmethod
    def _can_set_experts_implementation(cls) -> bool:
        """transformers looks for its decorator in the file of this class, where it is not: the decoder's has it.
        Without this it takes the loop over experts, which waits for the device at each of them."""
        return True


# By the class's name: the type in published files is that of other models, too.
register_checkpoint_conversion_mapping(
    DeepseekOcrForCausalLM.__name__, get_checkpoint_conversion_mapping(DeepseekOcrConfig.model_type), overwrite=True
)
