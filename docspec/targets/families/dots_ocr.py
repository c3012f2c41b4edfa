"""dots.ocr: layout, categories and text of a page as one JSON list. transformers has no class of it, so the model is
docspec's own (:mod:`docspec.targets.dots_ocr`)."""

from docspec.targets.card import TargetCard
from docspec.targets.family import Checkpoint, Family

FAMILY = Family(
    model_types=("dots_ocr",),
    architecture="docspec.targets.dots_ocr.modeling:DotsOCRForCausalLM",
    processor="docspec.targets.dots_ocr.processing:DotsOCRProcessing",
    card=TargetCard("layout-json", max_new_tokens=24000, image_dpi=200.0),
    checkpoints=(Checkpoint("rednote-hilab/dots.ocr", 3.0, "MIT"),),
    end_tokens=("<|endoftext|>", "<|endofassistant|>"),
)
