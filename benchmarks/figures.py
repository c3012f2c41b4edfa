"""The table of ``docs/figures.md``: one row a measurement, each with its command and the commit that it is of.

A row is what :class:`Row` makes of the JSON file that its command writes. Rows whose file is not there keep what the
page says of them. :func:`ages` tells which rows' code has changed since, :func:`unheld` which figures README has alone.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.cli.paper import KINDS
from benchmarks.documented import ROOT, code_of, commands_of, imports_of
from docspec.reporting.writer import write_whole

BEGIN, END = "<!-- figures -->", "<!-- end -->"
HEAD = "| what | figure | command | commit |\n|---|---|---|---|\n"
PDFS = [f"samples/{name}.pdf" for name in KINDS]
SCANS = [f"samples/{name}-scan.pdf" for name in KINDS]
A4 = "samples/journal-article.pdf"
ALL = sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / "samples").glob("*.pdf"))
CHECKED = [A4, *PDFS, "samples/notes-scan.pdf", "samples/book-scan.pdf"]


@dataclass(frozen=True, slots=True)
class Row:
    """``name`` is the JSON file's; ``words`` are those of the command line of ``program``, as ``shown`` where they are
    many. ``told`` makes the figure of the JSON."""

    name: str
    what: str
    words: tuple[str, ...]
    told: Callable[[Mapping[str, Any]], str]
    shown: str = ""
    program: str = "docspec"

    @property
    def command(self) -> str:
        program = self.program if self.program == "docspec" else f"python -m {self.program}"
        return f"`{self.shown or shlex.join([*program.split(), *self.words])}`"


def fidelity(found: Mapping[str, Any]) -> str:
    """How many comparisons are identical."""
    rows = found["rows"]
    pages = len({(row["source"], row["page"]) for row in rows})
    return f"{sum(row['verdict'] == 'identical' for row in rows)} of {len(rows)} comparisons identical, {pages} pages"


def speed(found: Mapping[str, Any]) -> str:
    """Seconds of each mode, and how much faster the planned one is than plain decoding."""
    modes = {mode["mode"]: mode for mode in found["modes"]}
    planned, pages = modes["planned"], modes["planned"]["pages"]
    seconds = ", ".join(f"{name} {mode['total'] / pages:.2f} s" for name, mode in modes.items())
    spread = f"{planned['sr_low']:.2f} to {planned['sr_high']:.2f}"
    return (
        f"a page: {seconds}; SR_e2e {planned['sr_e2e']:.2f} ({spread}), SR_decode {planned['sr_decode']:.2f}, "
        f"{planned['tokens_per_step']:.1f} tokens a step, {planned['identical']} of {pages} identical"
    )


def hybrid(found: Mapping[str, Any]) -> str:
    """How much faster pages are with the file's own sound words, and by the model alone."""
    modes = {mode["mode"]: mode for mode in found["modes"]}
    told = [
        f"{modes[name]['sr_e2e']:.2f} ({modes[name]['sr_low']:.2f} to {modes[name]['sr_high']:.2f})"
        for name in ("hybrid", "planned")
    ]
    return f"SR_e2e {told[0]}, the same pages with `--words model` {told[1]}"


def identical(found: Mapping[str, Any]) -> str:
    """How many pages are identical, by mode."""
    modes = {mode["mode"]: mode for mode in found["modes"]}
    page, strict = modes["page"], modes["strict"]
    return (
        f"{page['identical']} of {page['pages']} identical; `--exact strict` {strict['identical']} of {strict['pages']}"
    )


def overlap(found: Mapping[str, Any]) -> str:
    """How much faster each page is with recognition beside it."""
    ratios = ", ".join(f"{row['wall'][0] / row['wall'][1]:.2f}" for row in found["rows"])
    same = "same output" if all(row["identical"] for row in found["rows"]) else "OTHER OUTPUT"
    return f"{ratios} times as fast, {same}"


def modes(found: Mapping[str, Any]) -> str:
    """End-to-end ratio and tokens a step of each proposer."""
    ran = [mode for mode in found["modes"] if mode["mode"] != "plain"]
    return "; ".join(f"{mode['mode']} {mode['sr_e2e']:.2f} at {mode['tokens_per_step']:.1f}" for mode in ran)


