"""Searchable PDFs against the Markdown of the same run: which of its words another program finds in the text layer."""

from __future__ import annotations

import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pymupdf

from docspec.core import ParseOptions
from docspec.core.categories import Category
from docspec.corpus.searchable import SearchablePdf
from docspec.documents import Source
from docspec.ledger.atoms import keys_of
from docspec.ledger.outputs import markdown_words
from docspec.parser import Parser


@dataclass(frozen=True, slots=True)
class Searchable:
    """A document: the words of its text, those of them that ``pdftotext`` finds, the bytes of the file and of the
    searchable one, its pages, and whether ``qpdf --check`` has nothing to say."""

    source: str
    words: int
    found: int
    before: int
    after: int
    pages: int
    is_clean: bool


def measure(sources: Sequence[Source], options: ParseOptions) -> Iterator[Searchable]:
    """Every document of ``sources``, read as ``options`` say; needs Poppler and qpdf."""
    with Parser(options, images=False) as parser, tempfile.TemporaryDirectory() as folder:
        for number, source in enumerate(sources):
            path = Path(folder, f"{number}.pdf")
            written: Counter[str] = Counter()
            count = 0
            with SearchablePdf(path, source, options) as writer:
                for page in parser.pages(source):
                    count += 1
                    writer.add(page)
                    texts = (block.text for block in page.blocks if block.category is not Category.FORMULA)
                    written.update(key for text in texts for key in keys_of(markdown_words(text)))
            told = subprocess.run(["pdftotext", path, "-"], capture_output=True, text=True, check=True).stdout
            found = written & Counter(keys_of(told))
            checked = subprocess.run(["qpdf", "--check", path], capture_output=True, check=False)
            size = len(source.read())
            yield Searchable(
                source.name, written.total(), found.total(), size, path.stat().st_size, count, checked.returncode == 0
            )
            with pymupdf.open(path) as made:  # opens in MuPDF, too
                assert made.page_count == count
