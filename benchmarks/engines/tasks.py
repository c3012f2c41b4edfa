"""What pages ask of an engine, crop by crop or whole, as requests that any engine can be given."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from docspec.engine.request import Request
from docspec.generation.interface import GenerationRequest

if TYPE_CHECKING:
    from PIL.Image import Image

    from docspec.hierarchy.reading_context import ReadingContext


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A crop or a page: what ``any`` engine is asked, the prompt as tokens with one for the picture, and what docspec's
    own engine is given for it. A page has its ``regions`` as Stage 1 asks for them, and what it is asked for
    (``after``) once the texts of them are there."""

    any: GenerationRequest
    prompt: tuple[int, ...]
    request: Request
    regions: tuple[GenerationRequest, ...] = ()
    after: Callable[[Sequence[str]], GenerationRequest] | None = None

    @property
    def asked(self) -> tuple[Image, str]:
        """Its picture and what is asked of it."""
        assert self.any.image is not None
        return self.any.image, self.any.prompt

    def as_values(self) -> dict[str, Any]:
        """JSON values, the picture as a PNG file."""
        buffer = io.BytesIO()
        self.asked[0].save(buffer, format="PNG")
        return {
            "png": base64.b64encode(buffer.getvalue()).decode("ascii"),
            "prompt": self.prompt,
            "drafts": self.request.drafts,
            "kind": self.any.kind,
            "budget": self.request.budget,
        }


def tasks_of(context: ReadingContext, pages: Iterable[Any], drafter: Any, whole: bool = False) -> list[Task]:
    """The crops of ``pages`` (:class:`docspec.core.PageImage`), drafted by ``drafter``, in reading order; or ``whole``
    pages."""
    return [task for page in pages for task in (_whole if whole else _crops)(context, page, drafter.draft(page))]


def _crops(context: ReadingContext, page: Any, draft: Any) -> list[Task]:
    from docspec.hierarchy.regions.pages import RegionPages

    found = RegionPages(context).cut(page, draft)
    return [_task(crop.request, context.engine.request_of(crop.request)) for crop in found.crops]


def _whole(context: ReadingContext, page: Any, draft: Any) -> list[Task]:
    from docspec.hierarchy.whole import asked_of_page, asked_of_regions

    request = context.engine.request_of(asked_of_page(context, page, draft, None))

    def asked(texts: Sequence[str] | None) -> GenerationRequest:
        return replace(asked_of_page(context, page, draft, texts), max_tokens=request.budget, grammar=None)

    found = [
        (index, replace(one, max_tokens=one.limit(map(len, one.drafts)), spare=None))
        for index, one in asked_of_regions(context, page, draft)
    ]

    def after(written: Sequence[str]) -> GenerationRequest:
        texts = [""] * len(draft.regions)
        for (index, _), text in zip(found, written, strict=True):
            texts[index] = text
        return asked(texts)

    return [replace(_task(asked(None), request), regions=tuple(one for _, one in found), after=after)]


def _task(asked: GenerationRequest, request: Request) -> Task:
    tokens = request.prompt.inputs["input_ids"][0].tolist()
    return Task(replace(asked, max_tokens=request.budget), with_one_picture(tokens), request)


def with_one_picture(tokens: Sequence[int]) -> tuple[int, ...]:
    """``tokens`` of a prompt with a single token where the picture has one for each of its cells, as chat templates
    write it: the longest run of a token is the picture."""
    runs = [(token, len(list(run))) for token, run in groupby(tokens)]
    longest = max(range(len(runs)), key=lambda index: runs[index][1])
    return tuple(token for index, (token, size) in enumerate(runs) for _ in range(1 if index == longest else size))
