"""Reading by regions: every region of the layout is read on its own crops, all of them as rows of one batch.

Here the layout is part of the reading: it says what is read, in which order and as what. The words are the target's,
and with exact acceptance they are what it would have written for the same crops alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from docspec.core import Category, PageDraft, PageImage, Region
from docspec.drafting.tilt import as_printed, straightened
from docspec.engine.loop import OnStep
from docspec.engine.request import Request
from docspec.hierarchy.decoding.side_by_side import decode_side_by_side
from docspec.hierarchy.regions.completing import complete
from docspec.hierarchy.regions.evidence import asked_for, known_texts
from docspec.hierarchy.regions.regions_read import Crop, RegionsRead
from docspec.hierarchy.regions.slices import CropLimits, Slice, crop_of, slices_of, type_size
from docspec.hierarchy.regions.trusted import may_be_taken
from docspec.hierarchy.setup import Setup
from docspec.targets.protocol import Prompt

if TYPE_CHECKING:
    from PIL.Image import Image

TOKENS_PER_CELL = 6
"""Tokens that a crop may write for each of its visual tokens, whatever is drafted for it."""

LEAST_TOKENS = 64
"""Tokens that any crop may write."""


class RegionReading:
    """Reads pages by regions with one setup."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        card, processing = setup.card, setup.target.processing
        self._limits = CropLimits(
            processing.factor,
            card.line_pitch_px,
            card.crop_lines,
            card.crop_width,
            card.crop_height,
            processing.least_pixels,
            card.table_cells,
        )

    def cut(self, page: PageImage, draft: PageDraft) -> RegionsRead:
        """The regions of a page, those that the draft forgot included, and their crops, encoded."""
        upright, straight = straightened(page, draft)
        found = self.crops_of(upright, complete(upright, straight, self._setup.options.evidence))
        if draft.tilt:
            regions = [replace(one, bbox=as_printed(one.bbox, draft.tilt, page)) for one in found.regions]
            return replace(found, regions=regions)
        return found

    def crops_of(self, page: PageImage, regions: Sequence[Region]) -> RegionsRead:
        """The crops of ``regions``, encoded; none of those that are taken from the draft or whose words stand."""
        usual = type_size(regions)
        known = known_texts(regions, self._setup.card) if self._setup.options.evidence else {}
        drafted = {
            number: self._drafts(region)[0]
            for number, region in enumerate(regions)
            if self._setup.options.trust_agreement and may_be_taken(region)
        }
        pieces = [
            (number, piece)
            for number, region in enumerate(regions)
            if number not in drafted and number not in known and asked_for(region, self._setup.card)
            for piece in slices_of(page.image, region, self._limits, usual)
        ]
        shown = [_shown(regions[number], piece) for number, piece in pieces]
        asked = [self.asked(page, regions[number], piece) for number, piece in pieces]
        prompts = self._setup.target.encode_all(asked)
        sizes = [picture.size for picture, _ in asked]
        requests = map(self._request, prompts, sizes, shown)
        crops = [Crop(*piece, request) for piece, request in zip(pieces, requests, strict=True)]
        return RegionsRead(regions, crops, drafted, known)

    def asked(self, page: PageImage, region: Region, piece: Slice) -> tuple[Image, str]:
        """The picture of a crop, and the text that the target is asked with."""
        picture = crop_of(page.image, piece, self._limits.factor, self._limits.least)
        return picture, self._setup.dialect.crop_prompt(_shown(region, piece))

    def read(self, pages: Sequence[RegionsRead], on_step: OnStep | None = None, plain: bool = False) -> None:
        """Decodes the crops of ``pages``, as many as fit side by side; ``plain``: one token a step, without drafts."""
        asked = [
            [replace(crop.request, plain=True) if plain else crop.request for crop in page.crops]
            for page in pages
        ]
        decoded = decode_side_by_side(self._setup.engine, asked, on_step, self._setup.frugal)
        for page, (outputs, stats) in zip(pages, decoded, strict=True):
            page.outputs, page.stats = outputs, page.stats + stats

    def _request(self, prompt: Prompt, size: tuple[int, int], shown: Region) -> Request:
        setup = self._setup
        cells = size[0] * size[1] // self._limits.factor**2
        most = setup.options.max_tokens or setup.card.max_new_tokens
        return Request(
            prompt,
            self._drafts(shown),
            min(most, LEAST_TOKENS + TOKENS_PER_CELL * cells),
            stop=setup.stop,
            doubt=setup.doubt,
            traced=setup.options.provenance,
            kind=shown.category,
        )

    def _drafts(self, region: Region) -> tuple[tuple[int, ...], ...]:
        return self._setup.tokenized(self._setup.dialect.region_drafts(region))


def _shown(region: Region, piece: Slice) -> Region:
    """What the crop of ``piece`` shows of ``region``."""
    category = region.category if piece.cell is None else Category.TEXT
    return replace(region, category=category, texts=piece.drafts)
