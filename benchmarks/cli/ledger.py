"""``python -m benchmarks ledger``: what becomes of every visible word of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cli.common import narrow_table
from docspec.bench.cli.common import InputPaths, JsonFile, console, sources_of, write_json
from docspec.console.parameters import takes_options
from docspec.core import ParseOptions
from docspec.core.account import STATES

if TYPE_CHECKING:
    from benchmarks.ledger import AccountedPage


@takes_options("model", "device", "dtype", "pages", "dpi", "drafter", "words", "read", "max_tokens")
def ledger(inputs: InputPaths, *, options: ParseOptions, json_file: JsonFile = None) -> int:
    """What becomes of every visible word: written, left out by a rule, changed, in a picture, or missing."""
    from benchmarks.ledger import measure

    pages = list(measure(sources_of(inputs), options))
    print_ledger(pages)
    write_json(json_file, "docspec.bench.ledger/1", options.model, [asdict(page) for page in pages])
    return 0


def print_ledger(pages: Sequence[AccountedPage]) -> None:
    """One row a file, all of them together, and below it the words that are missing."""
    columns = ["visible", *(state.removesuffix("_out").removeprefix("in_") for state in STATES)]
    grid = narrow_table("Words by what became of them", ["file"], columns, widest=24)
    files: dict[str, list[AccountedPage]] = {}
    for page in pages:
        files.setdefault(page.source, []).append(page)
    for name, own in [*files.items(), ("all", list(pages))]:
        words = sum((Counter(page.words) for page in own), Counter())
        grid.add_row(Path(name).stem, str(words.total()), *(str(words[state]) for state in STATES))
    console().print(grid)
    rules = sum((Counter(page.rules) for page in pages), Counter())
    said = [f"{rule} {count}" for rule, count in rules.most_common()]
    added, displaced = sum(page.added for page in pages), sum(page.displaced for page in pages)
    console().print(f"{len(pages)} pages; left out: {', '.join(said) or 'nothing'}")
    console().print(f"written and not on the page: {added}; out of their order: {displaced}")
    for page in pages:
        name = f"{Path(page.source).name}, page {page.page}"
        if page.error:
            console().print(f"{name}: {page.error}", markup=False)
        for text, box in page.lost:
            console().print(f"{name}: missing {text!r} at {box}", markup=False)
