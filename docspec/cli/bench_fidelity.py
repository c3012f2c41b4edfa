"""``docspec bench fidelity``: the output against transformers' own generate, with its progress and its verdict."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docspec.cli import exits
from docspec.cli.bench_common import (
    Device,
    Dpi,
    Dtype,
    Inputs,
    JsonFile,
    MaxTokens,
    Model,
    Pages,
    sources_of,
    target_fields,
    write_json,
)
from docspec.core import ParseOptions, UsageError

if TYPE_CHECKING:
    from docspec.bench.fidelity import PageChecks

ATTENTIONS = ("sdpa", "eager", "auto")


def fidelity(
    inputs: Inputs,
    model: Model = "auto",
    device: Device = "auto",
    dtype: Dtype = "float32",
    pages: Pages = None,
    dpi: Dpi = 200.0,
    drafter: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", show_default=False, help="Repeatable; default: text-layer."),
    ] = None,
    attention: Annotated[
        list[str] | None,
        typer.Option(metavar="|".join(ATTENTIONS), show_default=False, help="Repeatable; default: all."),
    ] = None,
    drafts: Annotated[
        Path | None,
        typer.Option(metavar="FILE|DIR", show_default=False, help="Drafts for --drafter saved."),
    ] = None,
    ppstructure_models: Annotated[
        Path | None,
        typer.Option(metavar="DIR", show_default=False, help="Models for --drafter ppstructure."),
    ] = None,
    max_tokens: MaxTokens = None,
    json_file: JsonFile = None,
) -> int:
    """Compare the tokens of every way of decoding with transformers' own generate.

    Exit code 3 if any page differs, or a page or a drafter failed and could not be compared.
    """
    from docspec.bench.fidelity import check_documents
    from docspec.cli.bench_tables import print_fidelity
    from docspec.cli.terminal import quiet_libraries, say
    from docspec.drafting import make_drafter

    quiet_libraries(0)
    attentions = attention or list(ATTENTIONS)
    for name in attentions:
        if name not in ATTENTIONS:
            raise UsageError(f"--attention {name}: unknown; choose among {', '.join(ATTENTIONS)}")
    options = ParseOptions(
        model=model,
        device=device,
        dtype=dtype,
        pages=pages,
        dpi=dpi,
        drafts=drafts,
        ppstructure_models=ppstructure_models,
        max_tokens=max_tokens,
    )
    names = list(dict.fromkeys(drafter or ["text-layer"]))
    drafters = [make_drafter(replace(options, drafter=name)) for name in names]  # type: ignore[arg-type]
    done: list[PageChecks] = []
    for page in check_documents(sources_of(inputs), options, drafters, attentions):
        done.append(page)
        for line in progress_lines(page):
            say(line)
    checks = [check for page in done for check in page.checks]
    skips = [skip for page in done for skip in page.skips]
    if not checks:
        raise UsageError("no page could be checked")
    rows = [asdict(check) for check in checks]
    skipped = [asdict(skip) for skip in skips]
    target = next(page.target for page in done if page.target)
    write_json(json_file, "docspec.bench.fidelity/2", model, rows, skipped=skipped, **target_fields(target))
    print_fidelity(done)
    return exits.OK if all(page.passed for page in done) else exits.PARTIAL


def progress_lines(page: PageChecks) -> list[str]:
    """One line for the page, one for each comparison that differs, one for each thing that was not compared."""
    where = f"{page.source} page {page.page}, {page.attention}"
    verdict = f"{len(page.differing)} differ" if page.differing else "all identical"
    counted = f"{len(page.checks)} comparisons, {verdict}" if page.checks else "nothing compared"
    return [
        f"{where}: {counted}, {page.seconds:.1f} s",
        *(f"{where}: differs: {check}" for check in page.differing),
        *(
            f"{where}: {'FAILED' if skip.failed else 'not compared'}: {skip.drafts}: {skip.reason}"
            for skip in page.skips
        ),
    ]
