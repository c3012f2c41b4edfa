"""dots.ocr and dots.mocr: layout, categories and text of a page as one JSON list. transformers has no class of them, so
the model is docspec's own (:mod:`docspec.targets.dots_ocr`)."""

from docspec.core.page import DOTS_FACTOR, DOTS_MAX_PIXELS, DOTS_MIN_PIXELS
from docspec.targets.family import Checkpoint, Family, PublishedSight
from docspec.targets.model_profile import ModelProfile

LAYOUT = (
    "Please output the layout information from this PDF image, including each layout's bbox and its category. The bbox "
    "should be in the format [x1, y1, x2, y2]. The layout categories for the PDF document include ['Caption', "
    "'Footnote', 'Formula', 'List-item', 'Page-footer', 'Page-header', 'Picture', 'Section-header', 'Table', 'Text', "
    "'Title']. Do not output the corresponding text. The layout result should be in JSON format."
)
"""``prompt_layout_only_en`` of dots_ocr/utils/prompts.py; asked for where a page is read by regions."""

FAMILY = Family(
    model_types=("dots_ocr",),
    architecture="docspec.targets.dots_ocr.modeling:DotsOCRForCausalLM",
    processor="docspec.targets.dots_ocr.processing:DotsOCRProcessing",
    card=ModelProfile("layout-json", max_new_tokens=24000, image_dpi=200.0, layout_prompt=LAYOUT),
    checkpoints=(
        Checkpoint(
            "rednote-hilab/dots.ocr", 3.0, "dots.ocr License Agreement, over MIT", gguf="ggml-org/dots.ocr-GGUF"
        ),
        Checkpoint("rednote-hilab/dots.mocr", 3.0, "dots.ocr License Agreement, over MIT"),
    ),
    image_marks="<|img|><|imgpad|><|endofimg|>",  # without them vLLM puts a line break between image and prompt
    end_tokens=("<|endoftext|>", "<|endofassistant|>"),
    note="dots.mocr was dots.ocr-1.5; its repository has the same prompts for documents, its own files were not seen",
    sight=PublishedSight(DOTS_FACTOR, DOTS_MIN_PIXELS, DOTS_MAX_PIXELS),
)
