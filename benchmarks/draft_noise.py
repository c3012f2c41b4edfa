"""Drafts made worse on purpose, by a known amount: what tests and benchmarks need to show that a bad draft
costs speed and never text. The same settings on the same draft give the same result on every machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from docspec.core import BBox, Category, PageDraft, Region

_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:-()'"
_TAG = re.compile(r"(<[^<>]*>)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How much is broken. Rates and shares are 0..1.

    ``substitute``, ``delete`` and ``insert`` are rates per character (tags of tables stay whole). ``jitter``
    moves each edge of a box by up to that share of the box's side. ``drop`` is the chance that a region is
    lost. ``shuffle`` is the share of the regions that change places among themselves."""

    substitute: float = 0.0
    delete: float = 0.0
    insert: float = 0.0
    jitter: float = 0.0
    drop: float = 0.0
    shuffle: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("substitute", "delete", "insert", "jitter", "drop", "shuffle"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie between 0 and 1, not {getattr(self, name)}")
        if self.substitute + self.delete > 1:
            raise ValueError("substitute and delete exceed 1 together; one character suffers only one of them")

    @classmethod
    def edits(cls, rate: float, seed: int = 0) -> Noise:
        """Wrong characters only: ``rate`` per character, in equal parts substituted, deleted and inserted."""
        return cls(substitute=rate / 3, delete=rate / 3, insert=rate / 3, seed=seed)


def degrade(draft: PageDraft, noise: Noise) -> PageDraft:
    """``draft`` with all of ``noise``. Each region has its own random stream: dropping one changes no
    other."""
    regions = [
        degrade_region(region, noise, stream=f"region {index}")
        for index, region in enumerate(draft.regions)
        if Random(f"{noise.seed} drop {index}").random() >= noise.drop
    ]
    texts = tuple(degrade_text(text, noise, stream=f"page {index}") for index, text in enumerate(draft.page_texts))
    return replace(draft, regions=tuple(shuffled(regions, noise)), page_texts=texts)


def degrade_region(region: Region, noise: Noise, stream: str = "") -> Region:
    """``region`` with a moved box and wrong characters; ``stream`` names its random numbers."""
    texts = tuple(
        degrade_text(text, noise, f"{stream} text {index}", markup=region.category is Category.TABLE)
        for index, text in enumerate(region.texts)
    )
    return replace(region, bbox=_moved(region.bbox, noise, stream), texts=texts)


def degrade_text(text: str, noise: Noise, stream: str = "", *, markup: bool = False) -> str:
    """``text`` with wrong, missing and additional characters; with ``markup``, what is in ``<...>`` is
    spared."""
    random = Random(f"{noise.seed} {stream}")
    parts = _TAG.split(text) if markup else [text]
    return "".join(part if index % 2 else _edited(part, noise, random) for index, part in enumerate(parts))


def shuffled(regions: Sequence[Region], noise: Noise) -> list[Region]:
    """``regions`` with ``noise.shuffle`` of them (two at least, if any) permuted among their places."""
    random = Random(f"{noise.seed} shuffle")
    count = min(len(regions), max(2, round(noise.shuffle * len(regions))))
    if noise.shuffle == 0 or count < 2:
        return list(regions)
    places = random.sample(range(len(regions)), count)
    result = list(regions)
    for place, source in zip(places, places[1:] + places[:1], strict=True):  # a cycle: none keeps its place
        result[place] = regions[source]
    return result


def _edited(text: str, noise: Noise, random: Random) -> str:
    pieces: list[str] = []
    for char in text:
        fate = random.random()
        if fate < noise.substitute:
            pieces.append(_other(char, random))
        elif fate >= noise.substitute + noise.delete:
            pieces.append(char)
        if random.random() < noise.insert:
            pieces.append(random.choice(_ALPHABET))
    return "".join(pieces)


def _other(char: str, random: Random) -> str:
    """A character that is not ``char``."""
    return random.choice(_ALPHABET.replace(char, ""))


def _moved(box: BBox, noise: Noise, stream: str) -> BBox:
    if noise.jitter == 0:
        return box
    random = Random(f"{noise.seed} {stream} box")
    dx, dy = noise.jitter * box.width, noise.jitter * box.height
    x = sorted((box.x0 + random.uniform(-dx, dx), box.x1 + random.uniform(-dx, dx)))
    y = sorted((box.y0 + random.uniform(-dy, dy), box.y1 + random.uniform(-dy, dy)))
    return BBox(x[0], y[0], x[1], y[1])
