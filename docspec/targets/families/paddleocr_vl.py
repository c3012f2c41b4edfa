from docspec.targets.card import TargetCard
from docspec.targets.family import Family

FAMILY = Family(
    model_types=("paddleocr_vl",),
    architecture="PaddleOCRVLForConditionalGeneration",
    card=TargetCard("markdown"),
)
