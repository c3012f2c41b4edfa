"""The figures as a table for a README: a row for each engine, a column for each number of requests in flight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.engines.measure import Figure

DOCSPEC = "vLLM, docspec"

PREFILL = "vLLM, prefill"
"""vLLM asked for the first token alone: what pictures, prompts and HTTP take, with drafts or without."""


def without_drafts(figures: Iterable[Figure]) -> dict[Figure, Figure]:
    """The figure that each is to be compared with: the same engine without drafts, at the same load."""
    known = list(figures)
    plain = {(one.in_flight, one.engine.removesuffix(", plain")): one for one in known}
    found = {}
    for one in known:
        other = plain.get((one.in_flight, one.engine.partition(", ")[0]))
        if other is not None:
            found[one] = other
    return found


def crossover(figures: Sequence[Figure]) -> str:
    """From how many requests in flight on docspec's drafts no longer make vLLM faster."""
    others = without_drafts(figures)
    ours = [one for one in figures if one.engine == DOCSPEC and one in others]
    pairs = [(one.in_flight, others[one].typical / one.typical) for one in ours]
    if not pairs:
        return ""
    slower = [load for load, faster in sorted(pairs) if faster < 1.0]
    worst = min(faster for _, faster in pairs)
    most = max(load for load, _ in pairs)
    found = f"below {slower[0]} requests in flight" if slower else f"at every load up to {most} requests in flight"
    return f"docspec's drafts pay {found} (at worst {worst:.2f}x)"


def decoding_alone(figures: Sequence[Figure]) -> str:
    """How many times as fast docspec's drafts make vLLM, at each load, without what :data:`PREFILL` takes."""
    others = without_drafts(figures)
    prefill = {one.in_flight: one.typical for one in figures if one.engine == PREFILL}
    ours = [one for one in figures if one.engine == DOCSPEC and one in others and one.in_flight in prefill]
    found = []
    for one in sorted(ours, key=lambda each: each.in_flight):
        before = prefill[one.in_flight]
        if one.typical > before:
            found.append(f"{(others[one].typical - before) / (one.typical - before):.2f}x at {one.in_flight}")
    return f"decoding alone (without prefill): {', '.join(found)}" if found else ""


def markdown(figures: Sequence[Figure], title: str, caption: str) -> str:
    """``title``, the table, and what its cells are. A cell: times as fast as without drafts, seconds (fastest to
    slowest), 50th and 95th percentile of a request."""
    loads = sorted({one.in_flight for one in figures})
    others = without_drafts(figures)
    lines = [
        title,
        "",
        "| requests in flight | " + " | ".join(map(str, loads)) + " | accepted a step | same tokens |",
        "|---" * (len(loads) + 3) + "|",
    ]
    for engine in dict.fromkeys(one.engine for one in figures):
        row = {one.in_flight: one for one in figures if one.engine == engine}
        cells = [_cell(row[load], others.get(row[load])) if load in row else "" for load in loads]
        accepted = sorted(one.accepted for one in row.values() if one.accepted is not None)
        same = f"{sum(one.same for one in row.values())} of {sum(one.requests for one in row.values())}"
        between = f"{accepted[0]:.1f} to {accepted[-1]:.1f}" if accepted else ""
        lines.append("| " + " | ".join([engine, *cells, between, same]) + " |")
    return "\n".join([*lines, "", caption, ""])


def _cell(figure: Figure, plain: Figure | None) -> str:
    faster = "" if plain is None or plain is figure else f"**{plain.typical / figure.typical:.2f}x** "
    spread = f"{figure.typical:.2f} s ({min(figure.seconds):.2f}-{max(figure.seconds):.2f})"
    half, most = figure.latency(0.5), figure.latency(0.95)
    each = "" if half is None or most is None else f"; {1e3 * half:.0f}, {1e3 * most:.0f} ms"
    return f"{faster}{spread}{each}"
