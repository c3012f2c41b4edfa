"""The table of ``python -m benchmarks step --explain``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import torch
from rich.table import Table

from benchmarks.cli.common import narrow_table
from benchmarks.cost_model import (
    AS_MEASURED,
    MACHINES,
    Assumptions,
    ModelShape,
    StepEstimate,
    cost,
    fused_shape_of,
    shape_of,
)
from benchmarks.device.markdown import Row, table
from benchmarks.launches import KINDS
from benchmarks.random_weights import random_target
from docspec.bench.cli.common import console

SIZES = ("mini", "granite-docling-258m", "glm-ocr", "dots.ocr", "qwen3-vl-2b", "qwen2.5-vl-7b")
"""What is shown where no size is named."""

TREES = (1, 16, 64)

COMPARED_SIZES = ("dots.ocr", "qwen3-vl-2b", "paddleocr-vl", "hunyuan-ocr")
COMPARED_PREFIXES = (1024, 6000, 16_000)
COMPARED = next(machine for machine in MACHINES if machine.name == "H200")
"""What :func:`compare` shows where nothing is named: the card that was measured."""

PAPERS = ("before", "after", "after, constants measured")


def explain(names: Sequence[str], trees: Sequence[int], rows: Sequence[int], prefix: int) -> list[dict[str, Any]]:
    """Prints what steps should cost by size and device, part by part; returns the same as values."""
    found = []
    for name in names:
        shape = shape_of(random_target(name, torch.device("meta"), torch.bfloat16, "off"), prefix)
        table = _table(name, shape, prefix)
        for machine in MACHINES:
            for count in rows:
                for tree in trees:
                    one = cost(shape, machine, count, tree, prefix)
                    table.add_row(machine.name, *_cells(one))
                    found.append({"size": name, "machine": asdict(machine), **_values(one)})
            table.add_section()
        console().print(table)
    console().print(_assumed())
    return found


def compare(names: Sequence[str], prefixes: Sequence[int]) -> str:
    """Steps before keys were split and operations were fused, and after, as tables in Markdown: what a step launches,
    and its milliseconds on paper, at last with what the H200 showed of itself in place of what is assumed. A plain step
    has the same attention and kernels as a tree."""
    counts: list[Row] = []
    times: list[Row] = []
    for name in names:
        make = partial(random_target, name, torch.device("meta"), torch.bfloat16, "off")
        before, after = shape_of(make()), fused_shape_of(make)
        for way, shape in (("before", before), ("after", after)):
            counts.append((name, way, shape.launched, *(shape.operations.get(kind, 0) for kind in KINDS)))
        for prefix in prefixes:
            ways = (before, None), (after, None), (after, AS_MEASURED)
            steps = [
                cost(shape, COMPARED, 1, tree, prefix, assumed).graphed
                for shape, assumed in ways
                for tree in (1, max(TREES))
            ]
            times.append((name, prefix, *steps))
    trees = f"tree of {max(TREES)}"
    return "\n\n".join(
        (
            table("What a step launches, counted", ("model", "", "all", *KINDS), counts),
            table(
                f"A step in a graph on paper, {COMPARED.name}, milliseconds",
                ("model", "prompt", *(f"{way}: {tree}" for way in PAPERS for tree in ("plain", trees))),
                times,
            ),
        )
    )


def _table(name: str, shape: ModelShape, prefix: int) -> Table:
    return narrow_table(
        f"A step on paper: {name}, bfloat16, behind {prefix} tokens, milliseconds",
        ["device"],
        ["size", "weights", "keys", "arith", "attn", "launch", "gaps", "plain", "graphed"],
        f"{shape.launched} operations, {shape.weight_bytes / 1e9:.2f} GB of weights, "
        f"{shape.kv_bytes / 1024:.0f} KiB a token of keys and values, {shape.kv_heads} KV heads; NOT MEASURED",
        widest=None,
    )


def _cells(one: StepEstimate) -> list[str]:
    parts = one.weights, one.keys_values, one.arithmetic, one.attention, one.launches, one.gaps, one.plain, one.graphed
    return [f"{one.rows} x {one.tree}", *(f"{part:.2f}" for part in parts)]


def _values(one: StepEstimate) -> Mapping[str, Any]:
    return {**asdict(one), "on_device": one.on_device, "plain": one.plain, "graphed": one.graphed}


def _assumed() -> str:
    a = Assumptions()
    return (
        f"Assumed: {a.of_bandwidth:.0%} of the published bandwidth and {a.of_operations:.0%} of the arithmetic; "
        f"{a.launch:g} us of the host an operation as they come, {a.gap:g} us between kernels of a graph, "
        f"{a.replay:g} us to replay one, {a.copy:g} us for each of three copies and waits, {a.host / 1e3:g} ms for "
        f"trees and their outcome; a multiprocessor takes {a.block} queries of a KV head, a device with fewer blocks "
        "than multiprocessors gives attention that share of itself. Plain: launches run beside the device's work, the "
        "longer counts. Compare with: python -m benchmarks step --random NAME --device cuda."
    )
