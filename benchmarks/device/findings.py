"""What the check finds: JSON objects, one a line, each with its ``part`` and its ``kind``."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Finding = dict[str, Any]


class Findings:
    """Findings in the order in which they came."""

    def __init__(self, lines: Iterable[Finding]) -> None:
        self.lines = list(lines)

    @classmethod
    def read(cls, file: Path) -> Findings:
        """The lines of ``file``. Raises ``ValueError`` with the number of a line that is not a finding."""
        found = []
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                finding = json.loads(line)
                if not isinstance(finding.get("kind"), str):
                    raise ValueError("it has no kind")
            except (ValueError, AttributeError) as error:
                raise ValueError(f"{file}, line {number}, is not a finding of the check: {error}") from error
            found.append(finding)
        return cls(found)

    def of(self, kind: str, **values: object) -> list[Finding]:
        """Those of ``kind`` whose fields have these ``values``."""
        return [
            one for one in self.lines if one["kind"] == kind and all(one.get(name) == v for name, v in values.items())
        ]

    def first(self, kind: str, **values: object) -> Finding:
        """The first of :meth:`of`; empty where there is none."""
        return next(iter(self.of(kind, **values)), {})


def distinct(findings: Iterable[Finding], *names: str) -> list[tuple[Any, ...]]:
    """The values that the fields ``names`` have together, each once, as they first come."""
    return list(dict.fromkeys(tuple(one[name] for name in names) for one in findings))


def plain(value: Any) -> Any:
    """``value`` as JSON can hold it: five digits behind the point, ``inf`` and ``nan`` and unknown objects as text."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return round(value, 5) if math.isfinite(value) else str(value)
    return value if isinstance(value, bool | int | str) or value is None else str(value)
