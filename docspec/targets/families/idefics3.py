from docspec.targets.card import TargetCard
from docspec.targets.family import Family

FAMILY = Family(
    model_types=("idefics3",),
    architecture="Idefics3ForConditionalGeneration",
    card=TargetCard("markdown"),
    factor=32,
)
