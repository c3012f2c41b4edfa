"""Counters, gauges and histograms in the text format of Prometheus, and spans of OpenTelemetry."""

from __future__ import annotations

import contextlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import accumulate
from typing import Any

BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
"""Upper bounds of a histogram's buckets, in seconds."""

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """``add`` increases a counter; ``observe`` adds seconds to a histogram; ``show`` registers a gauge whose value is
    computed when the metrics are read."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, Labels]] = Counter()
        self._shown: dict[str, Callable[[], float]] = {}
        self._seconds: dict[tuple[str, Labels], tuple[list[int], list[float]]] = {}

    def add(self, name: str, value: float = 1, **labels: str) -> None:
        self._counts[name, tuple(sorted(labels.items()))] += value  # type: ignore[assignment]

    def observe(self, name: str, seconds: float, **labels: str) -> None:
        key = name, tuple(sorted(labels.items()))
        buckets, total = self._seconds.setdefault(key, ([0] * (len(BOUNDS) + 1), [0.0]))
        buckets[bisect_left(BOUNDS, seconds)] += 1
        total[0] += seconds

    def show(self, name: str, value: Callable[[], float]) -> None:
        self._shown[name] = value

    def text(self) -> str:
        lines: list[str] = []
        known: set[str] = set()
        for (name, labels), value in sorted(self._counts.items()):
            if name not in known:
                known.add(name)
                lines.append(f"# TYPE docspec_{name} counter")
            lines.append(f"docspec_{name}{_inner(labels)} {value:.9g}")
        for (name, labels), (buckets, total) in sorted(self._seconds.items()):
            if name not in known:
                known.add(name)
                lines.append(f"# TYPE docspec_{name} histogram")
            for bound, count in zip((*map("{:g}".format, BOUNDS), "+Inf"), accumulate(buckets), strict=True):
                lines.append(f"docspec_{name}_bucket{_inner((*labels, ('le', bound)))} {count}")
            lines.append(f"docspec_{name}_sum{_inner(labels)} {total[0]:.9g}")
            lines.append(f"docspec_{name}_count{_inner(labels)} {sum(buckets)}")
        for name, ask in sorted(self._shown.items()):
            lines += [f"# TYPE docspec_{name} gauge", f"docspec_{name} {ask():.9g}"]
        return "\n".join(lines) + "\n"


def _inner(labels: Labels) -> str:
    return "{" + ",".join(f'{key}="{label}"' for key, label in labels) + "}" if labels else ""


@contextlib.contextmanager
def span(method: str, route: str, headers: Any) -> Iterator[Any]:
    """The span of one request, a child of the client's own (``traceparent``); ``None`` where nothing is recorded."""
    if find_spec("opentelemetry") is None:
        yield None
        return
    from opentelemetry import propagate, trace

    tracer = trace.get_tracer("docspec.serve")
    parent = propagate.extract(
        {name: value for name, value in headers.items() if name in ("traceparent", "tracestate")}
    )
    attributes = {"http.request.method": method, "http.route": route}
    with tracer.start_as_current_span(
        f"{method} {route}", parent, trace.SpanKind.SERVER, attributes, record_exception=False
    ) as made:
        yield made if made.is_recording() else None
