"""The layout-html dialects: Chandra's and Chandra 2's, a page as one ``<div>`` a block with its place, kind and HTML.

``<div data-bbox="85 466 910 479" data-label="Section-Header"><h2>Results</h2></div>``: left, top, right and bottom from
0 to 1024 over the page's width and height, with Chandra 2 to 1000. The prompts are those of datalab-to/chandra
(``chandra/prompts.py``); that of chandra-ocr-2 was read in two programs that carry it word for word.
Answers that users published have numbers with spaces between them; numbers in brackets are read too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import chain, repeat
from typing import ClassVar

from docspec.core import BBox, Block, Category, PageDraft, Region
from docspec.core.formulas import bare_formula
from docspec.dialects import tables
from docspec.dialects.box_grammar import BoxGrammar, BoxSpelling
from docspec.dialects.box_numbers import normalised_box
from docspec.dialects.dialect import Prompted
from docspec.dialects.html_reading import read_fragment, read_layout
from docspec.dialects.markdown_blocks import join_blocks, parse_blocks
from docspec.dialects.spelling import interleaved, paragraph, unique
from docspec.dialects.text import clean, join_lines, split_items, split_marker, strip_heading

SCALE = 1024
"""Places run from 0 to this over the page's width and height."""

_RULES = """\
Only use these tags ['math', 'br', 'i', 'b', 'u', 'del', 'sup', 'sub', 'table', 'tr', 'td', 'p', 'th', 'div', 'pre', \
'h1', 'h2', 'h3', 'h4', 'h5', 'ul', 'ol', 'li', 'input', 'a', 'span', 'img', 'hr', 'tbody', 'small', 'caption', \
'strong', 'thead', 'big', 'code'], and these attributes ['class', 'colspan', 'rowspan', 'display', 'checked', 'type', \
'border', 'value', 'style', 'href', 'alt', 'align'].

Guidelines:
* Inline math: Surround math with <math>...</math> tags. Math expressions should be rendered in KaTeX-compatible \
LaTeX. Use display for block math.
* Tables: Use colspan and rowspan attributes to match table structure.
* Formatting: Maintain consistent formatting with the image, including spacing, indentation, subscripts/superscripts, \
and special characters.
* Images: Include a description of any images in the alt attribute of an <img> tag. Do not fill out the src property.
* Forms: Mark checkboxes and radio buttons properly.
* Text: join lines together properly into paragraphs using <p>...</p> tags.  Use <br> tags for line breaks within \
paragraphs, but only when absolutely necessary to maintain meaning.
* Use the simplest possible HTML structure that accurately represents the content of the block.
* Make sure the text is accurate and easy for a human to read and interpret.  Reading order should be correct and \
natural.\
"""
PAGE_PROMPT = f"""\
OCR this image to HTML, arranged as layout blocks.  Each layout block should be a div with the data-bbox attribute \
representing the bounding box of the block in [x0, y0, x1, y1] format.  Bboxes are normalized 0-{SCALE}. The \
data-label attribute is the label for the block.

Use the following labels:
- Caption
- Footnote
- Equation-Block
- List-Group
- Page-Header
- Page-Footer
- Image
- Section-Header
- Table
- Text
- Complex-Block
- Code-Block
- Form
- Table-Of-Contents
- Figure
"""
CROP_PROMPT = "OCR this image to HTML."

SCALE_2 = 1000
_RULES_2 = (
    _RULES.replace("'code']", "'code', 'chem']")
    .replace("'align']", "'align', 'data-bbox', 'data-label']")
    .replace(
        "the src property.",
        "the src property. Describe in detail inside the div tag. Also convert charts to high fidelity data, and "
        "convert diagrams to mermaid.",
    )
    .replace(
        "* Use the simplest",
        "* Chemistry: Use <chem>...</chem> tags for chemical formulas with reactive SMILES.\n"
        "* Lists: Preserve indents and proper list markers.\n* Use the simplest",
    )
)
_PAGE_PROMPT_2 = (
    PAGE_PROMPT.replace("[x0, y0, x1, y1]", "x0 y0 x1 y1")
    .replace(f"0-{SCALE}", f"0-{SCALE_2}")
    .replace("- Figure\n", "- Figure\n- Chemical-Block\n- Diagram\n- Bibliography\n- Blank-Page\n")
)

_LABELS = {
    Category.CAPTION: "Caption",
    Category.FOOTNOTE: "Footnote",
    Category.FORMULA: "Equation-Block",
    Category.LIST_ITEM: "List-Group",
    Category.PAGE_FOOTER: "Page-Footer",
    Category.PAGE_HEADER: "Page-Header",
    Category.PICTURE: "Image",
    Category.SECTION_HEADER: "Section-Header",
    Category.TABLE: "Table",
    Category.TEXT: "Text",
    Category.TITLE: "Section-Header",
}
_BOXES = BoxSpelling(re.compile(r'<div (data)-bbox="'), ('<div data-bbox="',), "", " ", '"')
"""The kind stands behind the box, so boxes are told apart by their numbers alone."""

