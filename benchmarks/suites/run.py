"""A run over a data set: its items one after the other, each into the journal when it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.suites.item import Item
from benchmarks.suites.journal import Journal, Record, name_of


def run(
    items: Sequence[Item],
    read: Callable[[Item], Record],
    folder: Path,
    settings: Mapping[str, Any],
    shard: tuple[int, int] = (1, 1),
    resume: bool = False,
    on_item: Callable[[int, Record], None] | None = None,
) -> None:
    """Reads those of ``items`` that the journal of this shard in ``folder`` does not have yet.

    ``on_item`` is told of each with the number of items that are still to be read. Raises as :class:`Journal` does.
    """
    journal = Journal(folder / name_of(shard), settings, resume)
    try:
        left = [item for item in items if item.id not in journal.done]
        for count, item in enumerate(left, 1):
            record = read(item)
            journal.add(record)
            if on_item is not None:
                on_item(len(left) - count, record)
    finally:
        journal.close()
