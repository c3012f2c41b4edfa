"""MiniCPM-OCR: a tower that takes the patches of all views in one row, and the decoder of Qwen3.5. It reads single
regions; prompts are those of OpenBMB's ``ocrcpm`` 0.1 (``default_prompts.py`` in MiniCPM-V-CookBook, deployment/pip),
which leaves charts and pictures out."""

from docspec.targets.family import Checkpoint, Family
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("minicpm_ocr",),
    architecture="MiniCPMOcrForConditionalGeneration",
    processor="docspec.targets.minicpm_processor:MiniCPMOcrProcessing",
    packed=frozenset({"pixel_values"}),
    card=ModelProfile(
        "markdown",
        prompt="Text Recognition:",
        region_prompts={"text": "Text Recognition:", "table": "Table Recognition:", "formula": "Formula Recognition:"},
        page_pixels=0,
    ),
    checkpoints=(Checkpoint("openbmb/MiniCPM-OCR-1.0", 1.3, "unknown", stem="minicpm-ocr"),),
    note=(
        "transformers names the checkpoint; its files were not seen, its size is guessed from a converted file's; its "
        "tool decodes greedily with a repetition penalty where the server has one"
    ),
)
