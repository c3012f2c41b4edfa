"""Reading by regions: every region of the layout is read on its own crops, all of them as rows of one batch.

Here the layout is part of the reading: it says what is read, in which order and as what. The words are the target's,
and with exact acceptance they are what it would have written for the same crops alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from docspec.core import Block, Category, Cut, Event, PageDraft, PageImage, Region, StageStats
from docspec.core.running_text import is_left_out
from docspec.dialects.markdown_blocks import join_blocks
from docspec.drafting.assembly import place
from docspec.drafting.layout import WHITE_SPACE, LayoutBox
from docspec.drafting.order import by_white_space
from docspec.drafting.tilt import as_printed, straightened
from docspec.drafting.unread import unread_regions
from docspec.engine.loop import OnStep
from docspec.engine.request import Output, Request
from docspec.hierarchy.decoding.side_by_side import decode_side_by_side
from docspec.hierarchy.regions.evidence import known_texts
from docspec.hierarchy.regions.joining import joined_blocks, region_text
from docspec.hierarchy.regions.slices import CropLimits, Slice, crop_of, slices_of, type_size
from docspec.hierarchy.regions.trusted import may_be_taken, taken
from docspec.hierarchy.setup import Setup
from docspec.targets.protocol import Prompt

if TYPE_CHECKING:
    from PIL.Image import Image

TOKENS_PER_CELL = 6
"""Tokens that a crop may write for each of its visual tokens, whatever is drafted for it."""

LEAST_TOKENS = 64
"""Tokens that any crop may write."""


@dataclass(frozen=True, slots=True)
class Crop:
    """One crop of a page on its way: the number of its region, where it stands, and what is asked of the target."""

    region: int
    piece: Slice
    request: Request


@dataclass(slots=True)
class RegionsRead:
    """A page read by regions: its regions in reading order, one output for each of its crops, and the counts. Regions
    without crops are in one of two mappings by their numbers: ``taken``, tokens of their drafts (:mod:`.trusted`), and
    ``known``, the Markdown of those whose words stand (:mod:`.evidence`)."""

    regions: Sequence[Region]
    crops: Sequence[Crop]
    taken: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    known: Mapping[int, str] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)
    stats: StageStats = field(default_factory=StageStats)

    @property
    def tokens(self) -> tuple[int, ...]:
        """The tokens of all crops, one after the other."""
        return tuple(token for output in self.outputs for token in output.tokens)

    @property
    def told(self) -> tuple[Output, ...]:
        """What the text is made of, in reading order: the outputs, and what was taken from drafts."""
        owners = [crop.region for crop in self.crops]
        found = [*zip(owners, self.outputs, strict=True), *((at, taken(own)) for at, own in self.taken.items())]
        return tuple(output for _, output in sorted(found, key=lambda item: item[0]))

    @property
    def cut(self) -> Cut | None:
        """What is missing of all crops together; of the loops the first is quoted."""
        loops = [output.loop for output in self.outputs if output.loop is not None]
        if loops:
            return Cut("loop", len(self.tokens), sum(loop.dropped for loop in loops), loops[0].text)
        reached = any(output.finish == "budget" for output in self.outputs)
        return Cut("budget", len(self.tokens)) if reached else None

    def events(self) -> tuple[Event, ...]:
        """What to report about crops that did not end by themselves."""
        cut = {
            reason: sum(output.finish == reason for output in self.outputs) for reason in ("loop", "budget")
        }
        found = []
        if cut["loop"]:
            found.append(
                Event("loop_stopped", f"{cut['loop']} of {len(self.crops)} crops began to repeat themselves")
            )
        if cut["budget"]:
            found.append(
                Event("budget_reached", f"{cut['budget']} of {len(self.crops)} crops reached their budget")
            )
        return tuple(found)

    def blocks(self, text_of: Callable[[list[int]], str]) -> tuple[Block, ...]:
        """The regions with what was read in them (``text_of`` gives a crop's Markdown), running text made whole across
        columns."""
        pieces: list[list[tuple[str, Slice]]] = [[] for _ in self.regions]
        for crop, output in zip(self.crops, self.outputs, strict=True):
            pieces[crop.region].append((text_of(list(output.tokens)), crop.piece))
        for number, tokens in self.taken.items():
            pieces[number].append((text_of(list(tokens)), Slice(self.regions[number].bbox, 1.0)))
        found = [self._block(number, pieces[number]) for number in range(len(self.regions))]
        return tuple(
            joined_blocks(block for block in found if block.text or block.category is Category.PICTURE)
        )

    def _block(self, number: int, pieces: Sequence[tuple[str, Slice]]) -> Block:
        region = self.regions[number]
        if number in self.known and region.words is not None:
            return Block(region.category, self.known[number], region.bbox, "draft", words=region.words)
        text = region_text(region, pieces)
        trusted = len(text) if number in self.taken else 0
        return Block(region.category, text, region.bbox, "draft", trusted=trusted)


def markdown_of(blocks: Sequence[Block]) -> str:
    """The page's Markdown: ``blocks`` without running heads, feet and the labels of pictures."""
    return join_blocks(
        (block.category, block.text)
        for block in blocks
        if not is_left_out(block, blocks) and not (block.category is Category.PICTURE and block.words != "model")
    )


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
            if number not in drafted
            and number not in known
            and (region.category is not Category.PICTURE or (region.chart and self._setup.card.reads_charts))
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


def complete(page: PageImage, draft: PageDraft, evidence: bool = False) -> list[Region]:
    """The regions of ``draft`` and what it forgot, in reading order. With ``evidence``, ink in which a recogniser found
    no text is none: it is a picture, or left out where it is as small as a line.

    Where no layout model has seen the page, nothing is called a running head or foot, nor a head in the lower half of
    the page or a foot in the upper one.
    """
    regions = [
        replace(one, category=Category.TEXT)
        if one.category.is_furniture and (draft.layout == WHITE_SPACE or _stands_elsewhere(one, page))
        else one
        for one in draft.regions
    ]
    forgotten = unread_regions(page.image, regions)
    if evidence and draft.searched:
        forgotten = [one for one in forgotten if one.category is Category.PICTURE]
    if not regions:
        order = by_white_space([LayoutBox(one.bbox, one.category) for one in forgotten])
        return [Region(box.bbox, box.category) for box in order]
    for one in forgotten:
        regions.insert(place(one.bbox, [other.bbox for other in regions]), one)
    return regions


def _stands_elsewhere(region: Region, page: PageImage) -> bool:
    """Whether a running head or foot stands in the other half of the page."""
    upper = region.bbox.y0 + region.bbox.y1 < page.height
    return upper is (region.category is Category.PAGE_FOOTER)
