"""LightOnOCR 1 and 2: shown a page and nothing else (README of lightonai/LightOnOCR). Some of their configurations are
of type ``mistral3``, and only the architecture's name tells them."""

from docspec.targets.family import Checkpoint, Family
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("lighton_ocr",),
    architectures=("LightOnOCRForConditionalGeneration", "LightOnOcrForConditionalGeneration"),
    architecture="LightOnOcrForConditionalGeneration",
    processor="LightOnOcrProcessor",
    card=ModelProfile("markdown", prompt="", crop_prompt=""),
    checkpoints=(
        Checkpoint("lightonai/LightOnOCR-2-1B", 1.0, "Apache-2.0"),
        Checkpoint("lightonai/LightOnOCR-1B-1025", 1.0, "Apache-2.0", gguf="ggml-org/LightOnOCR-1B-1025-GGUF"),
    ),
    factor=28,
    note="its tool samples at a temperature of 0.1 to 0.2; docspec decodes greedily",
)
