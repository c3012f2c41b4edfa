"""The crops of pages that are read by regions, as requests that any engine can be given."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from docspec.engine.request import Request

if TYPE_CHECKING:
    from PIL.Image import Image

    from docspec.hierarchy.setup import Setup


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A crop: its picture and what is asked of it, the same as tokens with one for the picture, and what docspec's own
    engine is given for it."""

    asked: tuple[Image, str]
    prompt: tuple[int, ...]
    request: Request

    def as_values(self) -> dict[str, Any]:
        """JSON values, the picture as a PNG file."""
        buffer = io.BytesIO()
        self.asked[0].save(buffer, format="PNG")
        return {
            "png": base64.b64encode(buffer.getvalue()).decode("ascii"),
            "prompt": self.prompt,
            "drafts": self.request.drafts,
            "kind": str(self.request.kind).lower(),
            "budget": self.request.budget,
        }


def tasks_of(setup: Setup, pages: Iterable[Any], drafter: Any) -> list[Task]:
    """The crops of ``pages`` (:class:`docspec.core.PageImage`), drafted by ``drafter``, in reading order."""
    from docspec.drafting.tilt import straightened
    from docspec.hierarchy.regions.completing import complete
    from docspec.hierarchy.regions.reading import RegionReading

    reading = RegionReading(setup)
    found = []
    for page in pages:
        draft, _ = drafter.draft_with_events(page)
        upright, straight = straightened(page, draft)
        read = reading.crops_of(upright, complete(upright, straight))
        for crop in read.crops:
            tokens = crop.request.prompt.inputs["input_ids"][0].tolist()
            asked = reading.asked(upright, read.regions[crop.region], crop.piece)
            found.append(Task(asked, with_one_picture(tokens), crop.request))
    return found


def with_one_picture(tokens: Sequence[int]) -> tuple[int, ...]:
    """``tokens`` of a prompt with a single token where the picture has one for each of its cells, as chat templates
    write it: the longest run of a token is the picture."""
    runs = [(token, len(list(run))) for token, run in groupby(tokens)]
    longest = max(range(len(runs)), key=lambda index: runs[index][1])
    return tuple(
        token for index, (token, size) in enumerate(runs) for _ in range(1 if index == longest else size)
    )
