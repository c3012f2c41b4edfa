"""``docspec bench speed`` with the bundled reader: whole ways of reading, with real acceptance."""

from __future__ import annotations

from dataclasses import asdict

from benchmarks.device.context import Context, guarded
from benchmarks.device.parts.bundled import pages

DENSE = ("page", "hierarchical")
SMALL = ("page", "generate")
"""Modes for the largest page and for the smallest; ``planned`` drafts anew, with what is not carried."""


def run(context: Context, _: str) -> None:
    from docspec.bench.speed import measure
    from docspec.core import ParseOptions
    from docspec.documents import expand_inputs
    from docspec.parser import Parser

    files = pages(context.data)
    cases = [(files[0], ("page",))] if context.tiny else [(files[-1], DENSE), (files[0], SMALL)]
    for file, modes in cases:
        for dtype in ("float32",) if context.tiny else ("bfloat16", "float32"):
            if not context.has(8):
                return
            with guarded(context, f"speed {file.stem} {dtype}"):
                options = ParseOptions(
                    model="mini",
                    device=context.device_name,
                    dtype=dtype,  # type: ignore[arg-type]
                    words="model",
                    drafter="saved",
                    drafts=context.data / "bundled" / "drafts",
                    max_tokens=30 if context.tiny else None,
                )
                sources = list(expand_inputs([str(file)]).sources)
                with Parser(options) as parser:
                    for times in measure(parser, sources, modes, 1 if context.tiny else 2):
                        for sample in times.samples:
                            ratios = {"sr_e2e": times.sr_e2e(sample.mode), "sr_decode": times.sr_decode(sample.mode)}
                            context.emit("speed", page=file.stem, dtype=dtype, **ratios, **asdict(sample))
                    report = asdict(parser.loaded.target.steps.report)
                    context.emit("speed steps", page=file.stem, dtype=dtype, report=report, **context.memory())
