"""The prompts of a target: the published ones of its dialect, or those of its card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from docspec.core import Category, Region


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
