"""DeepSeek-OCR 2 in transformers' format: a mixture of experts that writes Markdown with boxes. Prompts are those of
deepseek-ai/DeepSeek-OCR-2's README."""

from docspec.targets.family import Checkpoint, Family
from docspec.targets.model_profile import ModelProfile

TEMPLATE = (
    "{% for part in messages[0].content %}{% if part.type == 'image' %}<image>{{ '\\n' }}"
    "{% else %}{{ part.text }}{% endif %}{% endfor %}"
)

FAMILY = Family(
    model_types=("deepseek_ocr2",),
    architecture="DeepseekOcr2ForConditionalGeneration",
    card=ModelProfile("grounded"),  # the dialect's prompts are the published ones
    checkpoints=(Checkpoint("deepseek-community/DeepSeek-OCR-2", 3.4, "Apache-2.0"),),
    template=TEMPLATE,
    factor=16,
    note="deepseek-ai/DeepSeek-OCR-2 holds the same weights with a configuration of its remote code (deepseek_vl_v2), "
    "which is not read",
)
