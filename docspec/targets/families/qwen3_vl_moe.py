"""Qwen3-VL with a mixture of experts: asked like the dense ones."""

from docspec.targets.family import Checkpoint, Family, PublishedSight
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("qwen3_vl_moe",),
    architecture="Qwen3VLMoeForConditionalGeneration",
    card=ModelProfile("markdown"),
    checkpoints=(Checkpoint("Qwen/Qwen3-VL-30B-A3B-Instruct", 31.0, "Apache-2.0"),),
    sight=PublishedSight(32, 65_536, 16_777_216),
)
