"""Running heads and feet of pages whose text is recognised: known by the pages before, as the file tells nothing."""

from __future__ import annotations

from dataclasses import replace

from docspec.core import Block, Category, PageResult
from docspec.core.running_text import in_place, is_page_number, repeats
from docspec.hierarchy.regions.regions_read import markdown_of

REMEMBERED = 6
"""Pages whose heads and feet are remembered."""


class RunningHeads:
    """The heads and feet of one document's pages, in their order."""

    def __init__(self) -> None:
        self._seen: list[tuple[int, Category, str]] = []

    def marked(self, result: PageResult) -> PageResult:
        """``result``, in which a head or foot of the draft's layout is text, unless it is the number of the page or
        stands on a page before, too; it is written once."""
        if result.read != "regions" or not any(block.category.is_furniture for block in result.blocks):
            return result
        blocks = [self._marked(block, result.number) for block in result.blocks]
        self._seen += [
            (result.number, block.category, block.text) for block in result.blocks if block.category.is_furniture
        ]
        self._seen = [one for one in self._seen if one[0] > result.number - REMEMBERED]
        ordered = tuple(in_place(blocks, lambda block: block.running is False, lambda block: block.bbox))
        return replace(result, blocks=ordered, text=markdown_of(ordered))

    def _marked(self, block: Block, number: int) -> Block:
        if not block.category.is_furniture or block.bbox_from != "draft" or block.running:
            return block
        known = is_page_number(block.text) or any(
            category is block.category and repeats(text, block.text, number - page, recognised=True)
            for page, category, text in self._seen
        )
        return replace(block, running=True) if known else replace(block, category=Category.TEXT, running=False)
