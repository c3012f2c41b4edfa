"""The requests for a page that is read whole: for its regions (Stage 1) and for the page (Stage 2), for every
engine."""

from __future__ import annotations

from collections.abc import Sequence

from docspec.core import PageDraft, PageImage
from docspec.dialects import Dialect
from docspec.generation.interface import GenerationRequest
from docspec.hierarchy.crops import crop

MAX_REGION_TOKENS = 1536
"""Most output tokens of a region."""


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
