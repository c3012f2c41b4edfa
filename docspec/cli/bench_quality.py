"""``docspec bench accuracy`` and ``drafts``: how right texts are, and what drafts of any quality bring."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from docspec.cli.bench_common import (
    Device,
    Dpi,
    Dtype,
    Inputs,
    JsonFile,
    MaxTokens,
    Model,
    sources_of,
    target_fields,
    target_line,
    write_json,
)
from docspec.core import ParseOptions
from docspec.core.options import DrafterName


def accuracy(
    inputs: Inputs,
    model: Model = "auto",
    device: Device = "auto",
    dtype: Dtype = "auto",
    dpi: Dpi = 200.0,
    drafter: Annotated[DrafterName, typer.Option(help="What drafts.")] = "auto",
    tau: Annotated[float | None, typer.Option(show_default=False, help="Relaxed acceptance.")] = None,
    max_tokens: MaxTokens = None,
    json_file: JsonFile = None,
) -> int:
    """Draft, plain decoding, Stage 1 and both stages against the true Markdown in NAME.md beside NAME.pdf.

    Page 1 of each input; NAME-scan.pdf shares the truth of NAME. Measures as in OmniDocBench v1.5.
    """
    from docspec.bench.accuracy import measure
    from docspec.bench.extras import require
    from docspec.cli.bench_tables import print_accuracy
    from docspec.cli.terminal import say
    from docspec.parser import Parser

    for module in ("apted", "scipy.optimize"):
        require(module, "bench accuracy")
    options = ParseOptions(
        model=model, device=device, dtype=dtype, dpi=dpi, drafter=drafter, tau=tau, max_tokens=max_tokens
    )
    pages = []
    with Parser(options) as parser:
        for page in measure(parser, sources_of(inputs)):
            say(f"{page.source} page {page.page}: {len(page.rows)} texts compared")
            pages.append(page)
        info = parser.target_info
    print_accuracy(pages, target_line(info))
    write_json(
        json_file, "docspec.bench.accuracy/2", model, [asdict(page) for page in pages], **target_fields(info)
    )
    return 0
