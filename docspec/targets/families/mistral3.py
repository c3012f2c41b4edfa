"""Mistral Small 3.1 and 3.2 and Ministral 3: general models; Pixtral's tower, told the size of each image."""

from docspec.targets.family import Checkpoint, Family
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("mistral3",),
    architecture="Mistral3ForConditionalGeneration",
    processor="docspec.targets.own_processor:PixtralProcessor",
    card=ModelProfile("markdown"),  # no prompt for documents is published: the dialect's own asks
    checkpoints=(Checkpoint("mistralai/Mistral-Small-3.1-24B-Instruct-2503", 24.0, "Apache-2.0"),),
    factor=28,
    note="checkpoints with tekken.json alone, without a tokenizer.json, are not read",
)
