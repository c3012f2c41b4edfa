from docspec.targets.card import TargetCard
from docspec.targets.family import Family

FAMILY = Family(
    model_types=("qwen3_vl_moe",),
    architecture="Qwen3VLMoeForConditionalGeneration",
    card=TargetCard("markdown"),
)
