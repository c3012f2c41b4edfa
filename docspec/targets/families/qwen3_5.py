"""Qwen3.5 and readers made of it: three of four layers keep a recurrent state (gated delta), every fourth attends
(:mod:`docspec.targets.recurrent`). Positions have three axes. Prompts: OvisOCR2's is that of its model card;
LightOnOCR-3 is shown a page of up to 2,048 pixels and nothing else for a transcription (README of lightonai/LightOnOCR
and ``lightonocr/models.py``); Chandra 2's is in its dialect."""

from docspec.targets.family import Checkpoint, Family
from docspec.targets.model_profile import ModelProfile

LIGHTON = ModelProfile("markdown", prompt="", crop_prompt="", longest_px=2048)

OVIS = ModelProfile(
    "markdown",
    prompt=(
        "\nExtract all readable content from the image in natural human reading order and output the result as a "
        "single Markdown document. For charts or images, represent them using an HTML image tag: "
        '<img src="images/bbox_{left}_{top}_{right}_{bottom}.jpg" />, where left, top, right, bottom are bounding box '
        "coordinates scaled to [0, 1000). Format formulas as LaTeX. Format tables as HTML: <table>...</table>. "
        "Transcribe all other text as standard Markdown. Preserve the original text without translation or "
        "paraphrasing."
    ),
    max_new_tokens=16_384,
)

FAMILY = Family(
    model_types=("qwen3_5",),
    architecture="Qwen3_5ForConditionalGeneration",
    template_arguments={"enable_thinking": False},  # as the model card of OvisOCR2 has it
    card=ModelProfile("markdown"),  # no prompt for documents is published: the dialect's own asks
    checkpoints=(
        Checkpoint("ATH-MaaS/OvisOCR2", 0.85, "Apache-2.0", card=OVIS),
        Checkpoint("lightonai/LightOnOCR-3-0.8B", 0.85, "Apache-2.0", stem="lightonocr-3", card=LIGHTON),
        Checkpoint("lightonai/LightOnOCR-3-4B", 4.5, "Apache-2.0", card=LIGHTON),
        Checkpoint(
            "datalab-to/chandra-ocr-2",
            4.5,
            "OpenRAIL-M, modified by Datalab",
            card=ModelProfile("layout-html-2", max_new_tokens=12_384),
        ),
    ),
    note=(
        "LightOnOCR-3's tool samples at a temperature of 0.1 to 0.2; with boxes: --set dialect=grounded-markdown "
        "--set prompt=grounding; pictures in OvisOCR2's answers are not read"
    ),
)
