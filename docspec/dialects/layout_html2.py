"""The layout-html-2 dialect: Chandra 2's. As Chandra's, but numbers run from 0 to 1000, there are more kinds of block,
diagrams are Mermaid, charts are tables, and chemistry is SMILES between ``<chem>`` tags.

The prompt is that of datalab-to/chandra for chandra-ocr-2 (``chandra/prompts.py``), read in two programs that carry it
word for word.
"""

from __future__ import annotations

from docspec.dialects.layout_html import LayoutHtmlDialect

SCALE = 1000

_RULES = """\
Only use these tags ['math', 'br', 'i', 'b', 'u', 'del', 'sup', 'sub', 'table', 'tr', 'td', 'p', 'th', 'div', 'pre', \
'h1', 'h2', 'h3', 'h4', 'h5', 'ul', 'ol', 'li', 'input', 'a', 'span', 'img', 'hr', 'tbody', 'small', 'caption', \
'strong', 'thead', 'big', 'code', 'chem'], and these attributes ['class', 'colspan', 'rowspan', 'display', 'checked', \
'type', 'border', 'value', 'style', 'href', 'alt', 'align', 'data-bbox', 'data-label'].

Guidelines:
* Inline math: Surround math with <math>...</math> tags. Math expressions should be rendered in KaTeX-compatible \
LaTeX. Use display for block math.
* Tables: Use colspan and rowspan attributes to match table structure.
* Formatting: Maintain consistent formatting with the image, including spacing, indentation, subscripts/superscripts, \
and special characters.
* Images: Include a description of any images in the alt attribute of an <img> tag. Do not fill out the src property. \
Describe in detail inside the div tag. Also convert charts to high fidelity data, and convert diagrams to mermaid.
* Forms: Mark checkboxes and radio buttons properly.
* Text: join lines together properly into paragraphs using <p>...</p> tags.  Use <br> tags for line breaks within \
paragraphs, but only when absolutely necessary to maintain meaning.
* Chemistry: Use <chem>...</chem> tags for chemical formulas with reactive SMILES.
* Lists: Preserve indents and proper list markers.
* Use the simplest possible HTML structure that accurately represents the content of the block.
* Make sure the text is accurate and easy for a human to read and interpret.  Reading order should be correct and \
natural.\
"""
PAGE_PROMPT = f"""\
OCR this image to HTML, arranged as layout blocks.  Each layout block should be a div with the data-bbox attribute \
representing the bounding box of the block in x0 y0 x1 y1 format.  Bboxes are normalized 0-{SCALE}. The data-label \
attribute is the label for the block.

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
- Chemical-Block
- Diagram
- Bibliography
- Blank-Page

{_RULES}"""
CROP_PROMPT = f"OCR this image to HTML.\n\n{_RULES}"


class LayoutHtml2Dialect(LayoutHtmlDialect):
    """A target that answers as Chandra 2 does."""

    name = "layout-html-2"
    for_pages = PAGE_PROMPT
    for_crops = CROP_PROMPT
    scale = SCALE
