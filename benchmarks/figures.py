"""The table of ``docs/figures.md``: one row a measurement, each with its command and the commit that it is of.

A row is what :class:`Row` makes of the JSON file that its command writes. Rows whose file is not there keep what the
page says of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cli.paper import KINDS
from docspec.reporting.writer import write_whole

BEGIN, END = "<!-- figures -->", "<!-- end -->"
HEAD = "| what | figure | command | commit |\n|---|---|---|---|\n"
PDFS = [f"samples/{name}.pdf" for name in KINDS]
SCANS = [f"samples/{name}-scan.pdf" for name in KINDS]
A4 = "samples/journal-article.pdf"
CHECKED = [A4, *PDFS, "samples/notes-scan.pdf", "samples/book-scan.pdf"]


@dataclass(frozen=True, slots=True)
class Row:
    """``name`` is the JSON file's; ``words`` are those of ``docspec``'s command line, as ``shown`` where they are many.
    ``told`` makes the figure of the JSON."""

    name: str
    what: str
    words: tuple[str, ...]
    told: Callable[[Mapping[str, Any]], str]
    shown: str = ""

    @property
    def command(self) -> str:
        return f"`{self.shown or 'docspec ' + ' '.join(self.words)}`"


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
    """Runs the commands of ``rows``, one after the other; each writes its JSON file into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        tell(f"docspec {' '.join(row.words)}")
        subprocess.run(
            [sys.executable, "-m", "docspec", *row.words, "--json", str(folder / f"{row.name}.json")], check=True
        )


def fill(page: Path, folder: Path, commit: str) -> list[str]:
    """Writes into ``page`` the rows whose JSON files are in ``folder``; returns their names.

    Raises ``ValueError`` where the page has no table.
    """
    text = page.read_text()
    before, opened, rest = text.partition(BEGIN)
    table, closed, after = rest.partition(END)
    if not (opened and closed):
        raise ValueError(f"{page}: there is no table between {BEGIN} and {END}")
    lines = table.strip().removeprefix(HEAD.strip()).strip().split("\n")
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


def commit_of_code() -> str:
    """The commit that this code is of, with ``+`` where files are changed; ``unknown`` outside a clone."""
    here = str(Path(__file__).parent)
    asked = ["git", "-C", here, "describe", "--always", "--dirty=+", "--abbrev=7", "--exclude=*"]
    found = subprocess.run(asked, capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else "unknown"
