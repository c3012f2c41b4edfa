"""Granite for Docling (500M, 2B): Granite's decoder, which scales its logits after the head."""

from docspec.targets.families.idefics3 import GRANITE, PAGE
from docspec.targets.family import Checkpoint, Family
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("granite_docling",),
    architecture="GraniteDoclingForConditionalGeneration",
    card=ModelProfile("doctags", prompt=PAGE, region_prompts=GRANITE),
    checkpoints=(Checkpoint("ibm-granite/granite-for-docling-500m", 0.5, "unknown"),),
    logits=lambda logits, text: logits / text.logits_scaling,
    factor=32,
    note="its published prompts could not be looked up: those of Granite-Docling 258M are used",
)
