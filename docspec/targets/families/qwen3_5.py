"""Qwen3.5 and readers made of it: three of four layers keep a recurrent state (gated delta), every fourth attends.
Positions have three axes."""

from docspec.targets.card import TargetCard
from docspec.targets.family import Checkpoint, Family

FAMILY = Family(
    model_types=("qwen3_5",),
    architecture="Qwen3_5ForConditionalGeneration",
    card=TargetCard("markdown"),  # no prompt for documents is published: the dialect's own asks
    checkpoints=(),
)
