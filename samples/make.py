"""Writes every sample: `python -m samples.make` from the top of the checkout.

Each kind of page gives a born-digital PDF, the same page as a scan, and the ground truth of both;
`mixed` is one document of several pages. A second run writes the same bytes.
"""

import argparse
from importlib import import_module
from pathlib import Path

from samples.press.blocks import Sheet
from samples.press.flow import print_sheet
from samples.press.pdf import write_pdf
from samples.press.truth import document_markdown, sheet_markdown

KINDS = (
    "slides",
    "academic-paper",
    "book",
    "textbook",
    "exam-paper",
    "magazine",
    "newspaper",
    "notes",
    "financial-report",
)
LARGE = ("journal-article",)
"""Pages of A4, printed only: a scan of one would weigh as much as all others together."""

HERE = Path(__file__).parent


def sheet_of(kind: str) -> Sheet:
    """The description of the page of one kind."""
    sheet = import_module(f"samples.pages.{kind.replace('-', '_')}").SHEET
    assert isinstance(sheet, Sheet)
    return sheet


def make_kind(folder: Path, kind: str, seed: int) -> None:
    """Write `<kind>.pdf`, `<kind>-scan.pdf` and `<kind>.md`."""
    sheet = sheet_of(kind)
    title = f"Sample: {kind.replace('-', ' ')}"
    write_pdf(folder / f"{kind}.pdf", title, (sheet,))
    write_pdf(folder / f"{kind}-scan.pdf", f"{title}, scanned", (sheet,), scan=True, seed=seed)
    (folder / f"{kind}.md").write_text(sheet_markdown(sheet) + "\n", encoding="utf-8")


def make_large(folder: Path, kind: str) -> None:
    """Write `<kind>.pdf` and `<kind>.md`."""
    sheet = sheet_of(kind)
    write_pdf(folder / f"{kind}.pdf", f"Sample: {kind.replace('-', ' ')}", (sheet,))
    (folder / f"{kind}.md").write_text(sheet_markdown(sheet) + "\n", encoding="utf-8")


def make_mixed(folder: Path) -> None:
    """Write `mixed.pdf` and `mixed.md`."""
    sheets: tuple[Sheet, ...] = import_module("samples.pages.mixed").SHEETS
    write_pdf(folder / "mixed.pdf", "Sample: mixed", sheets, seed=900)
    (folder / "mixed.md").write_text(document_markdown(sheets), encoding="utf-8")


def main() -> None:
    """Write all samples into the folder that the command line names, this one by default."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=HERE, help="folder to write to (default: %(default)s)")
    parser.add_argument("--fill", action="store_true", help="only show the rows left free in every frame")
    options = parser.parse_args()
    if options.fill:
        for kind in (*KINDS, *LARGE):
            print(f"{kind:17}", *(f"{rows:6.2f}" for rows in print_sheet(sheet_of(kind))[1]))
        return
    options.out.mkdir(parents=True, exist_ok=True)
    for number, kind in enumerate(KINDS):
        make_kind(options.out, kind, seed=100 * (number + 1))
    for kind in LARGE:
        make_large(options.out, kind)
    make_mixed(options.out)


if __name__ == "__main__":
    main()
