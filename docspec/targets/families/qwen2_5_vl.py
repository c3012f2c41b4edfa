from docspec.targets.card import TargetCard
from docspec.targets.family import Family

FAMILY = Family(
    model_types=("qwen2_5_vl",),
    architecture="Qwen2_5_VLForConditionalGeneration",
    card=TargetCard("markdown"),
)
