"""The end of a run in lines that fit a terminal: what was right, what it cost, and what went wrong last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from benchmarks.device.findings import Finding, Findings, distinct

WIDTH = 400
"""Characters of a line at most."""

FIGURES = ("launch", "copies", "graph", "bandwidth", "matmul", "compiled", "captured", "compiled and captured")
"""Kinds of which the summary has all fields."""

WAYS = ("plain", "side_by_side", "alone", "pieces")
"""Ways of reading that a family must pass, in each mode."""


def is_right(family: Finding) -> bool:
    """Whether every way of reading wrote what ``generate`` wrote, eager, captured and with split keys if the family
    can, in float32."""
    modes = ("off", "auto", *(("split",) if "split" in family else ()))
    return all(family.get(mode, {}).get(way) for mode in modes for way in WAYS)


def summary(findings: Findings) -> str:
    """The lines, joined."""
    parts = (_right, _steps, _pages, _attention, _product, _wrong)
    lines = [" ".join(line.split())[:WIDTH] for part in parts for line in part(findings)]
    return "\n".join(("", "=== summary ===", *lines, ""))


def _figure(value: Any, digits: int = 2) -> str:
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def _fields(finding: Finding, *without: str) -> str:
    hidden = {"part", "kind", "at", *without}
    return ", ".join(f"{name} {_figure(value)}" for name, value in finding.items() if name not in hidden)


def _right(of: Findings) -> Iterator[str]:
    for one in of.of("facts"):
        versions = f"torch {one.get('torch')}, transformers {one.get('transformers')}"
        yield f"{one.get('smi', one.get('cpu', 'unknown'))}; {versions}; {one.get('cpus')} processors"
    for kind in FIGURES:
        for one in of.of(kind):
            yield f"{kind}: {_fields(one)}"
    families = of.of("family")
    if families:
        wrong = [one for one in families if not is_right(one)]
        modes = Counter(str(one.get("auto", {}).get("mode")) for one in families)
        yield f"families in float32: {len(families) - len(wrong)} of {len(families)} right; steps: {dict(modes)}"
        for one in wrong:
            yield f"  NOT {one['name']}: {_fields(one, 'name', 'seconds')}"
    for one in of.of("fidelity"):
        verdicts = Counter(check["verdict"] for check in one.get("checks", ()))
        yield f"fidelity {one['page']} {one['graphs']}: {dict(verdicts) or 'skipped'}"
    for one in of.of("near ties", page="all") or of.of("near ties")[-1:]:
        for way, total in one["totals"].items():
            yield f"half precision, {way}: {total['identical']} of {total['crops']} crops as plain captured decoding"
    departures = of.of("departure")
    if departures:
        yield f"departures: {len(departures)}, near ties in float32: {sum(one['near_tie'] for one in departures)}"
    for one in of.of("doctor"):
        yield f"doctor, {one['name']}: {one['ok']}, {one['detail']}"


def _steps(of: Findings) -> Iterator[str]:
    for one in of.of("calibrated"):
        ways = f"split {one.get('split')} {one.get('no_split')}, kernels {one.get('kernels')}"
        yield f"calibrated {one['model']}: {ways}, {one['step_ms']} ms"
    names = ("model", "way", "mode", "prefix")
    for group in distinct(of.of("step"), *names):
        steps = of.of("step", **dict(zip(names, group, strict=True)))
        told = " ".join(f"{s['rows']}x{s['tree']} {_figure(s['wall_ms'])}/{_figure(s['floor_ms'])}" for s in steps)
        yield f"step {' '.join(map(str, group))} (ms/floor): {told}"


def _pages(of: Findings) -> Iterator[str]:
    for one in of.of("page"):
        trees, plain = one["trees"], one["plain"]
        yield (
            f"page {one['model']} {one['page'][:18]} {one['way']}: {trees['tokens']} tokens,"
            f" {_figure(one['tokens_a_step'], 1)} a step, plain {_figure(one['plain_ms_a_token'])} ms,"
            f" tree {_figure(one['tree_ms_a_step'])} ms, prefill {_figure(trees['prefill_s'], 3)} s,"
            f" SR_decode {_figure(one['sr_decode'])}, SR_e2e {_figure(one['sr_e2e_drafts_ready'])},"
            f" follows {trees['follows'] and plain['follows']}"
        )
    for kind in ("prefill", "generate", "host"):
        for one in of.of(kind):
            yield f"{kind} {one['model']}: {_fields(one, 'model', 'page', 'pixels')}"
    for one in of.of("kernels"):
        top = "; ".join(f"{name[:40]} {_figure(ms, 1)}/{count}" for name, ms, count in one["top"][:6])
        yield f"kernels {one['model']} {one['what']}: {_figure(one['total_ms'], 0)} ms, {top}"


def _attention(of: Findings) -> Iterator[str]:
    for model, prefix, tree in distinct(of.of("attention"), "model", "prefix", "tree"):
        ways = of.of("attention", model=model, prefix=prefix, tree=tree)
        told = ", ".join(f"{one['way']} {_figure(one['microseconds'], 0)}" for one in ways)
        yield f"attention {model} {prefix}+{tree} (us): {told}"


def _product(of: Findings) -> Iterator[str]:
    for one in of.of("parse"):
        seconds = _figure(one["seconds"], 1)
        yield f"parse, {one['in_flight']} in flight: rc {one['rc']}, {one['pages']} pages, {seconds} s"
    for one in of.of("speed"):
        ratio = _figure(one["sr_e2e"])
        told = f"{_figure(one['total'], 3)} s, SR_e2e {ratio}, identical {one['identical']}, {one['status']}"
        yield f"speed {one['page']} {one['dtype']} {one['mode']}: {told}"
    for one in of.of("compiled pages"):
        yield f"compiled pages: the same {one['same']}, {_figure(one['seconds'], 1)} s"


def _wrong(of: Findings) -> Iterator[str]:
    for one in of.of("error"):
        yield f"ERROR {one['part']}: {one['what']}: {one['error'][:200]} {' < '.join(reversed(one.get('where', ())))}"
    for one in of.of("part"):
        if one["how"] != "done":
            yield f"PART {one['part']}: {one['how']} after {_figure(one['seconds'], 1)} s"
    for one in of.of("skipped"):
        yield f"no time left for {', '.join(one['parts'])}"
