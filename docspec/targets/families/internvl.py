"""InternVL 3 and 3.5 in transformers' format (``-hf``): general models; square tiles and a small view of the whole."""

from docspec.targets.family import Checkpoint, Family
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("internvl",),
    architecture="InternVLForConditionalGeneration",
    card=ModelProfile("markdown"),  # no prompt for documents is published: the dialect's own asks
    checkpoints=(
        Checkpoint("OpenGVLab/InternVL3-2B-hf", 2.1, "unknown"),
        Checkpoint("OpenGVLab/InternVL3_5-8B-HF", 8.5, "Apache-2.0"),
    ),
    factor=28,
)
