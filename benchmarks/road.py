"""How long the road of one page is: the modules of docspec whose functions run for it, and their lines.

``python -m benchmarks.road [FILE]``: the first page by regions, with the engine in this process and the draft of the
text layer, from the open document to Markdown. Opening and drafting happen in a child process and are counted by their
own line. Loading the model is not part of the road.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import docspec
from docspec import ParseOptions, Parser
from docspec.core import PageImage
from docspec.documents import open_document
from docspec.results import ParsedDocument

PACKAGE = str(Path(docspec.__file__).parent)


@contextmanager
def called() -> Iterator[set[str]]:
    """The files of docspec whose functions are called within the context, in any thread."""
    found: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(PACKAGE):
            found.add(code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def size(files: set[str]) -> str:
    """The number of ``files`` and of their lines."""
    return f"{len(files)} files, {sum(len(Path(file).read_text().splitlines()) for file in files):,} lines"


def main() -> None:
    file = Path(sys.argv[1] if len(sys.argv) > 1 else "samples/journal-article.pdf")
    options = ParseOptions(words="model", read="regions", drafter="text-layer", pages="1", device="cpu")
    with Parser(options) as parser:
        pages = parser.page_parser
        with open_document(file) as document:
            images = parser.page_images(document, "1")
            page = next(images)  # it is open until the next one is asked for
            assert isinstance(page, PageImage)
            with called() as drafting:
                drafted = pages.draft(page)
            with called() as reading:
                result = pages.verify(drafted)
            with called() as writing:
                text = ParsedDocument(file.name, (result,)).to_markdown()
    if result.error:
        raise SystemExit(result.error)
    print(f"{len(result.token_ids)} tokens, {len(text)} characters")
    for what, files in (("drafting", drafting), ("reading", reading), ("writing", writing)):
        print(f"{what}: {size(files)}")
        if "-v" in sys.argv:
            print(*sorted(file.removeprefix(PACKAGE) for file in files), sep="\n")
    print(f"together: {size(drafting | reading | writing)}")


if __name__ == "__main__":
    main()
