"""``python -m benchmarks languages``: how right pages of twelve languages are read, beside other recognisers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docspec.bench.cli.common import JsonFile, console, repeatable, table, write_json
from docspec.core import UsageError

if TYPE_CHECKING:
    from benchmarks.languages.measure import Measured
    from benchmarks.languages.pages import LanguagePage


def languages(
    *,
    language: Annotated[list[str] | None, repeatable("CODE", "Tesseract's codes (rus, ara). Default: all.")] = None,
    form: Annotated[list[str] | None, repeatable("NAME", "pdf, scan, photo or curved. Default: all.")] = None,
    reader: Annotated[list[str] | None, repeatable("NAME", "docspec, tesseract or rapidocr. Default: all.")] = None,
    fonts: Annotated[int, typer.Option(metavar="N", min=1, max=2, help="Fonts of each language.")] = 2,
    digits: Annotated[
        bool, typer.Option("--digits", help="Numbers in the digits of Arabic, Persian, Hindi and Thai.")
    ] = False,
    certainty: Annotated[
        bool, typer.Option("--certainty", help="How right lines are by what tesseract tells of them, instead.")
    ] = False,
    second: Annotated[
        Path | None,
        typer.Option(metavar="TOKENIZER", help="What a second engine's reading of doubtful lines is worth, instead."),
    ] = None,
    doubtful: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence below which --second reads a line twice (1.01: all).")
    ] = 0.95,
    json_file: JsonFile = None,
) -> int:
    """Wrong characters on pages of twelve languages, as PDF, scan and photographs, with seconds a page."""
    from benchmarks.languages.measure import READERS, measure
    from benchmarks.languages.pages import FORMS, ZEROS, language_pages, with_own_digits

    pages = [page for page in language_pages(fonts) if language is None or page.language in language]
    if digits:
        pages = [with_own_digits(page) for page in pages if page.language in ZEROS]
    if not pages:
        raise UsageError("no page: no such language, or no font for it is installed (benchmarks/README.md has a list)")
    if second is not None:
        print_second(pages, second, doubtful)
        return 0
    if certainty:
        print_certainties(pages)
        return 0
    forms = [one for one in FORMS if form is None or one in form]
    found: list[Measured] = []
    for one in measure(pages, forms, reader or READERS):
        found.append(one)
        said = f"{100 * one.rate:.1f} %, {one.seconds:.1f} s {one.grade}"
        print(f"{one.language} {one.font} {one.form} {one.reader}: {said}", file=sys.stderr)
    print_languages(found)
    write_json(json_file, "docspec.bench.languages/1", "mini", [asdict(one) for one in found])
    return 0


def print_second(pages: Sequence[LanguagePage], tokenizer: Path, doubtful: float) -> None:
    """A row for each page in Latin print and way of degrading it."""
    from benchmarks.languages.second import second_readings

    found = list(second_readings([page for page in pages if page.script == "Latin"], tokenizer, doubtful))
    tokens, alone, both = (
        sum(getattr(one, name) for one in found) for name in ("tokens", "steps", "steps_with_second")
    )
    heads = ["tokens a step", "with second readings", "lines", "read twice", "seconds", "more"]
    grid = table("The true text against drafts of poor scans", ["language", "scan"], heads)
    for one in found:
        worth = (f"{one.tokens / steps:.2f}" for steps in (one.steps, one.steps_with_second))
        spent = (f"{one.seconds:.1f}", f"{one.second_seconds:.1f}")
        grid.add_row(one.language, one.degraded, *worth, str(one.lines), str(one.doubtful), *spent)
    grid.add_row("all", "", f"{tokens / alone:.2f}", f"{tokens / both:.2f}")
    console().print(grid)


def print_languages(found: Sequence[Measured]) -> None:
    """One table a form: a row a language, a column a reader."""
    readers = list(dict.fromkeys(one.reader for one in found))
    for form in dict.fromkeys(one.form for one in found):
        mine = [one for one in found if one.form == form]
        grid = table(f"wrong characters, {form}", ["language"], [*readers, *(f"{name}, s" for name in readers)])
        for name in [*dict.fromkeys(one.name for one in mine), "all"]:
            own = [[one for one in mine if one.reader == each and name in (one.name, "all")] for each in readers]
            rates = [100 * sum(one.errors for one in ones) / sum(one.characters for one in ones) for ones in own]
            seconds = [sum(one.seconds for one in ones) / len(ones) for ones in own]
            grid.add_row(name, *(f"{rate:.1f} %" for rate in rates), *(f"{each:.1f}" for each in seconds))
        console().print(grid)


def print_certainties(pages: Sequence[LanguagePage]) -> None:
    """A row for each range of certainties."""
    from benchmarks.languages.certainty import certainties

    grid = table("tesseract's certainty of a line, and the share of right characters", ["lines"], ["told", "right"])
    for one in certainties(pages):
        grid.add_row(str(one.lines), f"{one.told:.2f}", f"{one.right:.3f}")
    console().print(grid)
