"""Spans of OpenTelemetry for the gateway's requests, where whoever runs it has configured a tracer (its SDK, installed
and started by ``opentelemetry-instrument``). Without one nothing is recorded; no content of a request is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any


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
