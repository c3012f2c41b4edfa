"""A run made into figures: scores of every way of reading, speed of every mode, and the texts to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.suites.item import Item, PublishersSuite, Scores, Suite
from benchmarks.suites.journal import Record, read_journals
from benchmarks.suites.reading import DRAFT, STAGE1
from benchmarks.suites.summary import FILTERS, by_kind, outputs, speed, ways_of
from benchmarks.table_finders import BESIDE
from docspec.bench.speed import PLAIN
from docspec.core import OutputError, UsageError


@dataclass(frozen=True, slots=True)
class SuiteResults:
    """What a folder's journals say. ``scores`` has every way of reading by its name."""

    suite: str
    title: str
    settings: Mapping[str, Any]
    records: Sequence[Record]
    of_items: int
    scores: Mapping[str, Scores]

    @property
    def modes(self) -> list[str]:
        """The modes that were timed, plain decoding first."""
        return [way for way in ways_of(self.records) if way not in (DRAFT, STAGE1, *BESIDE)]

    def as_json(self) -> dict[str, Any]:
        """All figures, without texts."""
        compared = [mode for mode in self.modes if mode != PLAIN]
        groups = by_kind(self.records)
        return {
            "suite": self.suite,
            "title": self.title,
            "settings": dict(self.settings),
            "pages": len(self.records),
            "of_pages": self.of_items,
            "failed": [record["item"] for record in self.records if failed(record)],
            "accuracy": {way: asdict(one) for way, one in self.scores.items()},
            "speed": [_speed(self.records, mode, most) for most in (None, *FILTERS) for mode in compared],
            "speed_by_kind": [
                {"kind": kind, **_speed(group, mode, most)}
                for kind, group in groups.items()
                for most in (None, *FILTERS)
                for mode in compared
            ],
        }


def failed(record: Record) -> bool:
    """Whether the page could not be shown, or some mode failed on it."""
    return "error" in record or any(way.get("status") == "failed" for way in record["ways"].values())


def results_in(folder: Path, suite: Suite, items: Sequence[Item], scorer: Path | None = None) -> SuiteResults:
    """The results of the run in ``folder``; ``scorer`` is where the publisher's own lies.

    What every way wrote is left in ``folder/written/WAY/ITEM.md``. Raises as :func:`read_journals` and
    :meth:`PublishersSuite.score_by` do; where a scorer's package is missing, the scores' remark says so.
    """
    settings, records = read_journals(folder)
    read = {record["item"] for record in records}
    done = [item for item in items if item.id in read]
    scores = {}
    for way in ways_of(records):
        written = outputs(records, way)
        place = folder / "written" / way.replace(" ", "-")
        _write(place, written)
        if scorer is not None and isinstance(suite, PublishersSuite):
            scores[way] = suite.score_by(scorer, done, written, folder / "scorer" / way.replace(" ", "-"))
        else:
            try:
                scores[way] = suite.score(done, written)
            except UsageError as error:  # a package that is missing must not cost the run's other figures
                scores[way] = Scores({}, remarks=(str(error),))
    return SuiteResults(suite.name, suite.title, settings, records, len(items), scores)


def _speed(records: Sequence[Record], mode: str, most_tokens: int | None) -> dict[str, Any]:
    found = speed(records, mode, most_tokens)
    return {"mode": mode, "most_tokens": most_tokens, **(asdict(found) if found else {"pages": 0})}


def _write(place: Path, written: Mapping[str, str]) -> None:
    try:
        for item, text in written.items():
            file = place / f"{item}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise OutputError(f"{place}: cannot be written ({error.strerror or error})") from error
