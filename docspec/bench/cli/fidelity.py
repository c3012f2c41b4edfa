"""``docspec bench fidelity``: the output against transformers' own generate, with its progress and its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docspec.bench.cli.common import (
    InputPaths,
    JsonFile,
    console,
    repeatable,
    sources_of,
    table,
    target_fields,
    target_line,
    write_json,
)
from docspec.console import exits
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions, UsageError

if TYPE_CHECKING:
    from docspec.bench.verdicts import FidelityCheck, PageChecks, Skip

ATTENTIONS = ("sdpa", "eager", "auto")


@takes_options(
    *("model", "device", "pages", "dpi", "image_scale", "drafts", "ppstructure_models", "read", "exact"),
    *("engine", "engine_python", "mmproj", "max_tokens"),
    dtype="float32",
    words="model",
)
def fidelity(
    *,
    inputs: InputPaths,
    options: ParseOptions,
    drafter: Annotated[list[str] | None, repeatable("NAME", "Default: text-layer.")] = None,
    attention: Annotated[list[str] | None, repeatable("|".join(ATTENTIONS), "Default: auto.")] = None,
    ways: Annotated[
        bool, typer.Option("--ways", help="llama.cpp: float32 and 16-bit keys and values, flash attention off and on.")
    ] = False,
    json_file: JsonFile = None,
) -> int:
    """Compare tokens and files of every way of decoding with transformers' own generate, to the end of each page.

    With --engine llama: what a GGUF file writes with drafts and without, request by request. Exit code 3 if anything
    differs, or if a page, a drafter or its drafts could not be compared.
    """
    from docspec.bench.fidelity import check_documents
    from docspec.bench.verdicts import never_compared
    from docspec.console.terminal import quiet_libraries, say
    from docspec.drafting import make_drafter

    quiet_libraries(0)
    if options.reads_with == "llama":
        return _llama(inputs, replace(options, drafter=(drafter or ["text-layer"])[0]), ways, json_file)  # type: ignore[arg-type]
    attentions = attention or ["auto"]
    for name in attentions:
        if name not in ATTENTIONS:
            raise UsageError(f"--attention {name}: unknown; choose among {', '.join(ATTENTIONS)}")
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
    missed = never_compared(done, [each.name for each in drafters])
    write_json(
        json_file,
        "docspec.bench.fidelity/3",
        options.model,
        rows,
        skipped=skipped,
        inputs=[
            {"source": page.source, "page": page.page, "inputs": page.inputs, "apart": page.inputs_apart}
            for page in done
            if page.inputs
        ],
        never_compared=missed,
        **target_fields(target),
    )
    print_fidelity(done)
    for name in missed:
        say(f"{name}: FAILED: no draft of it was compared on any page")
    return exits.OK if all(page.passed for page in done) and not missed else exits.PARTIAL


def _llama(inputs: list[str], options: ParseOptions, ways: bool, json_file: Path | None) -> int:
    """Drafted answers of llama.cpp beside its plain ones."""
    from docspec.bench.llama_fidelity import WAYS, compare
    from docspec.console.terminal import say

    done = []
    for way, more in (WAYS if ways else {"as it is": {}}).items():
        comparison = compare(sources_of(inputs), options, way, **more)
        if not comparison.requests:
            raise UsageError("nothing was asked of the model")
        done.append(comparison)
        same = f"{comparison.same} of {comparison.requests} answers ({comparison.tokens} tokens)"
        say(f"{comparison.engine}, {way}: {same} are the same with drafts")
        for plain, drafted in comparison.differ:
            say(f"plain: {plain!r}")
            say(f"drafted: {drafted!r}")
    write_json(json_file, "docspec.bench.llama_fidelity/2", options.model, list(map(asdict, done)))
    return exits.OK if all(comparison.same == comparison.requests for comparison in done) else exits.PARTIAL


def progress_lines(page: PageChecks) -> list[str]:
    """One line for the page, one for each comparison that differs, one for each thing that was not compared."""
    where = f"{page.source} page {page.page}, {page.attention}"
    differing = page.of("differs")
    verdict = f"{len(differing)} differ" if differing else "none differs" if page.of("cut") else "all identical"
    counted = f"{len(page.checks)} comparisons, {verdict}" if page.checks else "nothing compared"
    cut = f", {len(page.of('cut'))} cut at the budget" if page.of("cut") else ""
    return [
        f"{where}: {counted}{cut}, {page.seconds:.1f} s",
        *([f"{where}: inputs differ from AutoProcessor's: {page.inputs_apart}"] if page.inputs_apart else []),
        *(f"{where}: differs: {check}" for check in differing),
        *(
            f"{where}: {'FAILED' if skip.failed else 'not compared'}: {skip.drafts}: {skip.reason}"
            for skip in page.skips
        ),
    ]


def print_fidelity(pages: Sequence[PageChecks]) -> None:
    """One row for each kind of draft and way of using it; then what was not compared; then the sum.

    ``cut`` are comparisons that reached the budget, ``drafted`` the characters of the drafts.
    """
    checks = [check for page in pages for check in page.checks]
    attentions = list(dict.fromkeys(check.attention for check in checks))
    grid = table(
        "Tokens, Markdown, JSON and HTML identical to those of transformers' generate",
        ["drafts", "way"],
        [*attentions, "cut", "drafted", "tokens", "tok/step"],
        dense=True,
    )
    for drafts, way in dict.fromkeys((check.drafts, check.way) for check in checks):
        alike = [check for check in checks if (check.drafts, check.way) == (drafts, way)]
        steps = sum(check.steps for check in alike)
        accepted = sum(check.accepted for check in alike)
        grid.add_row(
            drafts,
            way,
            *(_identical([check for check in alike if check.attention == one]) for one in attentions),
            str(sum(check.verdict == "cut" for check in alike)),
            str(sum(check.draft_characters for check in alike)),
            str(sum(check.tokens for check in alike)),
            f"{(accepted + steps) / steps:.2f}" if steps else "",
        )
    console().print(grid)
    _print_skips([skip for page in pages for skip in page.skips])
    for inputs in dict.fromkeys(page.inputs for page in pages if page.inputs):
        made = [page for page in pages if page.inputs == inputs]
        apart = sum(page.inputs_apart != "" for page in made)
        console().print(f"inputs of generate on {len(made)} pages: {inputs}" + f"; {apart} differ" * (apart > 0))
    documents = len({check.source for check in checks})
    where = f"{documents} document" + ("" if documents == 1 else "s")
    target = next(page.target for page in pages if page.target)
    parts = [f"{sum(check.verdict == 'identical' for check in checks)} of {len(checks)} comparisons identical"]
    for verdict, words in (("cut", "cut at the budget with nothing different"), ("differs", "different")):
        if count := sum(check.verdict == verdict for check in checks):
            parts.append(f"{count} {words}")
    console().print(f"{', '.join(parts)}, {where} ({target_line(target)})")


def _identical(checks: Sequence[FidelityCheck]) -> str:
    return f"{sum(check.verdict == 'identical' for check in checks)}/{len(checks)}"


def _print_skips(skips: Sequence[Skip]) -> None:
    if not skips:
        return
    grid = table("Not compared", ["drafts", "reason"], ["pages", "failed"])
    for drafts, reason in dict.fromkeys((skip.drafts, skip.reason) for skip in skips):
        alike = [skip for skip in skips if (skip.drafts, skip.reason) == (drafts, reason)]
        pages = {(skip.source, skip.page) for skip in alike}
        grid.add_row(drafts, reason, str(len(pages)), "yes" if any(s.failed for s in alike) else "")
    console().print(grid)
