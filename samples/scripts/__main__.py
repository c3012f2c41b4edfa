"""``python -m samples.scripts FOLDER [--browser PROGRAM]``: the pages of all scripts for which there are fonts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from samples.scripts import TEXTS
from samples.scripts.fonts import WANTED, find, font_of
from samples.scripts.press import FORMS, FORMS_FONT, LANGUAGES, write_by_browser, write_forms, write_shaped


def make(folder: Path, browser: str | None = None) -> None:
    """Writes ``SCRIPT.pdf``, ``SCRIPT-forms.pdf`` and ``SCRIPT-browser.pdf``, each with its text beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    for script in LANGUAGES:
        if script in WANTED and font_of(script) is None:
            print(f"{script}: no font ({' or '.join(WANTED[script])}); left out", file=sys.stderr)
            continue
        text = (TEXTS / f"{script}.md").read_text(encoding="utf-8")
        write_shaped(_with_text(folder / f"{script}.pdf", text), text, script)
        if script in FORMS and find(FORMS_FONT) is not None:
            write_forms(_with_text(folder / f"{script}-forms.pdf", text), text, script)
        if browser is not None and script in WANTED:
            write_by_browser(_with_text(folder / f"{script}-browser.pdf", text), text, script, browser)


def _with_text(pdf: Path, text: str) -> Path:
    pdf.with_suffix(".md").write_text(text, encoding="utf-8")
    return pdf


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m samples.scripts", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--browser", metavar="PROGRAM", help="also print with a browser of Chromium's family")
    given = parser.parse_args()
    make(given.folder, given.browser)
