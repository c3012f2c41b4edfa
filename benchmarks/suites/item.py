"""What every data set gives: items to read with their truth, and scores of what was written for them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol, runtime_checkable

SCAN = "-scan"
"""How kinds of pages end that are scans of others (the samples)."""


@dataclass(frozen=True, slots=True)
class Item:
    """One page of a data set: ``page`` (1-based) of the file ``path``.

    ``id`` names it within the data set and is a path below it without suffix. ``kind`` is the published name of its
    kind of page, ``attributes`` are all that the data set says of the page; what its truth is only its suite knows.
    """

    id: str
    path: Path
    kind: str
    page: int = 1
    attributes: Mapping[str, str] = field(default_factory=dict)
    truth: Any = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Scores:
    """One way of reading, scored. ``figures`` are the data set's measures by name, ``None`` where it cannot be had;
    ``overall`` (0..100) is the one figure that tables of results show, ``overall_name`` how it is made.

    ``by_kind`` holds one figure a kind of page, ``kind_figure`` says which. ``interval`` is the 95 % confidence
    interval of ``overall`` where the data set defines one. ``remarks`` say what was left out or replaced, and why.
    """

    figures: Mapping[str, float | None]
    overall: float | None = None
    overall_name: str = ""
    by_kind: Mapping[str, float] = field(default_factory=dict)
    kind_figure: str = ""
    interval: tuple[float, float] | None = None
    remarks: tuple[str, ...] = ()


class Suite(Protocol):
    """A data set in a folder. ``name`` is what commands call it, ``title`` what tables do."""

    name: str
    title: str

    def items(self) -> Sequence[Item]:
        """All items, in an order that depends on nothing but the data set. Raises
        :class:`docspec.core.InputError` where the folder is not as the data set is published."""
        ...

    def score(self, items: Sequence[Item], outputs: Mapping[str, str]) -> Scores:
        """Scores the Markdown that was written for each of ``items``, by their ids (an item without counts as ``""``).

        Raises :class:`docspec.core.UsageError` where a package is missing without which nothing can be scored.
        """
        ...


@runtime_checkable
class PublishersSuite(Suite, Protocol):
    """A data set whose publisher's own scorer can be run."""

    def score_by(self, scorer: Path, items: Sequence[Item], outputs: Mapping[str, str], folder: Path) -> Scores:
        """Scores as :meth:`score` does by the program in ``scorer``, which leaves its files in ``folder``.

        Raises :class:`docspec.core.UsageError` where it is not there, or fails."""
        ...


def kind_means(items: Sequence[Item], values: Sequence[float | None]) -> dict[str, float]:
    """The mean of ``values``, one an item, by kind of page; an item without a value does not count."""
    found: dict[str, list[float]] = {}
    for item, value in zip(items, values, strict=True):
        if value is not None:
            found.setdefault(item.kind, []).append(value)
    return {kind: fmean(group) for kind, group in found.items()}


def share(items: Sequence[Item], limit: int | None, seed: int, shard: tuple[int, int]) -> list[Item]:
    """The items of shard ``(i, n)``: every nth of all, or of a sample of ``limit`` drawn with ``seed``."""
    chosen = list(items)
    if limit is not None and limit < len(chosen):
        kept = sorted(random.Random(seed).sample(range(len(chosen)), limit))
        chosen = [chosen[index] for index in kept]
    number, of = shard
    return chosen[number - 1 :: of]
