"""``--shard I/N``: which of N runs reads a document."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from typing import Self

from docspec.core import UsageError


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``index`` (from 1) of ``count``. It depends on a document's place alone: files that come and go move no
    other file."""

    index: int
    count: int

    @classmethod
    def parsed(cls, text: str) -> Self:
        """``2/8``; raises :class:`UsageError` for anything else."""
        match = re.fullmatch(r"(?a:(\d{1,9})/(\d{1,9}))", text.strip())
        index, count = map(int, match.groups()) if match else (0, 0)
        if not 1 <= index <= count:
            raise UsageError(f"--shard {text}: write it like 1/8, the first of eight parts")
        return cls(index, count)

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def holds(self, place: str) -> bool:
        """Whether the document whose place in the output tree is ``place`` is of this part."""
        drawn = hashlib.blake2b(os.fsencode(place), digest_size=8).digest()
        return int.from_bytes(drawn) % self.count == self.index - 1
