"""What a run's records say: speed of each mode over all pages and by kind, with medians and spread.

Ratios of several pages are those of sums of medians; beside them stand the median and the 10th and 90th percentile of
the pages' own ratios. ``most_tokens`` leaves out pages whose plain output is longer, as the paper does in its rows with
an asterisk (2,048) and in its tables A1 and A2 (8,192).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, quantiles
from typing import Any

from benchmarks.suites.journal import Record
from docspec.bench.speed import PLAIN

FILTERS = (2048, 8192)
"""Tokens of output beyond which the paper's filtered rows leave a page out."""


@dataclass(frozen=True, slots=True)
class Speed:
    """One mode over some pages. Ratios are over plain decoding; ``draft`` are mean seconds a page; ``low`` and ``high``
    are percentiles of the pages' SR_e2e; ``slowest`` and ``fastest`` SR_e2e with the mode's runs at their slowest
    beside the fastest of plain decoding, and the other way round; ``identical`` counts pages with the tokens of plain
    decoding."""

    mode: str
    pages: int
    tokens: int
    aal: float
    tokens_per_step: float
    sr_decode: float
    sr_e2e: float
    median: float
    low: float
    high: float
    slowest: float
    fastest: float
    draft: float
    identical: int


def readable(records: Sequence[Record], mode: str, most_tokens: int | None = None) -> list[Record]:
    """The records in which ``mode`` and plain decoding both read the page, without those that the filter leaves out."""
    return [
        record
        for record in records
        if all(record["ways"].get(way, {}).get("status") == "ok" for way in (PLAIN, mode))
        and (most_tokens is None or record["ways"][PLAIN]["tokens"] <= most_tokens)
    ]


def speed(records: Sequence[Record], mode: str, most_tokens: int | None = None) -> Speed | None:
    """``mode`` over those of ``records`` that count; ``None`` where none does."""
    counted = readable(records, mode, most_tokens)
    if not counted:
        return None
    own, plain = [record["ways"][mode] for record in counted], [record["ways"][PLAIN] for record in counted]
    steps = sum(way["steps"] for way in own)
    accepted = sum(way["accepted"] for way in own)
    ratios = [_ratio(one["seconds"], other["seconds"]) for one, other in zip(plain, own, strict=True)]
    low, high = _tenths(ratios)
    return Speed(
        mode=mode,
        pages=len(counted),
        tokens=sum(way["tokens"] for way in own),
        aal=accepted / steps if steps else 0.0,
        tokens_per_step=(accepted + steps) / steps if steps else 0.0,
        sr_decode=_sums(plain, own, "decode"),
        sr_e2e=_sums(plain, own, "seconds"),
        median=median(ratios),
        low=low,
        high=high,
        slowest=_sums(plain, own, "seconds", min, max),
        fastest=_sums(plain, own, "seconds", max, min),
        draft=fmean(median(way["draft"]) for way in own),
        identical=sum(way["identical"] for way in own),
    )


def by_kind(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Records grouped by the kind of their page, kinds in alphabetical order."""
    return {
        kind: [record for record in records if record["kind"] == kind]
        for kind in sorted({record["kind"] for record in records})
    }


def outputs(records: Sequence[Record], way: str) -> dict[str, str]:
    """What ``way`` wrote for each item; ``""`` where it failed."""
    return {record["item"]: record["ways"].get(way, {}).get("text", "") for record in records}


def ways_of(records: Sequence[Record]) -> list[str]:
    """All ways in ``records``, in the order in which they first stand there."""
    return list(dict.fromkeys(way for record in records for way in record["ways"]))


def _sums(
    plain: Sequence[Mapping[str, Any]],
    own: Sequence[Mapping[str, Any]],
    field: str,
    of_plain: Callable[[Sequence[float]], float] = median,
    of_own: Callable[[Sequence[float]], float] = median,
) -> float:
    """The ratio of sums over pages, of what ``of_plain`` and ``of_own`` make of a page's runs."""
    below = sum(of_own(way[field]) for way in own)
    return sum(of_plain(way[field]) for way in plain) / below if below else 1.0


def _ratio(plain: Sequence[float], own: Sequence[float]) -> float:
    return median(plain) / median(own) if median(own) else 1.0


def _tenths(values: Sequence[float]) -> tuple[float, float]:
    """The 10th and the 90th percentile."""
    if len(values) == 1:
        return values[0], values[0]
    cuts = quantiles(values, n=10, method="inclusive")
    return cuts[0], cuts[-1]
