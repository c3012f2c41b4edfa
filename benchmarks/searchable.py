"""Searchable PDFs against the Markdown of the same run: which of its words another program finds in the text layer."""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pymupdf

from docspec.core import ParseOptions
from docspec.core.categories import Category
from docspec.corpus.child_pdf import SearchablePdf
from docspec.documents import Source
from docspec.ledger.atoms import keys_of
from docspec.ledger.outputs import markdown_words
from docspec.parser import Parser

SECONDS = 60.0
"""In which a program has opened a file."""


@dataclass(frozen=True, slots=True)
class Searchable:
    """A document: the words of its text, those of them that ``pdftotext`` finds, the bytes of the file and of the
    searchable one, and its pages. ``refused`` are the programs that open the input and not the searchable file, or have
    more to say of it; ``fault`` is why nothing was written, ``missing`` are words that were not found, ``parted`` of
    which ``pdftotext`` tells with other spaces, ``joined`` of these within a longer word, where a search finds them."""

    source: str
    words: int = 0
    found: int = 0
    before: int = 0
    after: int = 0
    pages: int = 0
    refused: tuple[str, ...] = ()
    fault: str = ""
    missing: tuple[str, ...] = ()
    parted: int = 0
    joined: int = 0


def drawn(sources: Sequence[Source], count: int, seed: int, most_pages: int) -> list[Source]:
    """``count`` of the PDF files that open without a password and have at most ``most_pages``, at random by ``seed``,
    whatever the order of ``sources``."""
    ordered = sorted(sources, key=lambda source: source.name)
    random.Random(seed).shuffle(ordered)
    found: list[Source] = []
    for source in ordered:
        if len(found) == count:
            break
        try:
            with pymupdf.open(stream=source.read(), filetype="pdf") as pdf:
                fits = not pdf.needs_pass and 0 < len(pdf) <= most_pages
        except Exception:  # MuPDF's errors: not a file that can be read
            continue
        if fits:
            found.append(source)
    return found


def measure(sources: Sequence[Source], options: ParseOptions) -> Iterator[Searchable]:
    """Every document of ``sources``, read as ``options`` say; needs Poppler and qpdf. Ghostscript and PDFium
    (``pypdfium2``) open the files, too, where they are installed."""
    with Parser(options, images=False) as parser, tempfile.TemporaryDirectory() as folder:
        for number, source in enumerate(sources):
            path, before = Path(folder, f"{number}.pdf"), Path(folder, f"{number}-input.pdf")
            before.write_bytes(source.read())
            try:
                yield _measured(parser, source, options, before, path)
            except Exception as error:  # a fault of docspec's, too, is one of this file
                yield Searchable(source.name, fault=str(error) or type(error).__name__)


def _measured(parser: Parser, source: Source, options: ParseOptions, before: Path, path: Path) -> Searchable:
    written: Counter[str] = Counter()
    count = 0
    with SearchablePdf(path, source, options) as writer:
        for page in parser.pages(source):
            count += 1
            writer.add(page)
            texts = (block.text for block in page.blocks if block.category is not Category.FORMULA)
            written.update(key for text in texts for key in keys_of(markdown_words(text)))
    told = subprocess.run(
        ["pdftotext", path, "-"], capture_output=True, text=True, check=False, errors="replace", timeout=SECONDS
    )
    theirs = keys_of(told.stdout)
    found = written & Counter(theirs)
    refused = tuple(name for name, opens in readers().items() if not opens(path) and opens(before))
    sizes = before.stat().st_size, path.stat().st_size
    missing = tuple(sorted((written - found).elements()))
    parted, joined = (words_parted(missing, theirs, found, by) for by in ("", "\n"))
    return Searchable(source.name, written.total(), found.total(), *sizes, count, refused, "", missing, parted, joined)


def words_parted(missing: Sequence[str], told: Sequence[str], found: Mapping[str, int], by: str = "") -> int:
    """How many words of ``missing`` stand, letter by letter, in what ``told`` has beside the words ``found``, put
    together with ``by`` between them; each letter counts once."""
    left, others = Counter(found), []
    for key in told:
        others += [] if left[key] > 0 else [key]
        left[key] -= 1
    text, count = by.join(others), 0
    for word in sorted(missing, key=len, reverse=True):
        count += word in text
        text = text.replace(word, "\n", 1)
    return count


def readers() -> dict[str, Callable[[Path], bool]]:
    """Programs that open a PDF, by name: whether they show all of its pages and have nothing to complain of."""
    found: dict[str, Callable[[Path], bool]] = {"MuPDF": _in_mupdf, "Poppler": _runs("pdftotext", "", "-")}
    found["qpdf"] = _runs("qpdf", "--check", "")
    if shutil.which("gs"):
        found["Ghostscript"] = _runs("gs", "-q", "-dNOPAUSE", "-dBATCH", "-dPDFSTOPONERROR", "-sDEVICE=nullpage", "")
    if find_spec("pypdfium2"):
        found["PDFium"] = _in_pdfium
    return found


def _runs(*command: str) -> Callable[[Path], bool]:
    """Whether ``command``, in which the empty word is the file, ends without an error."""

    def opens(path: Path) -> bool:
        words = [word or str(path) for word in command]
        try:
            return subprocess.run(words, capture_output=True, check=False, timeout=SECONDS).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    return opens


def _in_mupdf(path: Path) -> bool:
    try:
        with pymupdf.open(path) as made:
            return all(page.get_displaylist() is not None for page in made)
    except Exception:  # MuPDF's errors
        return False


def _in_pdfium(path: Path) -> bool:
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(path) as made:
            return all(page.get_textpage().count_chars() >= 0 for page in made)
    except pypdfium2.PdfiumError:
        return False
