"""What the campaign tries, and what came of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """One hostile file. ``name`` ends as its kind of file does; ``words`` are those of the undamaged original, where
    there is one, each of whose pages had some (``full``)."""

    family: str
    name: str
    kind: str
    data: bytes
    words: Counter[str] = field(default_factory=Counter)
    full: bool = False


@dataclass
class Result:
    """What came of a case: nothing in ``faults`` where it passed. ``code`` is the exit code that it led to, ``marked``
    whether the run said that something may be missing, ``lost`` the share of the original's words that are not in the
    output where it did not, ``missing`` how many words of its pages are not, by the ledger's account. ``doubtful``:
    words are lost, and every page that was read is called doubtful."""

    family: str
    name: str
    kind: str
    code: int | None
    faults: list[str]
    cpu: float = 0.0
    memory: int = 0
    marked: bool = False
    lost: float = 0.0
    missing: int = 0
    doubtful: bool = False
    said: str = ""

    def as_line(self) -> dict[str, Any]:
        """JSON values; what was said is kept of faults alone."""
        values = dict(vars(self))
        if not self.faults:
            del values["said"]
        return values