ROWS = (
    Row(
        "fidelity",
        "output against `generate`: tokens, Markdown, JSON, HTML",
        ("bench", "fidelity", *CHECKED),
        fidelity,
        f"docspec bench fidelity {A4} samples/*.pdf",
    ),
    Row(
        "speed-a4",
        "a page of A4 by regions",
        ("bench", "speed", A4, "--mode", "generate", "--mode", "planned", "--repeats", "5"),
        speed,
    ),
    Row(
        "speed-small",
        "nine small born-digital pages by regions",
        ("bench", "speed", *PDFS, "--mode", "planned", "--repeats", "5"),
        speed,
        "docspec bench speed PAGES --mode planned --repeats 5",
    ),
    Row(
        "speed-scans",
        "the same as scans",
        ("bench", "speed", *SCANS, "--mode", "planned", "--repeats", "3"),
        speed,
        "docspec bench speed SCANS --mode planned --repeats 3",
    ),
    Row(
        "speed-hybrid",
        "26 samples and scans, `--words evidence` (a hybrid, not the model's output)",
        ("bench", "speed", *ALL, "--mode", "planned", "--mode", "hybrid", "--repeats", "3"),
        hybrid,
        "docspec bench speed samples/*.pdf --mode planned --mode hybrid --repeats 3",
    ),
    Row(
        "strict",
        "bfloat16 against plain decoding in bfloat16, nine pages",
        (
            *("bench", "speed", *PDFS, "--drafter", "text-layer", "--mode", "page", "--mode", "strict"),
            *("--max-tokens", "250", "--dtype", "bfloat16"),
        ),
        identical,
        "docspec bench speed PAGES --drafter text-layer --mode page --mode strict --max-tokens 250 --dtype bfloat16",
    ),
    Row(
        "overlap",
        "recognition beside the page, a core each, three pages",
        ("overlap", *(f"samples/{name}-scan.pdf" for name in ("notes", "book", "newspaper")), "--drafter", "rapidocr"),
        overlap,
        "OMP_NUM_THREADS=1 python -m benchmarks overlap samples/{notes,book,newspaper}-scan.pdf --drafter rapidocr",
        "benchmarks",
    ),
    Row(
        "speed-whole",
        "nine small pages read whole",
        ("bench", "speed", *PDFS, "--read", "page", "--mode", "planned", "--repeats", "2"),
        speed,
        "docspec bench speed PAGES --read page --mode planned --repeats 2",
    ),
    Row(
        "proposers",
        "other proposers, three small pages: SR_e2e at tokens a step",
        (
            *("bench", "speed", "samples/notes.pdf", "samples/book.pdf", "samples/exam-paper.pdf", "--repeats", "2"),
            *("--proposer", "cursor", "--proposer", "window", "--proposer", "lookup"),
            *("--proposer", "model:mini-draft", "--proposer", "head:mini-vispec", "--proposer", "head:mini-hivis"),
        ),
        modes,
        "docspec bench speed samples/{notes,book,exam-paper}.pdf --proposer ...",
    ),
)


def run(folder: Path, rows: Sequence[Row], tell: Callable[[str], None]) -> None:
    """Runs the commands of ``rows``, one after the other; each writes its JSON file into ``folder``. Where one fails,
    it is told and its file of an earlier run goes."""
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        tell(row.command.strip("`"))
        file = folder / f"{row.name}.json"
        file.unlink(missing_ok=True)
        threads = {"OMP_NUM_THREADS": "1"} if row.shown.startswith("OMP_NUM_THREADS=1") else {}
        words = [sys.executable, "-m", row.program, *row.words, "--json", str(file)]
        ended = subprocess.run(words, env={**os.environ, **threads}, cwd=ROOT).returncode
        if ended or not file.is_file():
            tell(f"could not be measured: {row.what} (exit code {ended})")


