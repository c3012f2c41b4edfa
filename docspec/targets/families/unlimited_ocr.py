"""Unlimited-OCR, of DeepSeek-OCR's line: its layers see all of the prompt, and of the answer the last 128 tokens.
Prompt and what it forbids to repeat are those of baidu/Unlimited-OCR's README, for one page."""

from docspec.targets.family import Checkpoint, Family
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("unlimited_ocr",),
    architecture="UnlimitedOcrForConditionalGeneration",
    processor="docspec.targets.deepseek_ocr:UnlimitedOcrProcessing",
    card=ModelProfile(
        "grounded-inline",  # the dialect's prompt is the published one
        no_repeat_ngrams={"size": 35, "window": 128},
    ),
    checkpoints=(Checkpoint("baidu/Unlimited-OCR", 3.3, "MIT"),),
    end_tokens=("<｜end▁of▁sentence｜>",),
    note="page by page: its way to read many pages in one answer is not taken",
)
