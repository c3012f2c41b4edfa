"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Row = Sequence[object]


def table(heading: str, head: Row, rows: Iterable[Row], note: str = "") -> str:
    """A Markdown table below a heading; empty where it has no rows."""
    lines = ["| " + " | ".join(map(figure, row)) + " |" for row in rows]
    if not lines:
        return ""
    top = ["| " + " | ".join(map(str, head)) + " |", "|" + "---|" * len(head)]
    return "\n".join((f"### {heading}", "", *((note, "") if note else ()), *top, *lines))


def figure(value: object) -> str:
    """A number as people read it: three digits, none behind the point from a hundred on."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 0.1 or not value else 3
        return f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else "" if value is None else str(value).replace("|", "\\|")
