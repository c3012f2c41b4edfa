"""Drafts that no drafter makes while a page is read: made beforehand, or of the target's own output."""

from __future__ import annotations

import random

from docspec.core import BBox, Category, PageDraft, PageImage, Region


class FixedDraft:
    """A drafter that answers with a draft made beforehand."""

    name = "given"

    def __init__(self, draft: PageDraft) -> None:
        self._draft = draft

    def draft(self, page: PageImage) -> PageDraft:
        return self._draft


def echo(page: PageImage, text: str, rate: float, seed: int) -> PageDraft:
    """A draft made of the target's own output with a share ``rate`` of its words changed, dropped or doubled.

    Even targets that do not read accept much of such a draft, so that trees grow and are compacted.
    """
    rng = random.Random(seed)
    words: list[str] = []
    for word in text.split(" "):
        kind = rng.randrange(3) if rng.random() < rate else None
        if kind is None:
            words.append(word)
        elif kind == 0:
            words.append("?" + word[::-1])
        elif kind == 1:
            words.extend((word, word))
    third = max(1, len(words) // 3)
    box = BBox(0, 0, page.width, page.height)
    parts = [" ".join(words[start : start + third + 10]) for start in range(0, len(words), third)]
    regions = tuple(
        Region(
            BBox(0, page.height * i / len(parts), page.width, page.height * (i + 1) / len(parts)), Category.TEXT, (t,)
        )
        for i, t in enumerate(parts)
    )
    return PageDraft((*regions, Region(box, Category.TEXT, (text[::-1],))), "echo", page_texts=(" ".join(words),))