_INLINE_MATH = re.compile(r"(?<![\\$])\$(?!\$)([^$\n]+?)(?<!\\)\$(?!\$)")


class LayoutHtmlDialect(Prompted):
    """A target that answers in HTML with a place for each block."""

    name = "layout-html"
    for_pages = f"{PAGE_PROMPT}\n{_RULES}"
    for_crops = f"{CROP_PROMPT}\n\n{_RULES}"
    scale: ClassVar[int] = SCALE

    def region_drafts(self, region: Region) -> list[str]:
        """The contents of the region's block."""
        return _contents(region.category, region.texts)

    def page_drafts(
        self, draft: PageDraft, width: int, height: int, region_outputs: Sequence[str] | None = None
    ) -> list[str]:
        """The whole answer, other spellings of single blocks, the drafter's page texts. Items that follow each other
        are one list."""
        outputs = chain(region_outputs or (), repeat(""))
        blocks: list[tuple[Category, BBox, str]] = []
        others: list[str] = []
        for region, output in zip(draft.regions, outputs, strict=False):
            texts = _contents(region.category, region.texts)
            best = output or next(iter(texts), "")
            others += [text for text in texts if text != best]
            if blocks and blocks[-1][0] is region.category is Category.LIST_ITEM:
                _, box, before = blocks.pop()
                blocks.append((Category.LIST_ITEM, BBox.union((box, region.bbox)), _one_list(before, best)))
            else:
                blocks.append((region.category, region.bbox, best))
        page = "\n".join(self._block(category, box, text, width, height) for category, box, text in blocks)
        return unique([page, *others, *draft.page_texts])

    def grammar(
        self, draft: PageDraft, width: int, height: int, region_outputs: Sequence[str] | None = None
    ) -> BoxGrammar | None:
        pieces = [("data", normalised_box(region.bbox, width, height, self.scale)) for region in draft.regions]
        return BoxGrammar(pieces, _BOXES) if pieces else None

    def parse_crop(self, text: str) -> str:
        blocks = read_layout(text, 1, 1, self.scale)
        return join_blocks((block.category, block.text) for block in blocks) if blocks else read_fragment(text)

    def parse(self, text: str, width: int, height: int) -> tuple[Block, ...]:
        """The blocks of ``text``; an answer without a single one is read as Markdown made of its HTML."""
        return read_layout(text, width, height, self.scale) or parse_blocks(read_fragment(text))

    def _block(self, category: Category, bbox: BBox, text: str, width: int, height: int) -> str:
        box = _BOXES.box(normalised_box(bbox, width, height, self.scale))
        return f'<div data-bbox="{box} data-label="{_LABELS[category]}">{text}</div>'


class LayoutHtml2Dialect(LayoutHtmlDialect):
    """A target that answers as Chandra 2 does: more kinds of block, diagrams are Mermaid, charts are tables, chemistry
    is SMILES between ``<chem>`` tags."""

    name = "layout-html-2"
    for_pages = f"{_PAGE_PROMPT_2}\n{_RULES_2}"
    for_crops = f"{CROP_PROMPT}\n\n{_RULES_2}"
    scale = SCALE_2


def _one_list(before: str, more: str) -> str:
    return before.removesuffix("</ul>") + more.removeprefix("<ul>")


def _contents(category: Category, readings: Sequence[str]) -> list[str]:
    """Texts that may stand in a block, the likeliest spelling of each reading first."""
    return interleaved(_spelled(category, clean(reading)) for reading in readings)


def _spelled(category: Category, text: str) -> list[str]:
    if category is Category.PICTURE or not text:
        return []
    if category is Category.TABLE and (table := tables.parse_table(text)) is not None:
        return unique([tables.to_html(table), tables.to_html(table, head="none")])
    if category is Category.FORMULA:
        return [f'<math display="block">{html.escape(bare_formula(text), quote=False)}</math>']
    if category.is_heading:
        line = _inline(join_lines(strip_heading(text)).replace("\n\n", " "))
        first, second = ("h1", "h2") if category is Category.TITLE else ("h2", "h1")
        return [f"<{first}>{line}</{first}>", f"<{second}>{line}</{second}>"]
    if category is Category.LIST_ITEM:
        parts = [split_marker(join_lines(item)) for item in split_items(text)]
        kept = [body if marker in "•-*" else f"{marker} {body}" for marker, body in parts]
        return ["<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in kept) + "</ul>"]
    return ["".join(f"<p>{_inline(one)}</p>" for one in text.split("\n\n")) for text in paragraph(text)[:2]]


def _inline(text: str) -> str:
    """Running text as HTML: signs escaped, formulas between ``$`` in tags of their own."""
    return _INLINE_MATH.sub(r"<math>\1</math>", html.escape(text, quote=False))
