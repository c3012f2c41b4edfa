"""A page that is read by regions, from its crops to its answers; this module needs no model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from docspec.core import Block, Category, Cut, Event, PageResult, Region, StageStats
from docspec.core.running_text import is_left_out
from docspec.dialects.markdown_blocks import join_blocks
from docspec.generation.interface import GenerationRequest
from docspec.hierarchy.answers import PageAnswer
from docspec.hierarchy.page_state import frugal, skipped
from docspec.hierarchy.regions.evidence import known_block, known_words, points_of, unread_pictures
from docspec.hierarchy.regions.joining import joined_blocks, region_text
from docspec.hierarchy.regions.slices import Slice


@dataclass(frozen=True, slots=True)
class Crop:
    """One crop of a page: the number of its region, its slice, its category, and its request."""

    region: int
    piece: Slice
    category: Category
    request: GenerationRequest


@dataclass(slots=True)
class RegionsRead:
    """A page read by regions: its regions in reading order, one answer for each crop, and the counts. Regions without
    crops are keyed by their numbers: ``from_draft`` has the drafted texts of trusted regions
    (:func:`docspec.hierarchy.regions.cutting.may_be_taken`) and ``taken`` the same as answers; ``known`` has the
    Markdown of regions whose words stand (:mod:`docspec.hierarchy.regions.evidence`)."""

    regions: Sequence[Region]
    crops: Sequence[Crop]
    from_draft: Mapping[int, str] = field(default_factory=dict)
    known: Mapping[int, str] = field(default_factory=dict)
    taken: Mapping[int, PageAnswer] = field(default_factory=dict)
    answers: list[PageAnswer] = field(default_factory=list)
    stats: StageStats = field(default_factory=StageStats)
    encode_seconds: float = 0.0

    @property
    def tokens(self) -> tuple[int, ...]:
        """The tokens of all crops in order."""
        return tuple(token for answer in self.answers for token in answer.tokens)

    @property
    def written(self) -> int:
        """The number of these tokens, as far as the engine reports it."""
        return len(self.tokens) or self.stats.tokens

    @property
    def parts(self) -> tuple[PageAnswer, ...]:
        """The parts of the text in reading order: answers, and texts taken from drafts."""
        owners = [crop.region for crop in self.crops]
        answers = [*zip(owners, self.answers, strict=True), *self.taken.items()]
        return tuple(answer for _, answer in sorted(answers, key=lambda item: item[0]))

    @property
    def cut(self) -> Cut | None:
        """How the answers for all crops together were cut; the first loop is quoted."""
        loops = [answer.loop for answer in self.answers if answer.loop is not None]
        if loops:
            return Cut("loop", self.written, sum(loop.dropped for loop in loops), loops[0].text)
        reached = any(answer.finish == "length" for answer in self.answers)
        return Cut("budget", self.written) if reached else None

    def events(self) -> tuple[Event, ...]:
        """The events about crops that were cut, and about those of which nothing was written."""
        cut = {reason: sum(answer.finish == reason for answer in self.answers) for reason in ("loop", "length")}
        events = []
        if cut["loop"]:
            events.append(Event("loop_stopped", f"{cut['loop']} of {len(self.crops)} crops began to repeat themselves"))
        if cut["length"]:
            events.append(Event("budget_reached", f"{cut['length']} of {len(self.crops)} crops reached their budget"))
        if empty := sum(answer.is_empty for answer in self.answers):
            events.append(Event("empty_answer", f"of {empty} of {len(self.crops)} crops the model wrote nothing"))
        return tuple(events)

    def blocks(self, markdown: Callable[[str], str]) -> tuple[Block, ...]:
        """The regions with their text as blocks, running text joined across columns; ``markdown`` returns that of a
        crop's answer."""
        pieces: list[list[tuple[str, Slice]]] = [[] for _ in self.regions]
        for crop, answer in zip(self.crops, self.answers, strict=True):
            pieces[crop.region].append((markdown(answer.text), crop.piece))
        for number, answer in self.taken.items():
            pieces[number].append((markdown(answer.text), Slice(self.regions[number].bbox, 1.0)))
        blocks = [self._block(number, pieces[number]) for number in range(len(self.regions))]
        return tuple(joined_blocks(block for block in blocks if block.text or block.category is Category.PICTURE))

    def _block(self, number: int, pieces: Sequence[tuple[str, Slice]]) -> Block:
        region = self.regions[number]
        if number in self.known and (region.words is not None or region.texts):
            return known_block(region, self.known[number])
        text = region_text(region, pieces)
        trusted = len(text) if number in self.taken else 0
        unread = region.unsearched and not pieces
        points = points_of(region) if region.category.is_running_text else 0.0
        block = Block(region.category, text, region.bbox, "draft", trusted=trusted, points=points, unread=unread)
        return replace(block, running=region.running)


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
            *frugal(page.answers),
            *unread_pictures(blocks, {event.kind for event in result.events}),
            *skipped(page.stats),
        ),
        timings=replace(
            result.timings, prefill=encode_seconds + page.stats.prefill_seconds, stage2=page.stats.decode_seconds
        ),
    )
