from docspec.targets.card import TargetCard
from docspec.targets.family import Family

FAMILY = Family(
    model_types=("hunyuan_vl",),
    architecture="HunYuanVLForConditionalGeneration",
    card=TargetCard("markdown"),
)
