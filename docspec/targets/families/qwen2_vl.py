"""Qwen2-VL, MinerU2.5 and MinerU2.5-Pro, which read regions and differ in their training alone (arXiv 2604.04771):
prompts and what they forbid to repeat are those of opendatalab/mineru-vl-utils (``mineru_client.py``); its penalties of
presence and frequency are not followed, as they are not with its own transformers client."""

from docspec.targets.family import Checkpoint, Family, PublishedSight
from docspec.targets.model_profile import ModelProfile

MINERU = ModelProfile(
    "markdown",
    prompt="\nText Recognition:",
    region_prompts={
        "text": "\nText Recognition:",
        "table": "\nTable Recognition:",
        "formula": "\nFormula Recognition:",
    },
    table_style="otsl",
    page_pixels=0,
    layout_prompt="\nLayout Detection:",
    layout_side=1036,
    no_repeat_ngrams={"size": 100},
)

FAMILY = Family(
    model_types=("qwen2_vl",),
    architecture="Qwen2VLForConditionalGeneration",
    card=ModelProfile("markdown"),
    checkpoints=(
        Checkpoint("opendatalab/MinerU2.5-2509-1.2B", 1.2, "AGPL-3.0", stem="mineru2.5", card=MINERU),
        Checkpoint("opendatalab/MinerU2.5-Pro-2605-1.2B", 1.2, "unknown", stem="mineru2.5-pro", card=MINERU),
        Checkpoint("Qwen/Qwen2-VL-2B-Instruct", 2.2, "Apache-2.0", gguf="ggml-org/Qwen2-VL-2B-Instruct-GGUF"),
        Checkpoint("Qwen/Qwen2-VL-7B-Instruct", 8.3, "Apache-2.0", gguf="ggml-org/Qwen2-VL-7B-Instruct-GGUF"),
    ),
    note="regions that MinerU2.5 sees lying on their side are read as they lie",
    sight=PublishedSight(28, 3_136, 12_845_056),
)
