"""The grounded dialect: DeepSeek-OCR's Markdown with the kind and place of each piece before it.

``<|ref|>sub_title<|/ref|><|det|>[[217, 209, 520, 225]]<|/det|>`` and on the next line the piece itself, in Markdown
with HTML tables and LaTeX between ``\\[ \\]``; numbers run from 0 to 999 over the page's width and height
(deepseek-ai/DeepSeek-OCR, ``run_dpsk_ocr_image.py``; answers of users that stand in public repositories).

Two other readers write the same in other signs.

* Unlimited-OCR (``grounded-inline``): ``<|det|>title [106, 82, 351, 100]<|/det|>Table 3`` and on the next line the next
  piece; text and titles are plain, tables HTML (transformers' ``UnlimitedOcrProcessor``, and answers of users).
* LightOnOCR-3 (``grounded-markdown``): ``![title](113,608,263,623) ## 2.2 Results``, a picture of Markdown; the text
  behind a mark, which may have many lines, is Markdown with HTML tables and LaTeX. ``![text+](...)`` continues the
  piece before it, numbers run to 1000, and the prompt is one word (lightonai/LightOnOCR, README and
  ``lightonocr/grounding.py``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import ClassVar

from docspec.core import Block, Category, PageDraft, Region
from docspec.dialects.box_grammar import BoxGrammar, BoxSpelling
from docspec.dialects.box_numbers import Box, boxed, normalised_box, pixel_box
from docspec.dialects.dialect import Prompted
from docspec.dialects.markdown_blocks import parse_blocks
from docspec.dialects.spelling import interleaved, spellings, unique

SCALE = 999
PAGE_PROMPT = "<|grounding|>Convert the document to markdown."
CROP_PROMPT = "Free OCR."
_LABELS = {
    Category.CAPTION: "figure_title",
    Category.FOOTNOTE: "text",
    Category.FORMULA: "equation",
    Category.LIST_ITEM: "text",
    Category.PAGE_FOOTER: "text",
    Category.PAGE_HEADER: "text",
    Category.PICTURE: "image",
    Category.SECTION_HEADER: "sub_title",
    Category.TABLE: "table",
    Category.TEXT: "text",
    Category.TITLE: "title",
}
_CATEGORIES = {
    "title": Category.TITLE,
    "sub_title": Category.SECTION_HEADER,
    "table": Category.TABLE,
    "equation": Category.FORMULA,
    "formula": Category.FORMULA,
    "chart": Category.PICTURE,
    "image": Category.PICTURE,
    "figure": Category.PICTURE,
    "header": Category.PAGE_HEADER,
    "footer": Category.PAGE_FOOTER,
    "page_number": Category.PAGE_FOOTER,
    "footnote": Category.FOOTNOTE,
    "image_footnote": Category.FOOTNOTE,
    "table_footnote": Category.FOOTNOTE,
    **dict.fromkeys(("caption", "figure_title", "image_caption", "table_caption", "table_title"), Category.CAPTION),
}
_PIECE = re.compile(
    r"<\|ref\|>(?P<label>[^<]*)<\|/ref\|>\s*<\|det\|>\s*\[\[\s*(?P<box>\d+\s*,\s*\d+\s*,\s*\d+\s*,\s*\d+)[^<]*<\|/det\|>"
)
GOES_ON = "+"
"""The suffix of the kind of a piece that continues the one before it."""

_MARKS = re.compile(r"<\|/?(?:ref|det|grounding)\|>")
_BOXES = BoxSpelling(
    re.compile(r"<\|ref\|>([^<]*)<\|/ref\|><\|det\|>\[\["),
    ("<|/ref|><|det|>[[",),
    "",
    ", ",
    "]]<|/det|>",
    "<|ref|>{}<|/ref|><|det|>[[",
)
_SPELLINGS = 3


class GroundedDialect(Prompted):
    """A target that answers in Markdown with boxes before each piece."""

    name = "grounded"
    for_pages = PAGE_PROMPT
    for_crops = CROP_PROMPT
    scale: ClassVar[int] = SCALE
    piece = _PIECE
    boxes = _BOXES
    labels: ClassVar[Mapping[Category, str]] = _LABELS
    categories: ClassVar[Mapping[str, Category]] = _CATEGORIES
    between, behind = "\n\n", "\n"
    """The texts between pieces, and between a box and its piece."""

    def region_drafts(self, region: Region) -> list[str]:
        """Plain Markdown, because a crop is asked for without boxes."""
        return interleaved(_spelled(region.category, reading) for reading in region.texts)

    def page_drafts(
        self, draft: PageDraft, width: int, height: int, region_outputs: Sequence[str] | None = None
    ) -> list[str]:
        """The whole answer, without and with running heads and feet; other spellings; the drafter's page texts."""
        outputs = chain(map(self.parse_crop, region_outputs or ()), repeat(""))
        pieces: list[tuple[Category, str]] = []
        others: list[str] = []
        for region, output in zip(draft.regions, outputs, strict=False):
            texts = self.region_drafts(region)
            best = output or next(iter(texts), "")
            head = self.boxes.headed(self.labels[region.category], self._box(region, width, height))
            pieces.append((region.category, f"{head}{self.behind}{best}".rstrip("\n")))
            others += [text for text in texts if text != best]
        body = [piece for category, piece in pieces if not category.is_furniture]
        whole = [piece for _, piece in pieces]
        return unique([self.between.join(body), self.between.join(whole), *others, *draft.page_texts])

    def grammar(
        self, draft: PageDraft, width: int, height: int, region_outputs: Sequence[str] | None = None
    ) -> BoxGrammar | None:
        pieces = [(self.labels[region.category], self._box(region, width, height)) for region in draft.regions]
        return BoxGrammar(pieces, self.boxes) if pieces else None

    def parse_crop(self, text: str) -> str:
        if not self.piece.search(text):
            return text
        return "\n\n".join(block.text for block in self.parse(text, 1, 1) if block.text)

    def parse(self, text: str, width: int, height: int) -> tuple[Block, ...]:
        """The pieces of ``text`` as blocks with their boxes; an answer without boxes is read as Markdown."""
        heads = list(self.piece.finditer(text))
        if not heads:
            return parse_blocks(_MARKS.sub("", text))
        blocks = [Block(Category.TEXT, before)] if (before := _words(text[: heads[0].start()])) else []
        ends = [head.start() for head in heads[1:]] + [len(text)]
        for head, end in zip(heads, ends, strict=True):
            label = head["label"].strip().lower()
            category = self.categories.get(label.removesuffix(GOES_ON), Category.TEXT)
            box = pixel_box(re.findall(r"\d+", head["box"]), width, height, self.scale)
            words = _words(text[head.end() : end])
            if label.endswith(GOES_ON) and blocks and blocks[-1].category is category:
                blocks[-1] = replace(blocks[-1], text=f"{blocks[-1].text} {words}")
                continue
            blocks.append(boxed(category, words, box))
        return tuple(blocks)

    def _box(self, region: Region, width: int, height: int) -> Box:
        return normalised_box(region.bbox, width, height, self.scale)


def _words(piece: str) -> str:
    """A piece without stray marks and the white space around it."""
    return _MARKS.sub("", piece).strip()


def _spelled(category: Category, reading: str) -> list[str]:
    texts = spellings(category, reading, table_style="compact")
    if category is Category.FORMULA:  # \[ \] before $$
        texts.sort(key=lambda text: not text.startswith("\\["))
    return texts[:_SPELLINGS]


INLINE_PROMPT = "{image}document parsing."
HEADING = re.compile(r"^#+ ")


class InlineGroundedDialect(GroundedDialect):
    """A target that writes each piece on a line of its own, behind its kind and box. Crops are asked for in the same
    way, the only one that is published."""

    name = "grounded-inline"
    for_pages = for_crops = INLINE_PROMPT
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
