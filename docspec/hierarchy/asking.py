"""The requests for a page that is read whole: for its regions (Stage 1) and for the page (Stage 2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PIL import Image

from docspec.core import BBox, PageDraft, PageImage
from docspec.generation.interface import GenerationRequest
from docspec.hierarchy.reading_context import ReadingContext

MAX_REGION_TOKENS = 1536
"""Most output tokens of a region."""

SPARE_TOKENS = 48
"""Output tokens of a region beyond one and a half times its longest draft."""

MARGIN = 4
"""Pixels added around a region."""

MAX_ASPECT = 30.0
"""Longer side over shorter side beyond which the shorter one is padded."""


def asked_of_regions(context: ReadingContext, page: PageImage, draft: PageDraft) -> list[tuple[int, GenerationRequest]]:
    """The requests of Stage 1 in reading order, each with the index of its region. Regions without pixels or without
    text to verify are skipped. No region may write more than the page's own budget, if it has one."""
    dialect, most = context.dialect, min(context.options.max_tokens or MAX_REGION_TOKENS, MAX_REGION_TOKENS)
    requests = []
    for index, region in enumerate(draft.regions):
        image = crop(page.image, region.bbox, context.sight.factor) if region.texts else None
        if image is not None:
            asked = GenerationRequest(
                image,
                dialect.crop_prompt(region),
                most,
                tuple(dialect.region_drafts(region)),
                special_tokens=context.card.writes_special_tokens,
                spare=SPARE_TOKENS,
            )
            requests.append((index, asked))
    return requests


def asked_of_page(
    context: ReadingContext, page: PageImage, draft: PageDraft, texts: Sequence[str] | None
) -> GenerationRequest:
    """The request of Stage 2. Its drafts are those of ``draft`` and the ``texts`` that Stage 1 wrote for the
    regions; none with ``stages`` ``none``."""
    dialect, options = context.dialect, context.options
    plain = options.stages == "none"
    usable, known = PageDraft() if plain else draft, None if texts is None else list(texts)
    return GenerationRequest(
        page.image,
        dialect.page_prompt,
        options.max_tokens or context.card.max_new_tokens,
        tuple(dialect.page_drafts(usable, page.width, page.height, known)),
        "page",
        context.card.writes_special_tokens,
        grammar=partial(dialect.grammar, usable, page.width, page.height, known),
        plain=plain,
        traced=options.traces,
    )


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
