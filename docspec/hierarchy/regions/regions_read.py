"""A page that is read by regions, from its crops to its outputs, and the engine that reads them; this module needs no
model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from docspec.core import Block, Category, Cut, Event, PageResult, Region, StageStats
from docspec.core.running_text import is_left_out
from docspec.dialects.markdown_blocks import join_blocks
from docspec.engine.request import Output
from docspec.generation.interface import GenerationRequest
from docspec.hierarchy.page_state import skipped
from docspec.hierarchy.regions.evidence import known_block, known_words, unread_pictures
from docspec.hierarchy.regions.joining import joined_blocks, region_text
from docspec.hierarchy.regions.slices import Slice


@dataclass(frozen=True, slots=True)
class Crop:
    """One crop of a page: the number of its region, its slice, its category, and its request. The request is a
    :class:`docspec.generation.interface.GenerationRequest`; for the engine in this process, a
    :class:`docspec.engine.request.Request`."""

    region: int
    piece: Slice
    category: Category
    request: Any


@dataclass(slots=True)
class RegionsRead:
    """A page read by regions: its regions in reading order, one output for each crop, and the counts. Regions without
    crops are keyed by their numbers: ``from_draft`` has the drafted texts of trusted regions
    (:func:`docspec.hierarchy.regions.cutting.may_be_taken`) and ``taken`` the same as outputs; ``known`` has the
    Markdown of regions whose words stand (:mod:`docspec.hierarchy.regions.evidence`)."""

    regions: Sequence[Region]
    crops: Sequence[Crop]
    from_draft: Mapping[int, str] = field(default_factory=dict)
    known: Mapping[int, str] = field(default_factory=dict)
    taken: Mapping[int, Output] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)
    stats: StageStats = field(default_factory=StageStats)

    @property
    def tokens(self) -> tuple[int, ...]:
        """The tokens of all crops in order."""
        return tuple(token for output in self.outputs for token in output.tokens)

    @property
    def written(self) -> int:
        """The number of these tokens, as far as the engine reports it."""
        return len(self.tokens) or self.stats.tokens

    @property
    def told(self) -> tuple[Output, ...]:
        """The parts of the text in reading order: outputs, and texts taken from drafts."""
        owners = [crop.region for crop in self.crops]
        found = [*zip(owners, self.outputs, strict=True), *self.taken.items()]
        return tuple(output for _, output in sorted(found, key=lambda item: item[0]))

    @property
    def cut(self) -> Cut | None:
        """How the outputs of all crops together were cut; the first loop is quoted."""
        loops = [output.loop for output in self.outputs if output.loop is not None]
        if loops:
            return Cut("loop", self.written, sum(loop.dropped for loop in loops), loops[0].text)
        reached = any(output.finish == "budget" for output in self.outputs)
        return Cut("budget", self.written) if reached else None

    def events(self) -> tuple[Event, ...]:
        """The events about crops that were cut, and about those of which nothing was written."""
        cut = {reason: sum(output.finish == reason for output in self.outputs) for reason in ("loop", "budget")}
        found = []
        if cut["loop"]:
            found.append(Event("loop_stopped", f"{cut['loop']} of {len(self.crops)} crops began to repeat themselves"))
        if cut["budget"]:
            found.append(Event("budget_reached", f"{cut['budget']} of {len(self.crops)} crops reached their budget"))
        if empty := sum(output.is_empty for output in self.outputs):
            found.append(Event("empty_answer", f"of {empty} of {len(self.crops)} crops the model wrote nothing"))
        return tuple(found)

    def blocks(self, text_of: Callable[[Output], str]) -> tuple[Block, ...]:
        """The regions with their text as blocks, running text joined across columns; ``text_of`` returns the Markdown
        of a crop's output."""
        pieces: list[list[tuple[str, Slice]]] = [[] for _ in self.regions]
        for crop, output in zip(self.crops, self.outputs, strict=True):
            pieces[crop.region].append((text_of(output), crop.piece))
        for number, output in self.taken.items():
            pieces[number].append((text_of(output), Slice(self.regions[number].bbox, 1.0)))
        found = [self._block(number, pieces[number]) for number in range(len(self.regions))]
        return tuple(joined_blocks(block for block in found if block.text or block.category is Category.PICTURE))

    def _block(self, number: int, pieces: Sequence[tuple[str, Slice]]) -> Block:
        region = self.regions[number]
        if number in self.known and (region.words is not None or region.texts):
            return known_block(region, self.known[number])
        text = region_text(region, pieces)
        trusted = len(text) if number in self.taken else 0
        unread = region.unsearched and not pieces
        return Block(
            region.category, text, region.bbox, "draft", trusted=trusted, unread=unread, running=region.running
        )


class CropReader(ABC):
    """An engine that reads crops."""

    def encoded(self, page: RegionsRead) -> RegionsRead:
        """``page`` with the requests of its crops in the engine's own form."""
        return page

    @abstractmethod
    def read(self, pages: Sequence[RegionsRead], on_step: Any = None, plain: bool = False) -> None:
        """Reads the crops of ``pages``, as many at a time as the engine takes, and adds the outputs to each page;
        ``plain``: without drafts."""

    @abstractmethod
    def write(self, asked: Sequence[GenerationRequest]) -> list[tuple[Output, StageStats]]:
        """The answers to other requests, decoded together."""

    @abstractmethod
    def text_of(self, output: Output) -> str:
        """The text of an output."""


def markdown_of(blocks: Sequence[Block]) -> str:
    """The page's Markdown: ``blocks`` without running heads, feet and the labels of pictures."""
    return join_blocks(
        (block.category, block.text)
        for block in blocks
        if not is_left_out(block, blocks) and not (block.category is Category.PICTURE and block.words != "model")
    )


def result_of(
    result: PageResult, page: RegionsRead, layout: str, blocks: tuple[Block, ...], encode_seconds: float
) -> PageResult:
    """``result`` with the ``blocks`` read from the regions of ``page``; ``layout`` names the source of the layout."""
    detail = f"{len(page.regions)} regions, {len(page.crops)} crops; layout: {layout or 'by ink'}"
    return replace(
        result,
        read="regions",
        text=markdown_of(blocks),
        token_ids=page.tokens,
        blocks=blocks,
        regions=len(page.regions),
        stage2=page.stats,
        cut=page.cut,
        events=(
            *result.events,
            Event("read_by_regions", detail),
            *known_words(page.known, page.regions),
            *page.events(),
            *unread_pictures(blocks, {event.kind for event in result.events}),
            *skipped(page.stats),
        ),
        timings=replace(
            result.timings, prefill=encode_seconds + page.stats.prefill_seconds, stage2=page.stats.decode_seconds
        ),
    )
