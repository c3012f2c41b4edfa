from docspec.targets.card import TargetCard
from docspec.targets.family import Family

FAMILY = Family(
    model_types=("granite_docling",),
    architecture="GraniteDoclingForConditionalGeneration",
    card=TargetCard("markdown"),
    logits=lambda logits, text: logits / text.logits_scaling,
    factor=32,
)
