"""PaddleOCR-VL, 1.5 and 1.6, whose architecture is that of 1.5 (its model card): they read single regions, asked for by
kind (model card of PaddlePaddle/PaddleOCR-VL); tables are written in OTSL. The prompts of 1.5 and 1.6 for seals and for
boxes of words are not used."""

from docspec.targets.family import Checkpoint, Family, PublishedSight
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("paddleocr_vl",),
    architecture="PaddleOCRVLForConditionalGeneration",
    card=ModelProfile(
        "markdown",
        prompt="OCR:",
        region_prompts={
            "text": "OCR:",
            "table": "Table Recognition:",
            "formula": "Formula Recognition:",
            "chart": "Chart Recognition:",
        },
        table_style="otsl",
        page_pixels=0,
    ),
    checkpoints=(
        Checkpoint("PaddlePaddle/PaddleOCR-VL", 0.9, "Apache-2.0"),
        Checkpoint("PaddlePaddle/PaddleOCR-VL-1.5", 0.9, "Apache-2.0", gguf="PaddlePaddle/PaddleOCR-VL-1.5-GGUF"),
        Checkpoint("PaddlePaddle/PaddleOCR-VL-1.6", 0.9, "Apache-2.0"),
    ),
    end_tokens=("</s>",),
    sight=PublishedSight(28, 147_456, 2_359_296),
)
