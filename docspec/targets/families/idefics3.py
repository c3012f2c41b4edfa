"""Granite-Docling 258M and SmolDocling: whole pages in DocTags; prompts are those of their model cards."""

from docspec.targets.family import Checkpoint, Family
from docspec.targets.model_profile import ModelProfile

PAGE = "Convert this page to docling."
SMOL = {
    "text": PAGE,
    "table": "Convert this table to OTSL.",
    "formula": "Convert formula to latex.",
    "chart": "Convert chart to OTSL.",
}
GRANITE = {
    "text": PAGE,
    "table": "Convert table to OTSL.",
    "formula": "Convert formula to LaTeX.",
    "chart": "Convert chart to table.",
}

FAMILY = Family(
    model_types=("idefics3",),
    architecture="Idefics3ForConditionalGeneration",
    card=ModelProfile("doctags", prompt=PAGE, region_prompts=GRANITE),
    checkpoints=(
        Checkpoint("ibm-granite/granite-docling-258M", 0.26, "Apache-2.0"),
        Checkpoint(
            "docling-project/SmolDocling-256M-preview",
            0.26,
            "CDLA-Permissive-2.0",
            stem="smoldocling",
            card=ModelProfile("doctags", prompt=PAGE, region_prompts=SMOL),
        ),
    ),
    factor=32,
)
