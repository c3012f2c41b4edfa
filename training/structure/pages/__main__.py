"""Makes pages whose truth is known: `python -m training.structure.pages OUT --typesetter latex --pages 2000 --seed 1`.

Each run of a typesetter leaves OUT/NAME.pdf and beside it OUT/NAME.json: `{"typesetter", "seed", "pages": [...]}`.
The same seed makes the same pages.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pymupdf

from training.structure.pages import flows, line_texts, ragged, truth

MODULES = {
    "latex": "latex",
    "chromium": "chromium",
    "reportlab": "reportlab_",
    "typst": "typst_",
    "typewritten": "typewritten",
    "frames": "frames_",
}
KEPT = 0.5  # of pages without tables: text flows on, so that more of them come out than are asked for


def kinds(page: pymupdf.Page, entries: truth.Entries) -> set[str]:
    """Kinds of what a page shows."""
    return {entries[colour]["kind"] for colour, _, _ in truth.characters(page)}


def one_run(
    typeset: Callable[..., Any], seed: str, name: str, folder: Path, out: Path, most: int, at_once: int, tables: bool
) -> tuple[int, Counter[str]]:
    """Pages of one run, written to `out`; how many were fit, and why others were not. With `tables` some pages without
    any are left out."""
    pdf, setter = typeset(random.Random(seed), at_once, folder, name)
    faults: Counter[str] = Counter()
    rng = random.Random(f"{seed} kept")
    with pymupdf.open(pdf) as document:
        fit: list[int] = []
        for number in range(len(document)):
            why = truth.fault(document[number], setter.palette.entries)
            bare = not why and "cell" not in kinds(document[number], setter.palette.entries)
            if bare and tables and rng.random() > KEPT:
                why = "enough without tables"
            if why:
                faults[why] += 1
            elif len(fit) < most:
                fit.append(number)
        if not fit:
            return 0, faults
        pages = [truth.told(document[number], setter.palette.entries, setter.tables) for number in fit]
        document.select(fit)
        document.save(out / f"{name}.pdf", garbage=3, deflate=True)
    told = {"typesetter": typeset.__module__.rpartition(".")[2], "seed": seed, "pages": pages}
    (out / f"{name}.json").write_text(json.dumps(told, separators=(",", ":")))
    return len(fit), faults


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="training.structure.pages", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--typesetter", choices=MODULES, default="latex")
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=25, help="pages invented for one run of the typesetter")
    parser.add_argument("--lines", action="store_true", help="pages on which ends of lines have a meaning")
    parser.add_argument("--flows", action="store_true", help="pages whose order of reading is what is hard")
    parser.add_argument("--ragged", action="store_true", help="pages of tables whose rows are unlike each other")
    args = parser.parse_args()
    module = import_module(f"training.structure.pages.{MODULES[args.typesetter]}")
    if args.lines:
        vars(module).update(made=line_texts.made, OFFICE=0)
    if args.flows:
        vars(module).update(made=flows.made, OFFICE=0)
    if args.ragged:
        vars(module).update(made=ragged.made, OFFICE=0)
    typeset = module.typeset
    args.out.mkdir(parents=True, exist_ok=True)
    done, number, faults = 0, 0, Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        while done < args.pages:
            name = f"{args.typesetter}-{args.seed}-{number:03}"
            seed = f"{args.typesetter} {args.seed} {number}"
            fit, why = one_run(
                typeset,
                seed,
                name,
                Path(folder),
                args.out,
                args.pages - done,
                args.at_once,
                not (args.lines or args.flows),
            )
            done, number, faults = done + fit, number + 1, faults + why
            print(f"{name}: {done} pages; left out {dict(faults)}", flush=True)


if __name__ == "__main__":
    main()
