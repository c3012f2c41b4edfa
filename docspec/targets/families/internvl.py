from docspec.targets.card import TargetCard
from docspec.targets.family import Family

FAMILY = Family(
    model_types=("internvl",),
    architecture="InternVLForConditionalGeneration",
    card=TargetCard("markdown"),
    factor=28,
)
