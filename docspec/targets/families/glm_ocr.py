from docspec.targets.card import TargetCard
from docspec.targets.family import Family

FAMILY = Family(
    model_types=("glm_ocr",),
    architecture="GlmOcrForConditionalGeneration",
    card=TargetCard("markdown"),
    processor="Glm46VProcessor",
)
