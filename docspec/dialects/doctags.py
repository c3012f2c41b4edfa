"""The doctags dialect: Granite-Docling's and SmolDocling's, one element after the other, each with its place.

``<text><loc_10><loc_20><loc_480><loc_40>words</text>``: four numbers from 0 to 500, left, top, right and bottom over
the page's width and height. Tables are OTSL with marked heads, formulas LaTeX (docling-core's tokens; the
prompts are those of the model card of ibm-granite/granite-docling-258M).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, repeat

from docspec.core import Block, Category, PageDraft, Region
from docspec.dialects import tables
from docspec.dialects.box_grammar import BoxGrammar, BoxSpelling
from docspec.dialects.box_numbers import normalised_box
from docspec.dialects.dialect import Prompted
from docspec.dialects.doctags_reading import SCALE, read_doctags
from docspec.dialects.markdown_blocks import join_blocks, parse_blocks
from docspec.dialects.otsl import to_otsl
from docspec.dialects.spelling import interleaved, paragraph, unique
from docspec.dialects.text import clean, join_lines, split_items, split_marker, strip_heading

PAGE_PROMPT = "Convert this page to docling."
_CROP_PROMPTS = {
    Category.TABLE: "Convert table to OTSL.",
    Category.FORMULA: "Convert formula to LaTeX.",
    Category.TEXT: PAGE_PROMPT,
}
_TAGS = {
    Category.CAPTION: "caption",
    Category.FOOTNOTE: "footnote",
    Category.FORMULA: "formula",
    Category.LIST_ITEM: "list_item",
    Category.PAGE_FOOTER: "page_footer",
    Category.PAGE_HEADER: "page_header",
    Category.PICTURE: "picture",
    Category.SECTION_HEADER: "section_header_level_1",
    Category.TABLE: "otsl",
    Category.TEXT: "text",
    Category.TITLE: "title",
}
_BOXES = BoxSpelling(
    re.compile("<(" + "|".join(_TAGS.values()) + ")>"),
    tuple(f"{before}<{tag}>" for tag in _TAGS.values() for before in ("\n", "<unordered_list>")),
    "<loc_",
    ">",
    ">",
)
_SPELLINGS = 3


class DocTagsDialect(Prompted):
    """A target that answers in DocTags."""

    name = "doctags"
    for_pages = PAGE_PROMPT
    for_crops = _CROP_PROMPTS

    def region_drafts(self, region: Region) -> list[str]:
        """The contents of the region's element, and then that element without its place."""
        texts = _contents(region.category, region.texts)
        tag = _TAGS[region.category]
        return unique([*texts, *(f"<{tag}>{text}</{tag}>" for text in texts[:1])])

    def page_drafts(
        self, draft: PageDraft, width: int, height: int, region_outputs: Sequence[str] | None = None
    ) -> list[str]:
        """The whole answer, other spellings of single elements, the drafter's page texts."""
        outputs = chain(map(self.parse_crop, region_outputs or ()), repeat(""))
        lines: list[str] = []
        others: list[str] = []
        in_list = False
        for region, output in zip(draft.regions, outputs, strict=False):
            texts = _contents(region.category, (output, *region.texts) if output else region.texts)
            is_item = region.category is Category.LIST_ITEM
            if in_list and not is_item:
                lines.append("</unordered_list>")
            opening = "<unordered_list>" if is_item and not in_list else ""
            lines.append(opening + _element(region, next(iter(texts), ""), width, height))
            others += [f"{text}</{_TAGS[region.category]}>\n<" for text in texts[1:]]
            in_list = is_item
        if in_list:
            lines.append("</unordered_list>")
        page = "<doctag>" + "\n".join([*lines, "</doctag>"]) if lines else ""
        return unique([page, *others, *draft.page_texts])

    def grammar(
        self, draft: PageDraft, width: int, height: int, region_outputs: Sequence[str] | None = None
    ) -> BoxGrammar | None:
        pieces = [
            (_TAGS[region.category], normalised_box(region.bbox, width, height, SCALE)) for region in draft.regions
        ]
        return BoxGrammar(pieces, _BOXES) if pieces else None

    def parse_crop(self, text: str) -> str:
        blocks = read_doctags(text, 1, 1)
        return join_blocks((block.category, block.text) for block in blocks) if blocks else text

    def parse(self, text: str, width: int, height: int) -> tuple[Block, ...]:
        """The elements of ``text`` as blocks; an answer without a single one is read as Markdown."""
        return read_doctags(text, width, height) or parse_blocks(text)


def _element(region: Region, text: str, width: int, height: int) -> str:
    tag = _TAGS[region.category]
    return f"<{tag}>{_BOXES.box(normalised_box(region.bbox, width, height, SCALE))}{text}</{tag}>"


def _contents(category: Category, readings: Sequence[str]) -> list[str]:
    """Texts that may stand in an element, the likeliest spelling of each reading first."""
    return interleaved(_spelled(category, clean(reading))[:_SPELLINGS] for reading in readings)


def _spelled(category: Category, text: str) -> list[str]:
    if category is Category.PICTURE or not text:
        return []
    if category is Category.TABLE and (table := tables.parse_table(text)) is not None:
        return unique([to_otsl(table, heads=True), to_otsl(table)])
    if category.is_heading:
        return [join_lines(strip_heading(text)).replace("\n\n", " ")]
    if category is Category.LIST_ITEM:
        items = [join_lines(item) for item in split_items(text)]
        return unique([" ".join(items), " ".join(split_marker(item)[1] for item in items)])
    return paragraph(text)
