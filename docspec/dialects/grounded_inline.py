"""The grounded dialect of Unlimited-OCR: the kind and place of each piece before it, on one line with it.

``<|det|>title [106, 82, 351, 100]<|/det|>Table 3`` and on the next line the next piece; text and titles are plain,
tables HTML, numbers run from 0 to 999 over the page's width and height (transformers' ``UnlimitedOcrProcessor``, and
answers of users that stand in public repositories).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from docspec.core import Category, Region
from docspec.dialects.box_grammar import BoxSpelling
from docspec.dialects.grounded import GroundedDialect

PROMPT = "{image}document parsing."
HEADING = re.compile(r"^#+ ")


class InlineGroundedDialect(GroundedDialect):
    """A target that writes each piece on a line of its own, behind its kind and box. Crops are asked for in the same
    way, the only one that is published."""

    name = "grounded-inline"
    for_pages = for_crops = PROMPT
    piece = re.compile(r"<\|det\|>(?P<label>[^\s<]+) \[\s*(?P<box>\d+\s*,\s*\d+\s*,\s*\d+\s*,\s*\d+)\s*\]<\|/det\|>")
    boxes = BoxSpelling(re.compile(r"<\|det\|>([^\s<]+) \["), (" [",), "", ", ", "]<|/det|>", "<|det|>{} [")
    labels: ClassVar[Mapping[Category, str]] = {
        **GroundedDialect.labels,
        Category.CAPTION: "image_caption",
        Category.SECTION_HEADER: "title",
    }
    between, behind = "\n", ""

    def region_drafts(self, region: Region) -> list[str]:
        """As Markdown, headings without their marks."""
        return [HEADING.sub("", text) for text in super().region_drafts(region)]
