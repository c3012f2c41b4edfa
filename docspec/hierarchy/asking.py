"""The requests for a page that is read whole: for its regions (Stage 1, every engine) and for the page (Stage 2,
engines in other processes; :mod:`docspec.hierarchy.whole` has those of the engine here)."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from docspec.core import BBox, PageDraft, PageImage
from docspec.dialects import Dialect
from docspec.generation.interface import GenerationRequest

MAX_REGION_TOKENS = 1536
"""Most output tokens of a region."""

MARGIN = 4
"""Pixels added around a region."""

MAX_ASPECT = 30.0
"""Longer side over shorter side beyond which the shorter one is padded."""


def asked_of_regions(
    dialect: Dialect, factor: int, page: PageImage, draft: PageDraft, special_tokens: bool = False
) -> list[tuple[int, GenerationRequest]]:
    """The requests of Stage 1 in reading order, each with the index of its region. Regions without pixels or without
    text to verify are skipped. Crops are padded to a grid of ``factor`` pixels."""
    found = []
    for index, region in enumerate(draft.regions):
        image = crop(page.image, region.bbox, factor) if region.texts else None
        if image is not None:
            drafts = tuple(dialect.region_drafts(region))
            prompt = dialect.crop_prompt(region)
            found.append(
                (index, GenerationRequest(image, prompt, MAX_REGION_TOKENS, drafts, special_tokens=special_tokens))
            )
    return found


def asked_of_page(
    dialect: Dialect,
    page: PageImage,
    draft: PageDraft,
    texts: Sequence[str] | None,
    max_tokens: int,
    special_tokens: bool = False,
) -> GenerationRequest:
    """The request of Stage 2. Its drafts are those of ``draft`` and the ``texts`` that Stage 1 wrote for the
    regions."""
    drafts = dialect.page_drafts(draft, page.width, page.height, None if texts is None else list(texts))
    return GenerationRequest(page.image, dialect.page_prompt, max_tokens, tuple(drafts), "page", special_tokens)


def crop(image: Image.Image, bbox: BBox, factor: int) -> Image.Image | None:
    """The part of ``image`` inside ``bbox``, slightly larger, on a white canvas whose sides are multiples of ``factor``
    pixels, at least two of them. It is padded, never stretched: resizing would change the aspect ratio of a thin line
    by a third. ``None`` where the box has no pixels on the page."""
    left, top, right, bottom = bbox.grown(MARGIN).clamped(image.width, image.height).rounded()
    width, height = right - left, bottom - top
    if width < 2 or height < 2:
        return None
    canvas_width = _padded(max(width, height / MAX_ASPECT), factor)
    canvas_height = _padded(max(height, width / MAX_ASPECT), factor)
    canvas = Image.new("RGB", (canvas_width, canvas_height), "white")
    canvas.paste(image.crop((left, top, right, bottom)), ((canvas_width - width) // 2, (canvas_height - height) // 2))
    return canvas


def _padded(size: float, factor: int) -> int:
    return max(2, -(-int(size) // factor)) * factor
