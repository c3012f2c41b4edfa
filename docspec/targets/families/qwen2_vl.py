from docspec.targets.card import TargetCard
from docspec.targets.family import Family

FAMILY = Family(
    model_types=("qwen2_vl",),
    architecture="Qwen2VLForConditionalGeneration",
    card=TargetCard("markdown"),
)
