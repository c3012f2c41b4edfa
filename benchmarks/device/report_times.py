"""The tables of times of a run: a step, a page and where its time goes, attention, the product's commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.device.findings import Finding, Findings, distinct
from benchmarks.device.markdown import Row, table

KERNEL_GROUPS = (
    ("attention with a mask", ("fmha_",)),
    ("flash attention", ("pytorch_flash",)),
    ("matrix products", ("nvjet", "gemm", "cutlass", "splitK")),
    ("copies and concatenations", ("Copy", "copy", "Cat", "cat")),
    ("element-wise operations", ("elementwise",)),
    ("reductions", ("reduce",)),
)
"""Kernels by words in their names; the first group that fits counts."""


def in_short(run: Findings) -> Iterator[str]:
    """What people ask first: a page's seconds, and by the attention of a step."""
    pages = run.of("page")
    ways = [way for (way,) in distinct(pages, "way")]
    seconds = {one["model"]: one["page_s_extrapolated"] for one in run.of("generate")}
    rows: list[Row] = []
    for number, (model, page) in enumerate(found := distinct(pages, "model", "page")):
        of = {one["way"]: one for one in run.of("page", model=model, page=page)}
        first = number == 0 or found[number - 1][0] != model  # generate read this page alone
        times = [_total(of[way][kind]) if way in of else None for way in ways for kind in ("plain", "trees")]
        rows.append((model, page, seconds.get(model) if first else None, *times))
    head = [f"{way}: {kind}" for way in ways for kind in ("plain", "trees")]
    note = "Seconds from the picture to the end of the text, drafts ready, by the attention of steps."
    yield table("In short: a page", ("model", "page", "`generate`", *head), rows, note)


def times(run: Findings) -> Iterator[str]:
    """All the tables."""
    for tables in (_steps, _pages, _costs, _attention, _product, _compiled):
        yield from tables(run)


def _steps(run: Findings) -> Iterator[str]:
    for (model,) in distinct(run.of("step"), "model"):
        steps = run.of("step", model=model)
        trees = sorted({one["tree"] for one in steps})
        rows: list[Row] = []
        for way, mode, prefix, count in sorted(distinct(steps, "way", "mode", "prefix", "rows"), key=_step_order):
            found = {s["tree"]: s for s in run.of("step", model=model, way=way, mode=mode, prefix=prefix, rows=count)}
            floor = next(iter(found.values()))["floor_ms"]
            rows.append((way, mode, prefix, count, floor, *(found.get(tree, {}).get("wall_ms") for tree in trees)))
        head = ("attention", "steps", "prefix", "rows", "floor", *(f"{tree} nodes" for tree in trees))
        note = "Milliseconds; the floor is reading weights, keys and values once at the bandwidth above."
        yield table(f"A step of {model}", head, rows, note)


def _step_order(group: tuple[Any, ...]) -> tuple[Any, ...]:
    way, mode, prefix, rows = group
    return mode == "eager", prefix, rows, way != "masked", way


def _pages(run: Findings) -> Iterator[str]:
    yield table(
        "Pages that follow a transcript",
        *(
            (
                "model",
                "page",
                "attention",
                "tokens",
                "a step",
                "plain step ms",
                "tree step ms",
                "prefill s",
                "plain page s",
            ),
            (
                (
                    *(one["model"], one["page"], one["way"], one["trees"]["tokens"], one["tokens_a_step"]),
                    *(one["plain_ms_a_token"], one["tree_ms_a_step"], one["trees"]["prefill_s"], _total(one["plain"])),
                )
                for one in run.of("page")
            ),
        ),
    )
    yield table(
        "The same pages: how much faster",
        ("model", "page", "attention", "with trees s", "SR_decode", "SR_e2e", "with drafting", "follows"),
        (
            (
                *(one["model"], one["page"], one["way"], _total(one["trees"]), one["sr_decode"]),
                *(one["sr_e2e_drafts_ready"], one["sr_e2e_with_draft"]),
                one["trees"]["follows"] and one["plain"]["follows"],
            )
            for one in run.of("page")
        ),
        "Plain steps have the same attention as trees. Drafting was timed where the page was prepared.",
    )
    yield table(
        "transformers' `generate`, without docspec",
        ("model", "prompt", "ms a token", "page s, reckoned from 36 tokens"),
        ((one["model"], one["prompt"], one["ms_a_token"], one["page_s_extrapolated"]) for one in run.of("generate")),
    )


