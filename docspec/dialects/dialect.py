"""The contract of a dialect: how one family of targets is asked for a page and how it spells the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, runtime_checkable

from docspec.core import Block, Category, PageDraft, Region
from docspec.core.grammar import Grammar


@runtime_checkable
class Dialect(Protocol):
    """A target's spelling. Sizes are pixels of the page image; boxes in and out are page-image pixels."""

    name: str

    @property
    def page_prompt(self) -> str:
        """The instruction that goes with a whole page."""
        ...

    def crop_prompt(self, region: Region) -> str:
        """The instruction that goes with the crop of one region (Stage 1)."""
        ...

    def region_drafts(self, region: Region) -> list[str]:
        """Texts that the target may write for the crop of ``region``, the likeliest first, no duplicates."""
        ...

    def page_drafts(
        self, draft: PageDraft, width: int, height: int, region_outputs: list[str] | None = None
    ) -> list[str]:
        """Texts that parts of the target's page output may follow: an unordered set for Stage 2.

        ``region_outputs`` holds what Stage 1 wrote for each region of ``draft`` (same order, ``""`` if nothing was
        verified); these texts come first. ``width``/``height`` are the page image's.
        """
        ...

    def grammar(
        self, draft: PageDraft, width: int, height: int, region_outputs: list[str] | None = None
    ) -> Grammar | None:
        """The grammar of the page's output for the drafts of the same arguments; ``None`` if the dialect has none."""
        ...

    def parse_crop(self, text: str) -> str:
        """The target's answer for a crop as Markdown (tables as HTML)."""
        ...

    def parse(self, text: str, width: int, height: int) -> tuple[Block, ...]:
        """Blocks in the target's order; lenient: never raises on cut-off or slightly broken text."""
        ...


class Prompted:
    """A dialect with one prompt for pages, and one for all crops or one for each kind of region.

    ``for_pages`` and ``for_crops`` are the published ones.
    """

    for_pages: ClassVar[str]
    for_crops: ClassVar[str | Mapping[Category, str]]

    def __init__(self, page_prompt: str | None = None, crop_prompt: str | Mapping[Category, str] | None = None) -> None:
        self.page_prompt = self.for_pages if page_prompt is None else page_prompt
        self._crop_prompts = self.for_crops if crop_prompt is None else crop_prompt

    def crop_prompt(self, region: Region) -> str:
        """The one prompt for all crops, or that of the region's kind, or that of text."""
        prompts = self._crop_prompts
        return prompts if isinstance(prompts, str) else prompts.get(region.category) or prompts[Category.TEXT]
