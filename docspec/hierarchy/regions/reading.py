"""Reads pages by regions with the engine in this process: every region on its own crops, all of them as rows of one
batch.

The layout is part of the reading: it decides which areas are read, in which order and as which category. The words are
the target's; with exact acceptance they are those that it writes for the same crops alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from docspec.core import StageStats
from docspec.core.trail import Trail
from docspec.engine.decoder import decode_side_by_side
from docspec.engine.loop import OnStep
from docspec.engine.request import Output, Request
from docspec.generation.interface import GenerationRequest
from docspec.hierarchy.reading_context import LocalContext
from docspec.hierarchy.regions.regions_read import Crop, CropReader, RegionsRead
from docspec.targets.protocol import Prompt

if TYPE_CHECKING:
    from PIL.Image import Image

TRUSTED = "trusted"
"""The origin of tokens taken from the draft without being read."""


class RegionReading(CropReader):
    """Reads crops with the engine in this process."""

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def read(self, pages: Sequence[RegionsRead], on_step: OnStep | None = None, plain: bool = False) -> None:
        """Decodes the crops of ``pages`` in batches; ``plain``: one token per step, without drafts."""
        asked = [
            [replace(crop.request, plain=True) if plain else crop.request for crop in page.crops] for page in pages
        ]
        decoded = decode_side_by_side(self._context.engine, asked, on_step, self._context.frugal)
        for page, (outputs, stats) in zip(pages, decoded, strict=True):
            page.outputs, page.stats = outputs, page.stats + stats

    def write(self, asked: Sequence[GenerationRequest]) -> list[tuple[Output, StageStats]]:
        context = self._context
        requests = [
            Request(
                context.target.encode(*_pictured(one)),
                context.tokenized(one.drafts),
                one.max_tokens,
                stop=context.stop,
                plain=context.options.stages == "none",
            )
            for one in asked
        ]
        decoded = decode_side_by_side(context.engine, [[request] for request in requests])
        return [(output, stats) for [output], stats in decoded]

    def text_of(self, output: Output) -> str:
        return self._context.target.detokenize(list(output.tokens))

    def encoded(self, page: RegionsRead) -> RegionsRead:
        prompts = self._context.target.encode_all([_pictured(crop.request) for crop in page.crops])
        requests = map(self._request, prompts, page.crops)
        crops = [replace(crop, request=request) for crop, request in zip(page.crops, requests, strict=True)]
        taken = {number: self._taken(text) for number, text in page.from_draft.items()}
        return replace(page, crops=crops, taken=taken)

    def _taken(self, text: str) -> Output:
        """Drafted ``text`` as an output, each of its tokens with its origin."""
        tokens = tuple(self._context.target.tokenize(text))
        trail = Trail()
        trail.steps.append((0, len(tokens)))
        trail.proposed = dict.fromkeys(range(len(tokens)), TRUSTED)
        return Output(tokens, "eos", trail=trail)

    def _request(self, prompt: Prompt, crop: Crop) -> Request:
        context, asked = self._context, crop.request
        return Request(
            prompt,
            context.tokenized(asked.drafts),
            asked.max_tokens,
            stop=context.stop,
            least_margin=context.least_margin,
            traced=context.options.provenance,
            kind=crop.category,
        )


def _pictured(asked: GenerationRequest) -> tuple[Image, str]:
    assert asked.image is not None
    return asked.image, asked.prompt
