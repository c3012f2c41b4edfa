"""``python -m benchmarks accuracy``: how right the texts of every way of reading are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

from docspec.bench.cli.common import (
    InputPaths,
    JsonFile,
    console,
    page_names,
    repeatable,
    sources_of,
    table,
    target_fields,
    target_line,
    write_json,
)
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions

if TYPE_CHECKING:
    from benchmarks.accuracy import PageAccuracy


@takes_options(
    "model", "read", "device", "dtype", "dpi", "drafter", "align", "tau", "trust_agreement", "max_tokens", words="model"
)
def accuracy(
    *,
    inputs: InputPaths,
    options: ParseOptions,
    skip_verification: Annotated[
        list[str] | None,
        repeatable(
            "uniform:K|similarity:T", "Also with verification skipped so (lossy), beside the same fully verified."
        ),
    ] = None,
    json_file: JsonFile = None,
) -> int:
    """Draft, plain decoding, Stage 1 and both stages against the true Markdown in NAME.md beside NAME.pdf.

    Page 1 of each input; NAME-scan.pdf shares the truth of NAME. Measures as in OmniDocBench v1.5.
    """
    from benchmarks.accuracy import measure
    from benchmarks.extras import require
    from docspec.console.terminal import say
    from docspec.parser import Parser

    for module in ("apted", "scipy.optimize"):
        require(module, "accuracy")
    pages = []
    skips = skip_verification or []
    for skip in skips:
        replace(options, skip_verification=skip)  # a wrong one is an error before anything is read
    with Parser(options) as parser:
        for page in measure(parser, sources_of(inputs), skips):
            say(f"{page.source} page {page.page}: {len(page.rows)} texts compared")
            pages.append(page)
        info = parser.loaded.info
    print_accuracy(pages, target_line(info))
    write_json(
        json_file, "docspec.bench.accuracy/2", options.model, [asdict(page) for page in pages], **target_fields(info)
    )
    return 0


def print_accuracy(pages: Sequence[PageAccuracy], target: str) -> None:
    """The four ways to a text, mean over pages; then the page distance of each way by page."""
    from benchmarks.accuracy import mean_score

    columns = ["page", "text", "order", "TEDS", "TEDS-S", "tokens", "steps/token", "seconds"]
    total = table(
        f"Against the truth, mean of {len(pages)} pages: distances (0 is right), TEDS (1 is right)",
        ["what"],
        columns,
        dense=True,
    )
    total.caption = target
    names = [row.name for row in pages[0].rows]
    by_name = {name: [row for page in pages for row in page.rows if row.name == name] for name in names}
    for name, rows in by_name.items():
        mean = mean_score([row.score for row in rows])
        taken = sum(row.taken for row in rows)
        total.add_row(
            f"{name}: {taken} regions" if taken else name,
            *map(_share, (mean.page, mean.text, mean.order, mean.teds, mean.teds_structure)),
            str(tokens := sum(row.tokens for row in rows)),
            f"{steps / tokens:.3f}" if tokens and (steps := sum(row.steps for row in rows)) else "",
            f"{sum(row.seconds for row in rows):.1f}",
        )
    each = table("Normalised edit distance of the whole page", ["page"], ["drafter", *names], dense=True)
    for name, page in zip(page_names([(one.source, one.page) for one in pages]), pages, strict=True):
        each.add_row(name, page.drafter, *(f"{row.score.page:.3f}" for row in page.rows))
    console().print(each)
    console().print(total)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
