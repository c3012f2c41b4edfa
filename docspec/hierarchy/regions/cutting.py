"""Cuts pages into crops and makes their requests, for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from docspec.core import Category, PageDraft, PageImage, ParseOptions, Region
from docspec.dialects import Dialect
from docspec.drafting.tilt import as_printed, straightened
from docspec.generation.interface import GenerationRequest
from docspec.hierarchy.regions.completing import complete
from docspec.hierarchy.regions.evidence import asked_for, known_texts
from docspec.hierarchy.regions.regions_read import Crop, RegionsRead
from docspec.hierarchy.regions.slices import CropLimits, Slice, crop_of, slices_of, type_size
from docspec.hierarchy.regions.trusted import may_be_taken
from docspec.targets.model_profile import ModelProfile
from docspec.targets.sight import Sight

if TYPE_CHECKING:
    from PIL.Image import Image

TOKENS_PER_CELL = 6
"""Output tokens that a crop may have per visual token, whatever its draft."""

LEAST_TOKENS = 64
"""Output tokens that any crop may have."""

KINDS = {Category.TABLE: "table", Category.FORMULA: "formula"}
"""Kinds of drafts (:class:`GenerationRequest`) other than text, by the region's category."""


class Cutting:
    """Cuts pages for a model with ``card`` whose image processor is described by ``sight``."""

    def __init__(self, options: ParseOptions, card: ModelProfile, dialect: Dialect, sight: Sight) -> None:
        self._options, self._card, self._dialect = options, card, dialect
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

    def asked(self, page: PageImage, region: Region, piece: Slice) -> tuple[Image, str]:
        """The picture of a crop and its prompt."""
        picture = crop_of(page.image, piece, self._limits.factor, self._limits.least)
        return picture, self._dialect.crop_prompt(shown_of(region, piece))

    def _crop(self, page: PageImage, region: Region, number: int, piece: Slice) -> Crop:
        shown = shown_of(region, piece)
        picture, prompt = self.asked(page, region, piece)
        cells = picture.width * picture.height // self._limits.factor**2
        most = self._options.max_tokens or self._card.max_new_tokens
        asked = GenerationRequest(
            picture,
            prompt,
            min(most, LEAST_TOKENS + TOKENS_PER_CELL * cells),
            tuple(self._dialect.region_drafts(shown)),
            KINDS.get(shown.category, "text"),
            self._card.writes_special_tokens,
        )
        return Crop(number, piece, shown.category, asked)


def shown_of(region: Region, piece: Slice) -> Region:
    """The part of ``region`` that the crop of ``piece`` shows."""
    category = region.category if piece.cell is None else Category.TEXT
    return replace(region, category=category, texts=piece.drafts)
