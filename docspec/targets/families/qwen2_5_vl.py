"""Qwen2.5-VL and readers made of it. Prompts: olmOCR 2's is ``build_no_anchoring_v4_yaml_prompt`` of allenai/olmocr,
written before the image; Nanonets-OCR2's is that of its model card."""

from docspec.targets.family import Checkpoint, Family, PublishedSight
from docspec.targets.model_profile import ModelProfile

OLMOCR = (
    "Attached is one page of a document that you must process. Just return the plain text representation of this "
    "document as if you were reading it naturally. Convert equations to LateX and tables to HTML.\n"
    "If there are any figures or charts, label them with the following markdown syntax "
    "![Alt text describing the contents of the figure](page_startx_starty_width_height.png)\n"
    "Return your output as markdown, with a front matter section on top specifying values for the primary_language, "
    "is_rotation_valid, rotation_correction, is_table, and is_diagram parameters.{image}"
)
NANONETS = (
    "Extract the text from the above document as if you were reading it naturally. Return the tables in html format. "
    "Return the equations in LaTeX representation. If there is an image in the document and image caption is not "
    "present, add a small description of the image inside the <img></img> tag; otherwise, add the image caption inside "
    "<img></img>. Watermarks should be wrapped in brackets. Ex: <watermark>OFFICIAL COPY</watermark>. Page numbers "
    "should be wrapped in brackets. Ex: <page_number>14</page_number> or <page_number>9/22</page_number>. Prefer using "
    "☐ and ☑ for check boxes."
)

FAMILY = Family(
    model_types=("qwen2_5_vl",),
    architecture="Qwen2_5_VLForConditionalGeneration",
    card=ModelProfile("markdown"),
    checkpoints=(
        Checkpoint(
            "allenai/olmOCR-2-7B-1025",
            8.3,
            "Apache-2.0",
            stem="olmocr-2",
            card=ModelProfile("markdown", prompt=OLMOCR, crop_prompt=OLMOCR, longest_px=1288),
        ),
        Checkpoint(
            "nanonets/Nanonets-OCR2-3B",
            3.8,
            "unknown",
            stem="nanonets-ocr",
            card=ModelProfile("markdown", prompt=NANONETS, crop_prompt=NANONETS, max_new_tokens=15_000),
        ),
        Checkpoint("Qwen/Qwen2.5-VL-3B-Instruct", 3.8, "Qwen Research"),
        Checkpoint("Qwen/Qwen2.5-VL-7B-Instruct", 8.3, "Apache-2.0"),
    ),
    sight=PublishedSight(28, 3_136, 12_845_056),
)
