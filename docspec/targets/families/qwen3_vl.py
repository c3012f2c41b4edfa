"""Qwen3-VL: general models that read pages well. Positions have three axes; images feed several decoder layers, which
only the prompt sees. Chandra is made of it (datalab-to/chandra, ``chandra/model/hf.py``); Chandra 2 is
of Qwen3.5."""

from docspec.targets.family import Checkpoint, Family, PublishedSight
from docspec.targets.model_profile import ModelProfile

FAMILY = Family(
    model_types=("qwen3_vl",),
    architecture="Qwen3VLForConditionalGeneration",
    card=ModelProfile("markdown"),  # no prompt for documents is published: the dialect's own asks
    checkpoints=(
        Checkpoint("Qwen/Qwen3-VL-2B-Instruct", 2.1, "Apache-2.0"),
        Checkpoint("Qwen/Qwen3-VL-4B-Instruct", 4.4, "Apache-2.0"),
        Checkpoint("Qwen/Qwen3-VL-8B-Instruct", 8.8, "Apache-2.0"),
        Checkpoint("datalab-to/chandra", 8.8, "OpenRAIL-M", card=ModelProfile("layout-html", max_new_tokens=12_384)),
    ),
    sight=PublishedSight(32, 65_536, 16_777_216),
)
