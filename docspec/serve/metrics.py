"""The gateway's metrics in Prometheus' text format. They contain nothing of the content of requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable


class Metrics:
    """``add`` increases a counter; ``show`` registers a gauge whose value is computed when the metrics are read."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, tuple[tuple[str, str], ...]]] = Counter()
        self._shown: dict[str, Callable[[], float]] = {}

    def add(self, name: str, value: float = 1, **labels: str) -> None:
        self._counts[name, tuple(sorted(labels.items()))] += value  # type: ignore[assignment]

    def show(self, name: str, value: Callable[[], float]) -> None:
        self._shown[name] = value

    def text(self) -> str:
        lines: list[str] = []
        known: set[str] = set()
        for (name, labels), value in sorted(self._counts.items()):
            if name not in known:
                known.add(name)
                lines.append(f"# TYPE docspec_{name} counter")
            inner = ",".join(f'{key}="{said}"' for key, said in labels)
            lines.append(f"docspec_{name}{{{inner}}} {value:.9g}" if inner else f"docspec_{name} {value:.9g}")
        for name, ask in sorted(self._shown.items()):
            lines += [f"# TYPE docspec_{name} gauge", f"docspec_{name} {ask():.9g}"]
        return "\n".join(lines) + "\n"
