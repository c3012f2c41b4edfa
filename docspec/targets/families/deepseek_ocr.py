"""DeepSeek-OCR, the first: transformers has no class of it, but one of the same parts (Unlimited-OCR's), which
:mod:`docspec.targets.deepseek_ocr` reads its files into. Prompts and what it forbids to repeat are those of
deepseek-ai/DeepSeek-OCR's README. Its ``config.json`` says ``deepseek_vl_v2``, as others do; the architecture's name
tells."""

from docspec.targets.family import Checkpoint, Family
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("deepseek_ocr",),
    architectures=("DeepseekOCRForCausalLM",),
    architecture="docspec.targets.deepseek_ocr:DeepseekOcrForCausalLM",
    processor="docspec.targets.deepseek_ocr:DeepseekOcrProcessing",
    card=ModelProfile(
        "grounded",  # the dialect's prompts are the published ones
        no_repeat_ngrams={"size": 30, "window": 90, "exceptions": [128_821, 128_822]},  # <td> and </td>
    ),
    checkpoints=(Checkpoint("deepseek-ai/DeepSeek-OCR", 3.3, "MIT"),),
    end_tokens=("<｜end▁of▁sentence｜>",),
    note="of its ways to look at a page the one with tiles (Gundam) is taken",
)
