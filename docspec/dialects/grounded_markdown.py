"""The grounded dialect of LightOnOCR-3: the kind and place of each piece in the spelling of a picture of Markdown.

``![title](113,608,263,623) ## 2.2 Results`` and on the next line the next piece; the text behind a mark, which may have
many lines, is Markdown with HTML tables and LaTeX. ``![text+](...)`` continues the piece before it. Numbers run from
0 to 1000 over the page's width and height, and the prompt is one word (lightonai/LightOnOCR, README and
``lightonocr/grounding.py``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from docspec.core import Category
from docspec.dialects.box_grammar import BoxSpelling
from docspec.dialects.grounded import GroundedDialect


class MarkdownGroundedDialect(GroundedDialect):
    """A target that writes each piece behind its kind and box, in Markdown. Crops are asked for without boxes."""

    name = "grounded-markdown"
    for_pages = "grounding"
    for_crops = ""
    scale = 1000
    piece = re.compile(r"!\[(?P<label>[A-Za-z_][\w-]*\+?)\]\(\s*(?P<box>\d+\s*,\s*\d+\s*,\s*\d+\s*,\s*\d+)\s*\)")
    boxes = BoxSpelling(re.compile(r"!\[([\w+-]+)\]\("), ("](",), "", ",", ")", "![{}](")
    labels: ClassVar[Mapping[Category, str]] = {
        **GroundedDialect.labels,
        Category.CAPTION: "caption",
        Category.FOOTNOTE: "footnote",
        Category.FORMULA: "formula",
        Category.LIST_ITEM: "list",
        Category.PAGE_FOOTER: "footer",
        Category.PAGE_HEADER: "header",
        Category.SECTION_HEADER: "section",
    }
    categories: ClassVar[Mapping[str, Category]] = {
        **GroundedDialect.categories,
        "section": Category.SECTION_HEADER,
        "list": Category.LIST_ITEM,
    }
    between, behind = "\n", " "
