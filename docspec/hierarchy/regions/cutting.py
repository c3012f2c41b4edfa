"""Cuts pages into crops and makes their requests, for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docspec.core import Category, PageDraft, PageImage, Region
from docspec.drafting.tilt import as_printed, straightened
from docspec.generation.interface import GenerationRequest
from docspec.hierarchy.reading_context import ReadingContext
from docspec.hierarchy.regions.completing import complete
from docspec.hierarchy.regions.evidence import asked_for, known_texts
from docspec.hierarchy.regions.regions_read import Crop, RegionsRead
from docspec.hierarchy.regions.slices import CropLimits, Slice, crop_of, slices_of, type_size
from docspec.hierarchy.regions.trusted import may_be_taken

TOKENS_PER_CELL = 6
"""Output tokens that a crop may have per visual token, whatever its draft."""

LEAST_TOKENS = 64
"""Output tokens that any crop may have."""

KINDS = {Category.TABLE: "table", Category.FORMULA: "formula"}
"""Kinds of drafts (:class:`GenerationRequest`) other than text, by the region's category."""


class Cutting:
    """Cuts pages for the model and with the options of ``context``."""

    def __init__(self, context: ReadingContext) -> None:
        self._options, self._card, self._dialect = context.options, context.card, context.dialect
        card, sight = context.card, context.sight
        self._limits = CropLimits(
            sight.factor,
            card.line_pitch_px,
            card.crop_lines,
            card.crop_width,
            card.crop_height,
            sight.least_pixels,
            card.table_cells,
        )

    def cut(self, page: PageImage, draft: PageDraft) -> RegionsRead:
        """The regions of a page, including those that the draft missed, and their crops."""
        upright, straight = straightened(page, draft)
        found = self.crops_of(upright, complete(upright, straight, self._card if self._options.evidence else None))
        if draft.tilt:
            regions = [replace(one, bbox=as_printed(one.bbox, draft.tilt, page)) for one in found.regions]
            return replace(found, regions=regions)
        return found

    def crops_of(self, page: PageImage, regions: Sequence[Region]) -> RegionsRead:
        """The crops of ``regions``. Regions that are taken from the draft or whose words stand have none."""
        usual = type_size(regions)
        known = known_texts(regions, self._card) if self._options.evidence else {}
        from_draft = {
            number: self._dialect.region_drafts(region)[0]
            for number, region in enumerate(regions)
            if self._options.trust_agreement and may_be_taken(region)
        }
        crops = [
            self._crop(page, regions[number], number, piece)
            for number, region in enumerate(regions)
            if number not in from_draft and number not in known and asked_for(region, self._card)
            for piece in slices_of(page.image, region, self._limits, usual)
        ]
        return RegionsRead(regions, crops, from_draft, known)

    def _crop(self, page: PageImage, region: Region, number: int, piece: Slice) -> Crop:
        category = region.category if piece.cell is None else Category.TEXT
        shown = replace(region, category=category, texts=piece.drafts)
        picture = crop_of(page.image, piece, self._limits.factor, self._limits.least)
        cells = picture.width * picture.height // self._limits.factor**2
        most = self._options.max_tokens or self._card.max_new_tokens
        asked = GenerationRequest(
            picture,
            self._dialect.crop_prompt(shown),
            min(most, LEAST_TOKENS + TOKENS_PER_CELL * cells),
            tuple(self._dialect.region_drafts(shown)),
            KINDS.get(category, "text"),
            self._card.writes_special_tokens,
        )
        return Crop(number, piece, category, asked)
