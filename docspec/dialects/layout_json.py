"""The layout-json dialect: dots.ocr's ``prompt_layout_all_en``, a JSON list of boxes, categories and texts.

Boxes inside the JSON are pixels of the image after :func:`docspec.core.page.smart_resize`; everything that
goes in or out of this class is in page-image pixels.

Answers become Markdown as with the published ``layoutjson2md`` and ``OutputCleaner``, with these chosen differences
(forty answers with both results stand in ``tests/dialects/answers.json``):

* Nothing that the model wrote is left out: text outside cells, the last cell of an answer that was cut off, cells with
  quotes that are not escaped, answers that are no layout. The published cleaner drops them. Of cells that are repeated
  in broken JSON only those that also repeat the box go; the published one drops equal texts in five places, and all but
  the first text of a box.
* Headings without marks get them, list items of one list stand together, tables lose blank lines (they would end the
  HTML block), fences around tables and formulas go.
* Formulas that hold ``$`` stay as they are; indices alone are LaTeX, too; a preamble stays.
* Control characters that are LaTeX commands with unescaped backslashes become these commands again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from docspec.core import BBox, Block, Category, PageDraft, Region
from docspec.core.page import DOTS_FACTOR, DOTS_MAX_PIXELS, DOTS_MIN_PIXELS, smart_resize
from docspec.dialects.box_numbers import boxed
from docspec.dialects.dialect import Prompted
from docspec.dialects.layout_cells import LayoutCell, is_layout_beginning, parse_cells, render_cell, render_cells
from docspec.dialects.layout_grammar import LayoutGrammar
from docspec.dialects.markdown_blocks import parse_blocks, unpacked, without_fence
from docspec.dialects.spelling import interleaved, spellings, unique
from docspec.dialects.table_grammar import drafted_tables
from docspec.dialects.text import clean, has_bullet, join_lines

# The wording is an interface of the published weights (rednote-hilab/dots.ocr, dots_ocr/utils/prompts.py):
# not a character may change, the line break at the end included.
PAGE_PROMPT = """\
Please output the layout information from the PDF image, including each layout element's bbox, its category, \
and the corresponding text content within the bbox.

1. Bbox format: [x1, y1, x2, y2]

2. Layout Categories: The possible categories are ['Caption', 'Footnote', 'Formula', 'List-item', \
'Page-footer', 'Page-header', 'Picture', 'Section-header', 'Table', 'Text', 'Title'].

3. Text Extraction & Formatting Rules:
    - Picture: For the 'Picture' category, the text field should be omitted.
    - Formula: Format its text as LaTeX.
    - Table: Format its text as HTML.
    - All Others (Text, Title, etc.): Format their text as Markdown.

4. Constraints:
    - The output text must be the original text from the image, with no translation.
    - All layout elements must be sorted according to human reading order.