def fill(page: Path, folder: Path, commit: str) -> list[str]:
    """Writes into ``page`` the rows whose JSON files are in ``folder``; returns their names.

    Raises ``ValueError`` where the page has no table.
    """
    before, lines, after = _table(page)
    written = []
    for row in ROWS:
        file = folder / f"{row.name}.json"
        if not file.is_file():
            continue
        line = f"| {row.what} | {row.told(json.loads(file.read_text()))} | {row.command} | {commit} |"
        at = next((index for index, one in enumerate(lines) if one.startswith(f"| {row.what} |")), None)
        lines[len(lines) if at is None else at : len(lines) if at is None else at + 1] = [line]
        written.append(row.name)
    write_whole(page, f"{before}{BEGIN}\n\n{HEAD}" + "\n".join(lines) + f"\n\n{END}{after}")
    return written


def _table(page: Path) -> tuple[str, list[str], str]:
    """What stands before the table, its rows, and what comes after it."""
    before, opened, rest = page.read_text("utf-8").partition(BEGIN)
    table, closed, after = rest.partition(END)
    if not (opened and closed):
        raise ValueError(f"{page}: there is no table between {BEGIN} and {END}")
    return before, table.strip().removeprefix(HEAD.strip()).strip().split("\n"), after


def not_here(page: Path) -> Iterator[str]:
    """The rows that :data:`ROWS` does not make, with what their command needs."""
    for what, _, command, _ in _cells(page):
        if not any(row.what == what for row in ROWS):
            needs = ", ".join(dict.fromkeys(re.findall(r"\b[A-Z]{2,}\d?\b(?!=)", command)))
            yield f"{what}: " + (f"needs {needs}" if needs else f"run {command} by hand")


def _cells(page: Path) -> list[list[str]]:
    """The cells of every row, as they are written."""
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in _table(page)[1]]


def ages(page: Path) -> Iterator[str]:
    """A line for each row whose command's code, with all that it imports, has changed since a commit of the row."""
    files: set[Path] = set()
    for what, *_, command, commits in _cells(page):
        if command != "the same":
            files = {file for one in commands_of(command) for file in imports_of(code_of(one.words))}
        names = {file.relative_to(ROOT).as_posix() for file in files}
        for commit in re.findall(r"\b[0-9a-f]{7,12}\b", commits):
            changed = _changed_since(commit)
            if changed is None:
                yield f"unknown: {what}: {commit} is not in this clone"
            elif old := names & changed:
                yield f"old: {what}: {len(old)} of {len(names)} files changed since {commit}"


@cache
def _changed_since(commit: str) -> frozenset[str] | None:
    """Files of Python that differ now; ``None`` if nobody knows the commit."""
    asked = ["git", "-C", str(ROOT), "diff", "--name-only", commit, "--", "*.py"]
    found = subprocess.run(asked, capture_output=True, text=True)
    return frozenset(found.stdout.splitlines()) if found.returncode == 0 else None


NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w,]*\d)")


def unheld(readme: Path, page: Path) -> list[str]:
    """Figures with a decimal point or in thousands in README's table that stand neither in the table of ``page`` nor
    on a page that README's row names; a share may stand there in percent."""
    table = re.search(
        r"^\| what \| docspec \|.*?\n\|[-|]+\n(.*?)\n\n", readme.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    if table is None:
        raise ValueError(f"{readme}: there is no table of figures")
    held, missing = set(NUMBER.findall("\n".join(_table(page)[1]))), []
    for row in table[1].splitlines():
        linked = [(readme.parent / name).read_text("utf-8") for name in re.findall(r"\]\(([\w/.-]+\.md)\)", row)]
        known = held.union(*map(NUMBER.findall, linked))
        what, figures = row.strip("| ").split(" | ", 1)
        numbers = [number for number in NUMBER.findall(figures) if "." in number or "," in number]
        missing += [
            f"{what}: {one}" for one in numbers if not known & {one, f"{100 * float(one.replace(',', '')):.1f}"}
        ]
    return missing


def commit_and_date() -> str:
    """The commit that this code is of, and today."""
    return f"{commit_of_code()}, {datetime.now(UTC):%Y-%m-%d}"


def commit_of_code() -> str:
    """The commit that this code is of, with ``+`` where files are changed; ``unknown`` outside a clone."""
    here = str(Path(__file__).parent)
    asked = ["git", "-C", here, "describe", "--always", "--dirty=+", "--abbrev=7", "--exclude=*"]
    found = subprocess.run(asked, capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else "unknown"