def _total(reading: Finding) -> float:
    return float(reading["encode_s"] + reading["prefill_s"] + reading["decode_s"])


def _costs(run: Findings) -> Iterator[str]:
    names = ("encode", "upload", "vision", "decoder", "prefill")
    yield table(
        "Where the time of a prompt goes",
        (
            "model",
            "tokens",
            "patches",
            "picture on the host s",
            "copy s",
            "vision s",
            "decoder s",
            "prefill whole s",
            "peak GiB",
        ),
        (
            (one["model"], one["prompt"], one["patches"], *(one["seconds"].get(n) for n in names), one.get("peak_gib"))
            for one in run.of("prefill")
        ),
    )
    hosts = run.of("host")
    parts = dict.fromkeys(part for one in hosts for part in one["ms_a_step"])
    yield table(
        "Where the time of a step with a tree goes, on the host",
        ("part", *(one["model"] for one in hosts)),
        (
            *((part, *(one["ms_a_step"].get(part) for one in hosts)) for part in parts),
            *([("step", *(one["step_ms"] for one in hosts))] if hosts else []),
        ),
        "Milliseconds a step.",
    )
    kernels = run.of("kernels")
    groups = [name for name, _ in KERNEL_GROUPS]
    yield table(
        "Where the time on the device goes",
        ("model", "what", "milliseconds", *groups, "other"),
        ((one["model"], one["what"], one["total_ms"], *_shares(one)) for one in kernels),
        "Shares of the device's time by the names of its longest kernels; the rest is under other.",
    )


def _shares(kernels: Finding) -> list[str]:
    spent = dict.fromkeys((name for name, _ in KERNEL_GROUPS), 0.0)
    for kernel, ms, _ in kernels["top"]:
        group = next((name for name, words in KERNEL_GROUPS if any(word in kernel for word in words)), None)
        if group is not None:
            spent[group] += ms
    whole = kernels["total_ms"] or 1.0
    return [f"{100 * ms / whole:.0f} %" for ms in (*spent.values(), whole - sum(spent.values()))]


def _attention(run: Findings) -> Iterator[str]:
    found = run.of("attention")
    ways = sorted((way for (way,) in distinct(found, "way")), key=_way_order)
    rows = []
    for model, prefix, tree in distinct(found, "model", "prefix", "tree"):
        of = {one["way"]: one for one in run.of("attention", model=model, prefix=prefix, tree=tree)}
        rows.append((model, prefix, tree, *(of.get(way, {}).get("microseconds") for way in ways)))
    note = "Microseconds a layer, captured. Dense flash attention is over the prefix alone."
    yield table("Attention of one layer", ("model", "prefix", "nodes", *ways), rows, note)


def _way_order(way: str) -> tuple[int, str, int]:
    """One mask, keys split, in chunks (few first), then what is over the prefix alone."""
    name, _, number = way.partition(" ")
    order = ("masked", "split", "chunked")
    return order.index(name) if name in order else len(order), name, int(number) if number.isdigit() else 0


def _product(run: Findings) -> Iterator[str]:
    yield table(
        "`docspec bench speed`, the bundled reader",
        ("page", "precision", "mode", "tokens", "steps", "seconds", "SR_decode", "SR_e2e", "identical"),
        (
            (
                *(one["page"], one["dtype"], one["mode"], one["tokens"], one["steps"], one["total"]),
                *(one["sr_decode"], one["sr_e2e"], one["identical"]),
            )
            for one in run.of("speed")
        ),
    )
    yield table(
        "`docspec parse`, the bundled reader, started anew",
        ("in flight", "pages", "seconds", "exit code"),
        ((one["in_flight"], one["pages"], one["seconds"], one["rc"]) for one in run.of("parse")),
    )


def _compiled(run: Findings) -> Iterator[str]:
    def device_ms(kind: str, one: Finding) -> Any:
        return run.first(kind, what=one["what"], tree=one["tree"]).get("device_ms")

    yield table(
        "`torch.compile`",
        ("step", "nodes", "seconds to compile", "eager ms", "compiled ms", "captured ms", "both ms", "same choices"),
        (
            (
                *(one["what"], one["tree"], one["compile_s"], one["eager_ms"], one["compiled_ms"]),
                *(device_ms("captured", one), device_ms("compiled and captured", one)),
                f"{100 * one['agree']:.0f} %",
            )
            for one in run.of("compiled")
        ),
    )