5. Final Output: The entire output must be a single JSON object.
"""
CROP_PROMPT = "Extract the text content from this image."
"""``prompt_ocr``, the published instruction for a crop: the answer is the bare text.
(``prompt_grounding_ocr`` reads a box of the whole page image and would cost a page's vision tokens for every
region.)"""

_BULLETS = ("* ", "- ")
_NEXT_CELL = ', {"bbox": ['
_PAGE_SPELLINGS = 3


class LayoutJsonDialect(Prompted):
    """A target that answers in dots.ocr's layout JSON.

    ``factor``, ``min_pixels`` and ``max_pixels`` are those of the image processor: they decide in which
    pixels the target writes its boxes.
    """

    name = "layout-json"
    for_pages = PAGE_PROMPT
    for_crops = CROP_PROMPT

    def __init__(
        self,
        page_prompt: str | None = None,
        crop_prompt: str | Mapping[Category, str] | None = None,
        factor: int = DOTS_FACTOR,
        min_pixels: int = DOTS_MIN_PIXELS,
        max_pixels: int = DOTS_MAX_PIXELS,
    ) -> None:
        super().__init__(page_prompt, crop_prompt)
        self._factor = factor
        self._min_pixels = min_pixels
        self._max_pixels = max_pixels

    def region_drafts(self, region: Region) -> list[str]:
        """Plain texts (a crop is answered without JSON), the likeliest spelling of each reading first."""
        return interleaved(self._spell(region.category, reading) for reading in region.texts)

    def page_drafts(
        self, draft: PageDraft, width: int, height: int, region_outputs: Sequence[str] | None = None
    ) -> list[str]:
        """What Stage 1 wrote, the whole answer in reading order, single cells, other spellings of them.

        All are in the spelling of JSON strings. A single cell goes on with the beginning of the next, because
        there the tokens merge. ``width`` and ``height`` are the page image's, in pixels.
        """
        outputs, cells, others = self._cells(draft, width, height, region_outputs)
        page = [render_cells(cells)] if cells else []
        single = [f" {render_cell(cell)}{_NEXT_CELL}" for cell in cells]
        return unique([*map(_escaped, outputs), *page, *single, *others, *map(_escaped, draft.page_texts)])

    def grammar(
        self, draft: PageDraft, width: int, height: int, region_outputs: Sequence[str] | None = None
    ) -> LayoutGrammar | None:
        """Keys, categories and box digits predicted from the cells of :meth:`page_drafts` (same arguments)."""
        cells = self._cells(draft, width, height, region_outputs)[1]
        return LayoutGrammar(cells, drafted_tables(draft, region_outputs or ())) if cells else None

    def _cells(
        self, draft: PageDraft, width: int, height: int, region_outputs: Sequence[str] | None
    ) -> tuple[list[str], list[LayoutCell], list[str]]:
        """The outputs of Stage 1, one for each region; the drafted cells; fragments of cells in other spellings."""
        outputs = [output.strip("\n") for output in region_outputs or ()]
        outputs += [""] * (len(draft.regions) - len(outputs))
        scale = self._scale(width, height)
        groups = _merged_lists(draft.regions)
        cells: list[LayoutCell] = []
        others: list[str] = []
        for start, end in groups:
            regions = draft.regions[start:end]
            readings = [
                (output, *region.texts) if output else region.texts
                for region, output in zip(regions, outputs[start:end], strict=True)
            ]
            texts = self._cell_texts(regions[0].category, readings)
            box = BBox.union(region.bbox for region in regions).scaled(*scale).rounded()
            picture = regions[0].category is Category.PICTURE
            cells.append(LayoutCell(box, regions[0].category.value, None if picture else next(iter(texts), "")))
            others.extend(_text_fragment(cells[-1].category, text) for text in texts[1:])
            if regions[0].category is Category.LIST_ITEM:
                others.extend(_text_fragment(Category.TEXT.value, text) for text in _as_paragraphs(readings))
        return outputs, cells, others

    def layout_draft(self, regions: Sequence[Region], width: int, height: int) -> str:
        """An answer that gives boxes and categories only, as ``prompt_layout_only_en`` asks for it."""
        scale = self._scale(width, height)
        return render_cells(
            LayoutCell(region.bbox.scaled(*scale).rounded(), region.category.value, None) for region in regions
        )

    def parse_crop(self, text: str) -> str:
        return text

    def parse(self, text: str, width: int, height: int) -> tuple[Block, ...]:
        """The cells of ``text`` as blocks, boxes scaled to the page image and clamped to it.

        An answer without a single cell is read as Markdown, so that no text is lost.
        """
        page = unpacked(text)
        cells = parse_cells(page)
        if not cells:
            return () if is_layout_beginning(page) else parse_blocks(text)
        sx, sy = self._scale(width, height)
        return tuple(_block(cell, 1 / sx, 1 / sy, width, height) for cell in cells)

    def _scale(self, width: int, height: int) -> tuple[float, float]:
        """Pixels of the target's image per page-image pixel, in x and y (1 if the page cannot be fitted)."""
        try:
            rows, columns = smart_resize(height, width, self._factor, self._min_pixels, self._max_pixels)
        except ValueError:
            return 1.0, 1.0
        return columns / width, rows / height

    def _spell(self, category: Category, reading: str) -> list[str]:
        return spellings(category, reading, bullets=_BULLETS, table_style="compact", display_lines=False)

    def _cell_texts(self, category: Category, readings: Sequence[Sequence[str]]) -> list[str]:
        """Texts of one cell from the readings of its regions (several for a merged list), likeliest first."""
        if len(readings) == 1:
            return interleaved(self._spell(category, reading)[:_PAGE_SPELLINGS] for reading in readings[0])
        spelled = [self._spell(category, texts[0]) if texts else [] for texts in readings]
        styles = max(map(len, spelled), default=0)
        return unique("\n".join(item[min(style, len(item) - 1)] for item in spelled if item) for style in range(styles))


def _merged_lists(regions: Sequence[Region]) -> list[tuple[int, int]]:
    """Ranges of regions that share a cell: runs of list items, everything else alone."""
    ranges: list[tuple[int, int]] = []
    for index, region in enumerate(regions):
        is_item = region.category is Category.LIST_ITEM
        if is_item and ranges and regions[index - 1].category is Category.LIST_ITEM:
            ranges[-1] = (ranges[-1][0], index + 1)
        else:
            ranges.append((index, index + 1))
    return ranges


def _as_paragraphs(readings: Sequence[Sequence[str]]) -> list[str]:
    """Items printed without a bullet (references, say): the target may take them for ``Text`` cells."""
    firsts = [clean(texts[0]) for texts in readings if texts]
    return unique(join_lines(text) for text in firsts if not has_bullet(text))


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _text_fragment(category: str, text: str) -> str:
    return f'"category": "{category}", "text": "{_escaped(text)}"}}{_NEXT_CELL}'


def _block(cell: LayoutCell, sx: float, sy: float, width: int, height: int) -> Block:
    text = (cell.text or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    category = Category.from_name(cell.category)
    if category in (Category.TABLE, Category.FORMULA):
        text = without_fence(text)
    if cell.bbox is None:
        return Block(category, text)
    x0, y0, x1, y1 = cell.bbox
    box = BBox(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)).scaled(sx, sy).clamped(width, height)
    return boxed(category, text, box)
