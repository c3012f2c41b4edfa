"""``python -m benchmarks half-precision``: how often bfloat16 departs from its own plain decoding."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from docspec.bench.cli.common import JsonFile, write_json
from docspec.console import exits


def half_precision(
    families: Annotated[
        list[str] | None, typer.Argument(metavar="FAMILY...", show_default=False, help="Default: all that vLLM reads.")
    ] = None,
    *,
    tokens: Annotated[int, typer.Option(min=1, help="Tokens of an output.")] = 128,
    deeper_too: Annotated[
        bool, typer.Option("--deeper", help="Margins of random decoders of 8 and 24 layers, too; some minutes.")
    ] = False,
    vllm_python: Annotated[
        Path | None, typer.Option(metavar="FILE", show_default=False, help="A Python that has vLLM: asks it, too.")
    ] = None,
    json_file: JsonFile = None,
) -> int:
    """How often random bfloat16 models write something else than their own plain decoding, and what strict costs."""
    from benchmarks.device.markdown import table
    from benchmarks.half_precision import TREES, checkpoints, deep, departures, in_vllm, loaded, weighed

    sizes = ((8, 512), (24, 512)) if deeper_too else ()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        asked = []
        for name, checkpoint, pictures in checkpoints(Path(folder), families or ()):
            found, plain = departures(name, str(checkpoint), pictures, tokens)
            asked.append((name, checkpoint, pictures, plain))
            rows.append({**asdict(found), "margins": asdict(weighed(loaded(str(checkpoint))))})
        deeper = [
            {"family": f"{layers} layers of {hidden}", "margins": asdict(weighed(deep(layers, hidden)))}
            for layers, hidden in sizes
        ]
        told = {} if vllm_python is None else in_vllm(vllm_python, asked, tokens, Path(folder) / "tasks.json")
    ways = ("beside others", *(f"tree of {size}" for size in TREES), "strict")
    differ = [
        (one["family"], one["outputs"], one["tokens"], *(one["by_way"][way] for way in ways), one["redecided"])
        for one in rows
    ]
    head = ("family", "outputs", "tokens", *ways, "choices made again")
    print(table("Outputs that are not those of plain decoding, docspec's engine, bfloat16", head, differ))
    close = [
        (one["family"], *(one["margins"][name] for name in ("positions", "differ", "rounded", "exact", "missed")))
        for one in [*rows, *deeper]
    ]
    head = ("family", "positions", "differ", "rounded", "float32", "missed")
    print("\n" + table("Choices that are too close, by margins of rounded logits and in float32", head, close))
    if told:
        names = [way for way in next(iter(told.values())) if way != "alone"]
        answered = [(name, len(plain), *(told[name][way] for way in names)) for name, _, _, plain in asked]
        print(
            "\n" + table("Outputs that are not those of one at a time, vLLM", ("family", "outputs", *names), answered)
        )
    write_json(json_file, "docspec.bench.half-precision/1", "random", [*rows, *deeper], vllm=told, tokens=tokens)
    return exits.OK
