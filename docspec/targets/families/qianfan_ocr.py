"""Qianfan-OCR: InternVL's way with Qwen3's decoder; the prompt is that of its model card (baidu/Qianfan-OCR)."""

from docspec.targets.family import Checkpoint, Family
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("qianfan_ocr",),
    architecture="QianfanOCRForConditionalGeneration",
    card=ModelProfile("markdown", prompt="Parse this document to Markdown."),
    checkpoints=(Checkpoint("baidu/Qianfan-OCR", 4.7, "Apache-2.0"),),
    factor=28,
    note="its prompts for tables, formulas and charts could not be looked up; crops are asked for as in Markdown",
)
