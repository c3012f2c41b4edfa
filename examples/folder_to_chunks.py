"""A folder of documents as one file of JSON lines for retrieval: a chunk with its page, place and headings in each.

python examples/folder_to_chunks.py scans/ chunks.jsonl
"""

import sys
from pathlib import Path

from docspec import Parser

KINDS = {".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff"}


def write_chunks(folder: Path, output: Path) -> list[str]:
    """Writes the chunks of all documents in ``folder``; returns a line for each document that could not be read."""
    documents = sorted(path for path in folder.rglob("*") if path.suffix.lower() in KINDS)
    unread = []
    with Parser() as parser, output.open("w", encoding="utf-8") as file:
        for document in parser.parse_many(documents):  # in their order; the next one is opened and drafted meanwhile
            if document.error is not None:
                unread.append(document.error)
                continue
            file.write(document.render("chunks"))
    return unread


if __name__ == "__main__":
    for line in write_chunks(Path(sys.argv[1]), Path(sys.argv[2])):
        print(line, file=sys.stderr)
