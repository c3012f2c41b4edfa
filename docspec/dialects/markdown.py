"""The Markdown dialect: Qwen3-VL and every target that simply writes the page down, the bundled reader
included.

The prompts are the target's (its card may bring its own); the spellings are those that such models use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docspec.core import Block, Category, PageDraft, Region
from docspec.core.choices import TableStyle
from docspec.dialects.dialect import Prompted
from docspec.dialects.markdown_blocks import join_blocks, parse_blocks
from docspec.dialects.otsl import otsl_as_html
from docspec.dialects.spelling import interleaved, spellings, unique
from docspec.dialects.table_grammar import TableGrammar, drafted_tables
from docspec.dialects.words import latex_symbols

PAGE_PROMPT = (
    "Transcribe this page to Markdown, completely and in reading order. Join the lines of a paragraph. "
    "Mark headings with #, ## or ###. Write list items on lines of their own with - or the printed number, "
    "tables as HTML (<table>), formulas as LaTeX ($...$ in the text, $$...$$ for display). "
    "Copy the text exactly as printed: no translation, no comments, no code fence, nothing for pictures."
)
TEXT_PROMPT = "Transcribe the text in this image to Markdown. Join the lines of a paragraph. Output the text only."
HEADING_PROMPT = "Transcribe the heading in this image as one Markdown heading. Output the heading only."
TABLE_PROMPT = "Transcribe the table in this image to HTML (<table>). Output the table only."
FORMULA_PROMPT = "Transcribe the formula in this image to LaTeX between $$. Output the formula only."

_CROP_PROMPTS = {
    Category.TEXT: TEXT_PROMPT,
    Category.TITLE: HEADING_PROMPT,
    Category.SECTION_HEADER: HEADING_PROMPT,
    Category.TABLE: TABLE_PROMPT,
    Category.FORMULA: FORMULA_PROMPT,
}
_SHORT = 200  # characters; where Stage 1 has written a region, only such spellings and the first one stay


class MarkdownDialect(Prompted):
    """A target that answers in Markdown.

    ``crop_prompt`` is one instruction for all crops or one by category (``TEXT`` for those not named).
    ``table_style`` says which table spellings are drafted.
    """

    name = "markdown"
    for_pages = PAGE_PROMPT
    for_crops = _CROP_PROMPTS

    def __init__(
        self,
        page_prompt: str | None = None,
        crop_prompt: str | Mapping[Category, str] | None = None,
        table_style: TableStyle = "both",
    ) -> None:
        super().__init__(page_prompt, crop_prompt)
        self._table_style: TableStyle = table_style

    def region_drafts(self, region: Region) -> list[str]:
        """All spellings of all readings, the likeliest spelling of each reading first; LaTeX signs at the end."""
        spelled = interleaved(self._spell(region.category, reading) for reading in region.texts)
        return unique([*spelled, *map(latex_symbols, spelled)])

    def page_drafts(
        self, draft: PageDraft, width: int, height: int, region_outputs: Sequence[str] | None = None
    ) -> list[str]:
        """What Stage 1 wrote, the page in reading order, single regions' spellings, the drafter's page texts.

        The page comes without and with its furniture, and once with bare headings, printed items and pipe
        tables. ``width`` and ``height`` are not used.
        """
        outputs = [output.strip("\n") for output in region_outputs or ()]
        outputs += [""] * (len(draft.regions) - len(outputs))
        spelled = [self.region_drafts(region) for region in draft.regions]
        best = [
            (region.category, output or next(iter(texts), ""))
            for region, output, texts in zip(draft.regions, outputs, spelled, strict=False)
        ]
        bare = [
            (region.category, output or next((text for text in texts if _is_bare(text)), ""))
            for region, output, texts in zip(draft.regions, outputs, spelled, strict=False)
        ]
        return unique(
            [
                *outputs,
                join_blocks((category, text) for category, text in best if not category.is_furniture),
                join_blocks(best),
                join_blocks((category, text) for category, text in bare if not category.is_furniture),
                *(
                    text
                    for texts, output in zip(spelled, outputs, strict=False)
                    for rank, text in enumerate(texts)
                    if not output or rank == 0 or len(text) < _SHORT
                ),
                *draft.page_texts,
            ]
        )

    def grammar(
        self, draft: PageDraft, width: int, height: int, region_outputs: Sequence[str] | None = None
    ) -> TableGrammar:
        """Cells and borders of tables, predicted from the drafted ones; ``width`` and ``height`` are not used."""
        return TableGrammar(drafted_tables(draft, region_outputs or ()))

    def parse_crop(self, text: str) -> str:
        return otsl_as_html(text) if self._table_style == "otsl" else text

    def parse(self, text: str, width: int, height: int) -> tuple[Block, ...]:
        """The blocks of ``text``, without boxes (see :func:`docspec.dialects.locate.attach_boxes`)."""
        return parse_blocks(text)

    def _spell(self, category: Category, reading: str) -> list[str]:
        return spellings(category, reading, table_style=self._table_style)


def _is_bare(text: str) -> bool:
    """Whether a block stands without Markdown's marks of headings, emphasis and items, and without HTML."""
    return not text.startswith(("#", "*", "- ", "<"))
