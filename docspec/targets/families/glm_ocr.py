"""GLM-OCR: reads single regions; prompts are those of zai-org/GLM-OCR (``glmocr/config.yaml``). The layer that predicts
several tokens ahead is published beside the decoder's and not used."""

from docspec.targets.family import Checkpoint, Family, PublishedSight
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("glm_ocr",),
    architecture="GlmOcrForConditionalGeneration",
    processor="Glm46VProcessor",
    card=ModelProfile(
        "markdown",
        prompt=(
            "Recognize the text in the image and output in Markdown format. Preserve the original layout "
            "(headings/paragraphs/tables/formulas). Do not fabricate content that does not exist in the image.\n"
        ),
        region_prompts={"text": "Text Recognition:", "table": "Table Recognition:", "formula": "Formula Recognition:"},
        page_pixels=0,
    ),
    checkpoints=(Checkpoint("zai-org/GLM-OCR", 0.9, "MIT", gguf="ggml-org/GLM-OCR-GGUF"),),
    sight=PublishedSight(28, 12_544, 11_760_000),
)
