from docspec.targets.card import TargetCard
from docspec.targets.family import Family

FAMILY = Family(
    model_types=("lighton_ocr",),
    architecture="LightOnOcrForConditionalGeneration",
    card=TargetCard("markdown"),
    factor=28,
)
